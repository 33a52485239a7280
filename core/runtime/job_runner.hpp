// SPDX-License-Identifier: Apache-2.0
//
// JobRunner: turns a job graph with threads: one per core, and one for the committer, which may block on disks.
// Threads sleep on wakers when nothing is to do. The first error of any component ends the job: nothing of the
// epoch in flight is committed, so a restart continues from the last one. run() blocks its caller.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/clock.hpp"
#include "core/base/status.hpp"
#include "core/runtime/component.hpp"
#include "core/runtime/waker.hpp"

namespace tidemark::core {

class JobGraph;

class JobRunner {
 public:
  JobRunner(uint32_t cores, const Clock& clock);

  /// What the graph's components wake their neighbours with; valid while the runner lives.
  void wake_core(uint32_t core) { core_wakers_[core]->wake(); }
  void wake_committer() { committer_waker_.wake(); }
  void wake_enumerator() { enumerator_waker_.wake(); }

  /// Runs until the graph has ended, or failed (its error). `watch` is called about every 100 ms on the calling
  /// thread; when it returns false the job is asked to stop after one last epoch.
  Status run(JobGraph& graph, const std::function<bool()>& watch);

 private:
  void turn(const std::vector<Component*>& components, Waker& waker);
  void fail(Status status);

  const Clock& clock_;
  JobGraph* graph_ = nullptr;  // while run() runs
  std::vector<std::unique_ptr<Waker>> core_wakers_;
  Waker committer_waker_;
  Waker enumerator_waker_;
  Waker finished_;
  std::atomic<uint32_t> running_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  Status error_;  // the first one; under mutex_
};

}  // namespace tidemark::core
