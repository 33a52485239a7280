// SPDX-License-Identifier: Apache-2.0
//
// GroupedRows: the rows of one batch that go to one worker, grouped by (key, pane). Made once on the ingest side
// (keys hashed once), crosses the exchange with a reference to the batch, and is applied by the window operator.
// Lateness is a property of (pane, watermark), so a whole group has one verdict at the worker, and its rows stay
// attached for the late store. Immutable once sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

/// One (key, pane) of a batch.
struct RowGroup {
  uint64_t hash = 0;  ///< of the key bytes; its top 8 bits are the key group
  Micros pane_end = 0;
  uint32_t key_offset = 0;  ///< into GroupedRows::keys
  uint32_t key_size = 0;
  uint32_t row_begin = 0;  ///< into GroupedRows::rows
  uint32_t row_count = 0;
};

struct GroupedRows {
  uint16_t operator_id = 0;
  BatchRef batch;
  std::string keys;  ///< key bytes of all groups (see window/key_codec.hpp)
  std::vector<RowGroup> groups;
  std::vector<uint32_t> rows;  ///< row numbers of the batch, group by group, ascending within a group
  /// groups.size() accumulators of AccumulatorLayout::width() bytes each, already updated with the groups' rows;
  /// empty: not pre-aggregated, the worker applies the rows.
  std::vector<std::byte> partials;

  std::span<const uint32_t> rows_of(const RowGroup& group) const noexcept {
    return std::span(rows).subspan(group.row_begin, group.row_count);
  }
  std::string_view key_of(const RowGroup& group) const noexcept {
    return std::string_view(keys).substr(group.key_offset, group.key_size);
  }
};

}  // namespace tidemark::core
