// SPDX-License-Identifier: Apache-2.0
//
// AccumulatorRow: one accumulator row with an owner of its own, for groups that do not live in a pane's table. Movable;
// frees what the row owns.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "core/window/accumulator_layout.hpp"

namespace tidemark::core {

class AccumulatorRow {
 public:
  /// A neutral row; `layout` outlives it.
  explicit AccumulatorRow(const AccumulatorLayout& layout)
      : layout_(&layout), row_(std::make_unique_for_overwrite<std::byte[]>(layout.width())) {
    layout.init(row_.get());
  }
  AccumulatorRow(AccumulatorRow&&) noexcept = default;
  AccumulatorRow& operator=(AccumulatorRow&& other) noexcept {
    std::swap(layout_, other.layout_);
    std::swap(row_, other.row_);
    return *this;
  }
  ~AccumulatorRow() {
    if (row_ != nullptr) layout_->destroy(row_.get());
  }

  std::byte* data() noexcept { return row_.get(); }
  const std::byte* data() const noexcept { return row_.get(); }
  void clear() noexcept { layout_->destroy(row_.get()); }

 private:
  const AccumulatorLayout* layout_;
  std::unique_ptr<std::byte[]> row_;  // null once moved from
};

}  // namespace tidemark::core
