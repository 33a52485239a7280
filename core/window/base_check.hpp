// SPDX-License-Identifier: Apache-2.0
//
// BaseCheck: finds, in a changelog, rows that take away from a group with nothing to take from (the job began
// mid-history): row by row in their order, what is there must not go below zero. Rows of a group that has base enough
// for all of them are not looked at. Scratch of one operator, on its thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

class BaseCheck {
 public:
  /// `rows`: of all its groups. What was found before is forgotten.
  void start_batch(size_t rows) {
    kept_.clear();
    refused_.clear();
    kept_.reserve(rows);  // spans of both stay valid
    refused_.reserve(rows);
  }
  /// True when some of `rows` (row numbers of `batch`, ascending) have no base in a group of this weight. kept() and
  /// refused() get one part of them each.
  bool find(const Batch& batch, std::span<const uint32_t> rows, int64_t weight) {
    if (weight >= static_cast<int64_t>(rows.size()) || !falls_below_zero(batch, rows, weight)) return false;
    for (const uint32_t row : rows) {
      const int change = weight_of(batch.op_at(row));
      const bool has_base = change > 0 || weight > 0;
      (has_base ? kept_ : refused_).push_back(row);
      if (has_base) weight += change;
    }
    return true;
  }

  /// Rows of the groups of this batch that have refused ones, group by group.
  std::span<const uint32_t> kept() const noexcept { return kept_; }
  std::span<const uint32_t> refused() const noexcept { return refused_; }

 private:
  static bool falls_below_zero(const Batch& batch, std::span<const uint32_t> rows, int64_t weight) {
    for (const uint32_t row : rows) {
      weight += weight_of(batch.op_at(row));
      if (weight < 0) return true;
    }
    return false;
  }

  std::vector<uint32_t> kept_;
  std::vector<uint32_t> refused_;
};

/// Code::data: this row of `batch` has no base. `group` names it ("aggregate 'a', key (1)"), `has_none` says what it
/// takes away from ("session that has no such row").
Status no_base_error(const std::string& group, std::string_view has_none, const Batch& batch, uint32_t row);

}  // namespace tidemark::core
