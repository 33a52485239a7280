// SPDX-License-Identifier: Apache-2.0
//
// The loop of a core: step every component; when all are idle, sleep until a wake-up or the nearest deadline.
// The only place of core that starts threads.
#include "core/runtime/job_runner.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/runtime/job_graph.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kWatchInterval = 100 * kMicrosPerMilli;

}  // namespace

JobRunner::JobRunner(uint32_t cores, const Clock& clock) : clock_(clock) {
  for (uint32_t core = 0; core < cores; ++core) core_wakers_.push_back(std::make_unique<Waker>());
}

void JobRunner::fail(Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (error_.is_ok()) error_ = std::move(status);
  }
  failed_.store(true);
  graph_->wake_readers();
  for (auto& waker : core_wakers_) waker->wake();
  committer_waker_.wake();
  enumerator_waker_.wake();
}

void JobRunner::turn(const std::vector<Component*>& components, Waker& waker) {
  size_t done = 0;
  while (done < components.size() && !failed_.load(std::memory_order_relaxed)) {
    bool busy = false;
    done = 0;
    Micros deadline = kEndOfTime;
    for (Component* component : components) {
      Result<Progress> progress = component->step();
      if (!progress) {
        fail(progress.status());
        break;
      }
      busy |= *progress == Progress::busy;
      done += static_cast<size_t>(*progress == Progress::done);
      deadline = std::min(deadline, component->next_wake_us());
    }
    if (!busy && done < components.size() && !failed_.load()) {
      waker.wait(saturating_sub(deadline, clock_.monotonic_us()));
    }
  }
  running_.fetch_sub(1);
  finished_.wake();
}

Status JobRunner::run(JobGraph& graph, const std::function<bool()>& watch) {
  graph_ = &graph;
  std::vector<std::thread> threads;
  running_.store(graph.cores() + 1 + (graph.enumerator() != nullptr ? 1 : 0));
  for (uint32_t core = 0; core < graph.cores(); ++core) {
    threads.emplace_back([this, &graph, core] { turn(graph.components_of(core), *core_wakers_[core]); });
  }
  threads.emplace_back([this, &graph] { turn({&graph.committer()}, committer_waker_); });
  if (graph.enumerator() != nullptr) {
    threads.emplace_back([this, &graph] { turn({graph.enumerator()}, enumerator_waker_); });
  }
  bool asked_to_stop = false;
  while (running_.load() > 0) {
    finished_.wait(kWatchInterval);
    if (!watch() && !asked_to_stop) {
      asked_to_stop = true;
      graph.coordinator().request_stop();
      graph.wake_readers();
    }
  }
  for (std::thread& thread : threads) thread.join();
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace tidemark::core
