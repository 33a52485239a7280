// SPDX-License-Identifier: Apache-2.0
//
// StreamedWindow: the groups of a window whose panes are not in memory, by key, a batch of them at a time. Made when
// the window fires, of what state has of its slices. One thread.
#pragma once

#include <memory>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/accumulator_row.hpp"
#include "core/window/entry_merge.hpp"
#include "core/window/pane.hpp"

namespace tidemark::core {

class StreamedWindow {
 public:
  /// `layout` outlives it.
  explicit StreamedWindow(const AccumulatorLayout& layout) : layout_(layout), scratch_(layout) {}

  /// The runs of one (slice, key group), in their order. Slices in theirs; before next().
  void add(std::vector<StoredRun> runs) { merge_.add(std::move(runs)); }
  /// Makes `entries` the next groups, at most kBatchRows, none at the end; they are valid until the next call.
  Status next(std::vector<EntryRef>& entries);

 private:
  const AccumulatorLayout& layout_;
  AccumulatorRow scratch_;
  EntryMerge merge_;
  std::unique_ptr<PaneTable> table_;
};

}  // namespace tidemark::core
