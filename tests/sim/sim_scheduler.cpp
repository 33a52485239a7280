// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/sim/sim_scheduler.hpp"

#include <algorithm>

#include "core/runtime/job_graph.hpp"

namespace tidemark::test {
namespace {

constexpr uint64_t kPatience = 40;  // picks that a runnable component waits at most

}  // namespace

void SimScheduler::attach(core::JobGraph& graph) {
  actors_.clear();
  cores_ = graph.cores();
  const auto add = [this](core::Component* component, uint32_t thread) {
    Actor actor;
    actor.component = component;
    actor.thread = thread;
    actor.weight = random_.chance(20) ? 1 : static_cast<uint64_t>(random_.between(4, 40));
    for (const auto& [name, until] : holds_) {
      if (name == component->name()) actor.held_until = until;
    }
    actors_.push_back(actor);
  };
  for (uint32_t core = 0; core < graph.cores(); ++core) {
    for (core::Component* component : graph.components_of(core)) add(component, core);
  }
  add(&graph.committer(), graph.cores());
  if (graph.enumerator() != nullptr) add(graph.enumerator(), graph.cores() + 1);
}

void SimScheduler::wake_thread(uint32_t thread) {
  for (Actor& actor : actors_) {
    if (actor.thread == thread) actor.runnable = true;
  }
}

void SimScheduler::wake_core(uint32_t core) {
  wake_thread(core);
}

void SimScheduler::wake_committer() {
  wake_thread(cores_);
}

void SimScheduler::wake_enumerator() {
  wake_thread(cores_ + 1);
}

bool SimScheduler::can_run(const Actor& actor) const {
  return actor.runnable && !actor.done && actor.held_until <= clock_.now();
}

void SimScheduler::wake_due() {
  const core::Micros now = clock_.monotonic_us();
  for (const Actor& actor : actors_) {
    // One that is held cannot move its deadline: it would wake its neighbours again and again.
    if (actor.done || actor.held_until > clock_.now()) continue;
    if (actor.component->next_wake_us() <= now) wake_thread(actor.thread);
  }
}

SimScheduler::Actor& SimScheduler::choose(const std::vector<size_t>& candidates) {
  uint64_t total = 0;
  for (const size_t i : candidates) {
    if (actors_[i].passed_over >= kPatience) return actors_[i];
    total += actors_[i].weight;
  }
  uint64_t drawn = random_.below(total);
  for (const size_t i : candidates) {
    if (drawn < actors_[i].weight) return actors_[i];
    drawn -= actors_[i].weight;
  }
  return actors_[candidates.back()];
}

core::Component* SimScheduler::pick() {
  wake_due();
  std::vector<size_t> candidates;
  for (size_t i = 0; i < actors_.size(); ++i) {
    if (can_run(actors_[i])) candidates.push_back(i);
  }
  if (candidates.empty()) return nullptr;
  Actor& chosen = choose(candidates);
  for (const size_t i : candidates) ++actors_[i].passed_over;
  chosen.passed_over = 0;
  chosen.runnable = false;  // wake-ups during its step count
  picked_ = static_cast<size_t>(&chosen - actors_.data());
  return chosen.component;
}

void SimScheduler::report(core::Progress progress) {
  Actor& actor = actors_[picked_];
  actor.done = progress == core::Progress::done;
  if (progress == core::Progress::busy) wake_thread(actor.thread);
}

bool SimScheduler::all_done() const {
  return std::all_of(actors_.begin(), actors_.end(), [](const Actor& actor) { return actor.done; });
}

core::Micros SimScheduler::next_deadline() const {
  core::Micros next = core::kEndOfTime;
  for (const Actor& actor : actors_) {
    if (actor.done) continue;
    const core::Micros wanted = actor.runnable ? 0 : clock_.virtual_of(actor.component->next_wake_us());
    const core::Micros at = std::max(wanted, actor.held_until);
    next = std::min(next, std::max(at, clock_.now()));
  }
  return next;
}

void SimScheduler::hold(const std::string& component, core::Micros until) {
  std::erase_if(holds_, [&component](const auto& one) { return one.first == component; });
  if (until > 0) holds_.emplace_back(component, until);
  for (Actor& actor : actors_) {
    if (actor.component->name() == component) actor.held_until = until;
  }
}

void SimScheduler::hold_any(core::Micros until) {
  if (!actors_.empty()) actors_[random_.below(actors_.size())].held_until = until;
}

std::string SimScheduler::describe() const {
  std::string out;
  for (const Actor& actor : actors_) {
    out += actor.component->name() + (actor.done ? ": done" : actor.runnable ? ": runnable" : ": asleep");
    if (actor.held_until > clock_.now()) out += " (held)";
    out += "; ";
  }
  return out;
}

}  // namespace tidemark::test
