// SPDX-License-Identifier: Apache-2.0
//
// ResultMerger: brings the workers' results of one aggregate into one order, (window end, key bytes, window start),
// which does not depend on how many workers there are. A window's results are handed out once every worker has passed
// its end; early ones at once, in the order in which they came, since nothing of their windows can stand before them.
// What still waits at an epoch is part of it (encode/restore). Runs on the committer's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
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
  /// Rows with the same window end.
  struct Part {
    std::shared_ptr<const FiredRows> fired;
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  struct Cursor;
  using Write = std::function<Status(const Batch& rows, uint32_t row)>;
  void add_from(std::shared_ptr<const FiredRows> fired, uint32_t first_row);
  static Status merge_window(const std::vector<Part>& parts, const Write& write);
  /// The parts, those of one FiredRows once: its first row that waits.
  std::vector<std::pair<std::shared_ptr<const FiredRows>, uint32_t>> what_waits() const;

  uint16_t operator_id_;
  std::vector<Micros> passed_;  // per worker
  std::deque<std::shared_ptr<const FiredRows>> immediate_;
  std::map<Micros, std::vector<Part>> waiting_;  // by window end
};

}  // namespace tidemark::core
