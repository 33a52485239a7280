// SPDX-License-Identifier: Apache-2.0
//
// ResultBarriers: how the barriers of one epoch pass between workers where aggregates read aggregates. Once a worker
// has every ingest lane's barrier, its aggregates of rows are at the cut, and it sends a barrier behind their results.
// When such a barrier has come from every worker, the aggregates that read those are at the cut, and the next barrier
// follows, for those that read them; so as many barriers run through each lane as aggregates stand behind one another
// (the depth). After the last one the worker seals.
//
// Invariant: a lane that has given all its barriers is not read before the seal. A value, used by its worker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::core {

class ResultBarriers {
 public:
  enum class Next : uint8_t { wait, send, seal };

  ResultBarriers() = default;
  ResultBarriers(size_t lanes, uint32_t depth) : seen_(lanes, 0), depth_(depth) {}

  /// Every ingest lane's barrier has come.
  void open() noexcept { is_open_ = true; }
  /// From open() until next() has said seal.
  bool is_open() const noexcept { return is_open_; }
  /// A barrier came through the lane.
  void note(size_t lane) noexcept { ++seen_[lane]; }
  bool is_waiting(size_t lane) const noexcept { return seen_[lane] == depth_; }

  /// What to do now, while it is open: wait for other workers, send a barrier to all, or seal.
  Next next() noexcept {
    if (std::any_of(seen_.begin(), seen_.end(), [this](uint32_t seen) { return seen < sent_; })) return Next::wait;
    if (sent_ < depth_) {
      ++sent_;
      return Next::send;
    }
    std::fill(seen_.begin(), seen_.end(), 0);
    sent_ = 0;
    is_open_ = false;
    return Next::seal;
  }

 private:
  std::vector<uint32_t> seen_;  // by lane
  uint32_t depth_ = 0;
  uint32_t sent_ = 0;
  bool is_open_ = false;
};

}  // namespace tidemark::core
