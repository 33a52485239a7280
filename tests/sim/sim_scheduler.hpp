// SPDX-License-Identifier: Apache-2.0
//
// SimScheduler: decides which component steps next, by seed. It keeps the runner's rules: a component runs only
// when it or a neighbour on its thread was busy, its thread was woken, or a deadline passed (so a lost wake-up
// shows as a standstill); which of the runnable ones runs is drawn with weights that differ from run to run
// (swarm testing), within a bound, so that none starves. Components can be held for a while: a slow disk, a
// descheduled thread. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/component.hpp"
#include "tests/sim/sim_clock.hpp"
#include "tests/sim/sim_random.hpp"

namespace tidemark::core {
class JobGraph;
}

namespace tidemark::test {

class SimScheduler {
 public:
  SimScheduler(const SimClock& clock, SimRandom random) : clock_(clock), random_(random) {}

  /// Takes the components of a graph, all of them runnable.
  void attach(core::JobGraph& graph);
  void detach() { actors_.clear(); }

  /// What the graph wakes threads with; the committer is the thread after the cores, then comes the enumerator.
  void wake_core(uint32_t core);
  void wake_committer();
  void wake_enumerator();

  /// The component to step now; null when all sleep.
  core::Component* pick();
  /// What the picked component's step gave.
  void report(core::Progress progress);
  bool all_done() const;
  /// The next virtual time at which a sleeping component wants to run, or a held one may; kEndOfTime = never.
  core::Micros next_deadline() const;

  /// The component does not run before `until` (virtual time); kEndOfTime: until release().
  void hold(const std::string& component, core::Micros until);
  void release(const std::string& component) { hold(component, 0); }
  /// Holds a random component.
  void hold_any(core::Micros until);
  /// For messages: each component and whether it is runnable.
  std::string describe() const;

 private:
  struct Actor {
    core::Component* component = nullptr;
    uint32_t thread = 0;
    uint64_t weight = 1;
    uint64_t passed_over = 0;  // picks since it became runnable
    core::Micros held_until = 0;
    bool runnable = true;
    bool done = false;
  };

  bool can_run(const Actor& actor) const;
  void wake_due();
  void wake_thread(uint32_t thread);
  Actor& choose(const std::vector<size_t>& candidates);

  const SimClock& clock_;
  SimRandom random_;
  uint32_t cores_ = 0;
  std::vector<Actor> actors_;
  std::vector<std::pair<std::string, core::Micros>> holds_;  // of components by name, kept over restarts
  size_t picked_ = 0;
};

}  // namespace tidemark::test
