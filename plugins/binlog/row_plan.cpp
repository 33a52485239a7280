// SPDX-License-Identifier: Apache-2.0
// Makes row plans. No state; any thread.
#include "binlog/row_plan.hpp"

#include <utility>

namespace tidemark::binlog {

namespace {

void append_column(RowPlan& plan, const ColumnType& type, int32_t json_index, std::span<const int32_t> wanted,
                   uint32_t& pending_skip) {
  Step step;
  step.fixed_width = type.fixed_width;
  step.prefix_bytes = type.prefix_bytes;
  step.null_bit = plan.present_count++;
  step.json_index = json_index;
  if (wanted.empty()) {
    plan.sparse.push_back(step);
    if (type.prefix_bytes == 0) {
      pending_skip += type.fixed_width;
      return;
    }
    step.skip_before = std::exchange(pending_skip, 0);
    plan.dense.push_back(step);
    return;
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    step.target = wanted[i];
    step.moves_on = i + 1 == wanted.size();
    step.skip_before = 0;
    plan.sparse.push_back(step);
    step.skip_before = std::exchange(pending_skip, 0);
    plan.dense.push_back(step);
  }
}

}  // namespace

RowPlan make_row_plan(const TableMap& map, std::span<const std::vector<int32_t>> targets_of_column,
                      std::span<const uint8_t> present) {
  RowPlan plan;
  plan.present.assign(present.begin(), present.end());
  uint32_t pending_skip = 0;
  int32_t json_columns = 0;
  for (uint32_t i = 0; i < map.columns.size(); ++i) {
    const int32_t json_index = map.columns[i].type == WireType::json ? json_columns++ : kNotJson;
    const auto& wanted = targets_of_column[i];
    if (bit_set(present, i)) {
      append_column(plan, map.columns[i], json_index, wanted, pending_skip);
    } else {
      plan.missing_targets.insert(plan.missing_targets.end(), wanted.begin(), wanted.end());
    }
  }
  plan.tail_skip = pending_skip;
  plan.null_bytes = (plan.present_count + 7) / 8;
  const uint32_t last_bits = plan.present_count % 8;
  plan.last_null_mask = last_bits == 0 ? uint8_t{0xff} : static_cast<uint8_t>((1u << last_bits) - 1);
  return plan;
}

}  // namespace tidemark::binlog
