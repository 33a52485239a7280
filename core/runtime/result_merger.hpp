// SPDX-License-Identifier: Apache-2.0
//
// ResultMerger: brings the workers' results of one aggregate into one order, (window end, key bytes), which does
// not depend on how many workers there are. A window's results are handed out once every worker has passed its
// end. What still waits at an epoch is part of it (encode/restore). Runs on the committer's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/fired_rows.hpp"

namespace tidemark::core {

class ResultMerger {
 public:
  ResultMerger(uint16_t operator_id, uint32_t workers) : operator_id_(operator_id), passed_(workers, kNoTime) {}

  void add(FiredRows rows);
  /// Worker `worker` has sent everything up to `watermark`.
  void pass(uint32_t worker, Micros watermark);
  /// Hands out rows that are complete, in order; stops at the first error.
  Status drain(const std::function<Status(const Batch& rows, uint32_t row)>& write);

  /// All results up to here have been handed out: what every worker has passed.
  Micros complete() const { return *std::min_element(passed_.begin(), passed_.end()); }
  size_t waiting_batches() const;
  /// Everything that waits, for the epoch.
  std::string encode() const;
  /// Puts back what encode() wrote; `layout` is the results' layout.
  Status restore(std::string_view bytes, const std::shared_ptr<const BatchLayout>& layout);

 private:
  uint16_t operator_id_;
  std::vector<Micros> passed_;                        // per worker
  std::map<Micros, std::vector<FiredRows>> waiting_;  // by window end
};

}  // namespace tidemark::core
