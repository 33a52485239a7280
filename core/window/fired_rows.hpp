// SPDX-License-Identifier: Apache-2.0
//
// FiredRows: results of one firing of one pane at one worker, as a Batch of output columns (window_start,
// window_end, keys, aggregates) with the key bytes beside it, sorted by them. Sinks merge the workers' rows by
// (window_end, key bytes), so the output does not depend on the number of workers. LateGroup: rows that came too
// late for their pane. Immutable once handed on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

struct FiredRows {
  uint16_t operator_id = 0;
  Micros window_start = 0;
  Micros window_end = 0;
  BatchRef rows;                   ///< at most kBatchRows rows, ascending by key bytes
  std::string keys;                ///< key bytes of the rows, joined
  std::vector<uint32_t> key_ends;  ///< end of each row's key in `keys`

  std::string_view key_at(uint32_t row) const noexcept {
    const uint32_t begin = row == 0 ? 0 : key_ends[row - 1];
    return std::string_view(keys).substr(begin, key_ends[row] - begin);
  }
};

struct LateGroup {
  uint16_t operator_id = 0;
  Micros pane_end = 0;
  Micros watermark = 0;  ///< at arrival
  BatchRef batch;
  std::vector<uint32_t> rows;  ///< row numbers of the batch
};

}  // namespace tidemark::core
