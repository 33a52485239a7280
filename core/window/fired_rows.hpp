// SPDX-License-Identifier: Apache-2.0
//
// FiredRows: results of one firing at one worker, as a Batch of output columns (window_start, window_end, keys,
// aggregates) with the key bytes beside it, sorted by (window end, key bytes, window start). Sinks merge the workers'
// rows in that order, so the output does not depend on the number of workers. LateGroup: rows that the operator did
// not apply, or applied to some of their windows only. Immutable once handed on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

/// Which result of its (window, key) a row is; in the column `kind` where a group may have several.
enum class FiringKind : uint8_t {
  early,       ///< before the window's end has passed
  on_time,     ///< at the window's end
  late,        ///< after it: with rows that came late
  correction,  ///< with rows out of the late store
  retraction,  ///< there is no result any more; values are those of an empty group
};

/// "early", "on_time", ...
constexpr std::string_view kind_name(FiringKind kind) noexcept {
  constexpr std::string_view kNames[] = {"early", "on_time", "late", "correction", "retraction"};
  return kNames[static_cast<size_t>(kind)];
}

struct FiredRows {
  uint16_t operator_id = 0;
  Micros window_start = 0;              ///< of all rows, unless they have their own
  Micros window_end = 0;                ///< as window_start
  std::vector<Micros> window_starts{};  ///< of each row, where they differ (sessions); else empty
  std::vector<Micros> window_ends{};    ///< as window_starts
  bool immediate = false;               ///< early, or by processing time: not held back until all workers have passed
  BatchRef rows{};                      ///< at most kBatchRows rows
  /// With KeptResult::row, of each row: the one that it takes the place of, as given_row_codec() encodes it; empty:
  /// none.
  std::vector<std::string> replaced{};
  std::string keys{};                ///< key bytes of the rows, joined
  std::vector<uint32_t> key_ends{};  ///< end of each row's key in `keys`

  Micros start_at(uint32_t row) const noexcept { return window_starts.empty() ? window_start : window_starts[row]; }
  Micros end_at(uint32_t row) const noexcept { return window_ends.empty() ? window_end : window_ends[row]; }

  std::string_view key_at(uint32_t row) const noexcept {
    const uint32_t begin = row == 0 ? 0 : key_ends[row - 1];
    return std::string_view(keys).substr(begin, key_ends[row] - begin);
  }
};

struct LateGroup {
  enum class Why : uint8_t {
    too_late,     ///< all their windows were closed
    partly_late,  ///< some of their windows were closed; counted in the others
    no_base,      ///< they take away from a group that has nothing to take from
  };
  uint16_t operator_id = 0;
  Micros pane_end = 0;   ///< of the last window that they missed; no_base: of the pane
  Micros watermark = 0;  ///< at arrival
  BatchRef batch{};
  std::vector<uint32_t> rows{};  ///< row numbers of the batch, ascending
  Why why = Why::too_late;
  uint32_t windows_missed = 1;  ///< by each row; 0 for no_base
};

}  // namespace tidemark::core
