// SPDX-License-Identifier: Apache-2.0
//
// Single accumulator rows for tests: made, fed, merged, and their results as text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/window/accumulator_layout.hpp"
#include "tests/unit/window/batch_builder.hpp"

namespace tidemark::core::test {

/// One accumulator row, owned.
class Accumulators {
 public:
  explicit Accumulators(const AccumulatorLayout& layout) : layout_(layout), row_(layout.width() / 8) {
    layout.init(row());
  }
  Accumulators(const Accumulators&) = delete;
  Accumulators& operator=(const Accumulators&) = delete;
  ~Accumulators() { layout_.destroy(row()); }
  std::byte* row() { return reinterpret_cast<std::byte*>(row_.data()); }
  std::string encoded() {
    std::string out;
    layout_.encode(row(), out);
    return out;
  }
  /// Adds rows of a batch; checks that the growth of owned memory is told rightly.
  void add(const BatchRef& batch, const std::vector<uint32_t>& rows) {
    const UpdateTarget target{row(), 0, static_cast<uint32_t>(rows.size())};
    const size_t before = layout_.owned_bytes(row());
    const int64_t grown = layout_.update(*batch, {&target, 1}, rows.data());
    EXPECT_EQ(static_cast<int64_t>(layout_.owned_bytes(row())), static_cast<int64_t>(before) + grown);
  }
  void merge(Accumulators& from) {
    const size_t before = layout_.owned_bytes(row());
    const int64_t grown = layout_.merge(row(), from.row());
    EXPECT_EQ(static_cast<int64_t>(layout_.owned_bytes(row())), static_cast<int64_t>(before) + grown);
  }
  bool is_neutral() { return layout_.is_neutral(row()); }

 private:
  const AccumulatorLayout& layout_;
  std::vector<uint64_t> row_;
};

inline AggregateSpec spec_of(std::vector<AggregateColumn> columns, bool changelog = false) {
  AggregateSpec spec;
  spec.id = "totals";
  spec.columns = std::move(columns);
  spec.changelog = changelog;
  return spec;
}

/// Results by spaces, NULL as "-".
inline std::string results(const AccumulatorLayout& layout, Accumulators& from) {
  Batch out(layout_of(layout.output_columns()), 1, 0);
  const Status status = layout.write_results(from.row(), out, 0, 0);
  if (!status) return status.message();
  std::string text;
  for (size_t at = 0; at < out.columns().size(); ++at) {
    if (at > 0) text += ' ';
    if (out.column(at).is_valid(0)) {
      append_cell_text(out, at, 0, text);
    } else {
      text += '-';
    }
  }
  return text;
}

}  // namespace tidemark::core::test
