// SPDX-License-Identifier: Apache-2.0
//
// SplitTable: the splits of a job by number: their names, sources and reading cores. Splits are added when the job
// starts and when a source finds more while it runs; none is changed or taken away, so that references stay valid.
// Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "core/ingest/reader.hpp"

namespace tidemark::core {

struct SplitInfo {
  std::string name;     ///< the source's id of the split
  std::string note;     ///< for people
  uint32_t source = 0;  ///< index into JobPlan::sources
  uint32_t core = 0;    ///< that reads it
};

class SplitTable {
 public:
  /// The number of the new split.
  SplitId add(SplitInfo split) {
    const std::lock_guard lock(mutex_);
    splits_.push_back(std::move(split));
    return static_cast<SplitId>(splits_.size() - 1);
  }
  SplitId size() const {
    const std::lock_guard lock(mutex_);
    return static_cast<SplitId>(splits_.size());
  }
  /// `split` must be there.
  const SplitInfo& operator[](SplitId split) const {
    const std::lock_guard lock(mutex_);
    return splits_[split];
  }

 private:
  mutable std::mutex mutex_;
  std::deque<SplitInfo> splits_;
};

}  // namespace tidemark::core
