// SPDX-License-Identifier: Apache-2.0
//
// Pane pages: the entries of one (operator, pane, key group) as one value of the store. Header (magic, version,
// codec, rows, sizes), then keys (ascending, prefix-compressed) and after them the encoded accumulators, zstd
// where it pays, and a CRC over everything. Relocatable: nothing in a page depends on where it is stored.
// Invariant: a damaged page is an error, never other entries. One builder per thread; decoding is pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/status.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class PanePageBuilder {
 public:
  /// Adds an entry; keys must be strictly ascending.
  void add(const EntryView& entry);
  uint32_t rows() const noexcept { return rows_; }
  /// The finished page; the builder is empty again and keeps its memory.
  std::string finish();

 private:
  std::string keys_;          // per entry: shared with the previous key, rest of the key, accumulator size + 1
  std::string accumulators_;  // joined
  std::string previous_key_;
  uint32_t rows_ = 0;
};

/// Visits the entries of a page, ascending by key bytes; views are valid during the visit. The error names what
/// is wrong but not the page: callers add its key (with_context(describe(key))).
Status decode_pane_page(std::string_view page, const std::function<Status(const EntryView&)>& visit);

}  // namespace tidemark::core
