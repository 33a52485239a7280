// SPDX-License-Identifier: Apache-2.0
//
// PaneFiring: results of a due pane as FiredRows, sorted by key bytes, in batches of at most kBatchRows rows. Groups
// without rows give nothing; groups from which more was taken than was ever there are counted, not emitted.
// Owned by the window operator; its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/aggregate_spec.hpp"
#include "core/window/fired_rows.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/pane.hpp"

namespace tidemark::core {

class PaneFiring {
 public:
  /// The references outlive this.
  PaneFiring(const AggregateSpec& spec, const AccumulatorLayout& layout, const KeyCodec& codec);

  struct Counts {
    uint64_t results = 0;
    uint64_t groups_without_base = 0;
  };
  /// Appends the pane's results (after the first time: of groups that changed since) and marks it as fired.
  Status fire(Pane& pane, std::vector<FiredRows>& fired, Counts& counts);

  const std::shared_ptr<const BatchLayout>& output_layout() const noexcept { return output_layout_; }

 private:
  void collect(Pane& pane, Counts& counts);
  Status write(const Pane& pane, size_t begin, size_t end, FiredRows& out) const;

  const AggregateSpec& spec_;
  const AccumulatorLayout& layout_;
  const KeyCodec& codec_;
  std::shared_ptr<const BatchLayout> output_layout_;
  std::vector<EntryRef> entries_;  // scratch
};

}  // namespace tidemark::core
