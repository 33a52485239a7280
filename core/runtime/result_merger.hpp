// SPDX-License-Identifier: Apache-2.0
//
// ResultMerger: brings the workers' results of one aggregate into one order, (window end, key bytes, window start),
// which does not depend on how many workers there are. A worker's results of a window come in that order until it has
// passed the window's end; so a row is handed out once every worker has shown a later one or has passed, and no more
// need to wait than the workers are apart. A result that corrects a window which its worker has passed stands behind
// all that the worker had passed by then. Early ones are handed out at once, in the order in which they came, since
// nothing of their windows can stand before them.
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
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/fired_rows.hpp"

namespace tidemark::core {

class ResultMerger {
 public:
  ResultMerger(uint16_t operator_id, uint32_t workers)
      : operator_id_(operator_id), passed_(workers, kNoTime), waiting_rows_(workers, 0) {}

  void add(uint32_t worker, FiredRows rows);
  /// Worker `worker` has sent everything up to `watermark`.
  void pass(uint32_t worker, Micros watermark);
  /// Hands out rows that are complete, in order; stops at the first error.
  Status drain(const std::function<Status(const Batch& rows, uint32_t row)>& write);

  /// All results up to here have been handed out: what every worker has passed.
  Micros complete() const { return *std::min_element(passed_.begin(), passed_.end()); }
  /// The worker's rows that wait for others.
  size_t waiting_rows(uint32_t worker) const noexcept { return waiting_rows_[worker]; }
  /// Rows of others wait for what this worker says next.
  bool is_awaited(uint32_t worker) const;
  size_t waiting_batches() const;
  /// Everything that waits, for the epoch.
  std::string encode() const;
  /// Puts back what encode() wrote; `layout` is the results' layout.
  Status restore(std::string_view bytes, const std::shared_ptr<const BatchLayout>& layout);

 private:
  /// Rows with the same window end, from `begin` on not handed out yet.
  struct Part {
    std::shared_ptr<const FiredRows> fired;
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t worker = 0;  ///< kRestored: of an epoch's workers
    uint64_t order = 0;   ///< of arrival, breaks ties
    bool again = false;   ///< a correction: behind the windows that end there

    auto place() const { return std::tuple(again, fired->key_at(begin), fired->start_at(begin), order); }
  };
  static constexpr uint32_t kRestored = UINT32_MAX;
  using Window = std::vector<Part>;  ///< none of them empty
  using Write = std::function<Status(const Batch& rows, uint32_t row)>;

  void add_from(uint32_t worker, const std::shared_ptr<const FiredRows>& fired, uint32_t first_row);
  bool has_passed(uint32_t worker, Micros window_end) const { return saturating_sub(window_end, 1) <= passed_[worker]; }
  /// Workers that may still say something of the window and have nothing that waits in it.
  bool is_silent(uint32_t worker, Micros window_end, const Window& window) const;
  Status merge(Micros window_end, Window& window, const Write& write);
  /// The parts, those of one FiredRows once: its first row that waits.
  std::vector<std::pair<std::shared_ptr<const FiredRows>, uint32_t>> what_waits() const;

  uint16_t operator_id_;
  std::vector<Micros> passed_;        // per worker
  std::vector<size_t> waiting_rows_;  // per worker
  uint64_t arrived_ = 0;
  std::deque<std::shared_ptr<const FiredRows>> immediate_;
  std::map<Micros, Window> waiting_;  // by window end; corrections by the first one that their worker had not passed
};

}  // namespace tidemark::core
