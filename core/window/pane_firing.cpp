// SPDX-License-Identifier: Apache-2.0
//
// Collect, sort, write. Errors name aggregate, window and key, so that an overflow can be found in the data.
#include "core/window/pane_firing.hpp"

#include <algorithm>
#include <cstring>

#include "core/window/output_cell.hpp"
#include "core/window/tumbling.hpp"

namespace tidemark::core {
namespace {

constexpr uint32_t kWindowColumns = 2;  // window_start, window_end

ColumnInfo window_column(const char* name) {
  ColumnInfo info;
  info.name = name;
  info.type = ColumnType::timestamp;
  info.nullable = false;
  info.comment = "bound of the window";
  return info;
}

}  // namespace

PaneFiring::PaneFiring(const AggregateSpec& spec, const AccumulatorLayout& layout, const KeyCodec& codec)
    : spec_(spec), layout_(layout), codec_(codec) {
  auto output = std::make_shared<BatchLayout>();
  output->columns = {window_column("window_start"), window_column("window_end")};
  output->columns.insert(output->columns.end(), codec.columns().begin(), codec.columns().end());
  const std::vector<ColumnInfo>& results = layout.output_columns();
  output->columns.insert(output->columns.end(), results.begin(), results.end());
  output_layout_ = std::move(output);
}

Status PaneFiring::fire(Pane& pane, std::vector<FiredRows>& fired, Counts& counts) {
  collect(pane, counts);
  sort_by_key(entries_);
  for (size_t begin = 0; begin < entries_.size(); begin += kBatchRows) {
    const size_t end = std::min(entries_.size(), begin + kBatchRows);
    FiredRows rows;
    if (Status status = write(pane, begin, end, rows); !status) return status;
    fired.push_back(std::move(rows));
  }
  counts.results += entries_.size();
  for (uint32_t group = 0; group < kKeyGroups; ++group) {
    if (PaneTable* table = pane.find_table(group)) table->clear_pending();
  }
  pane.fired = true;
  pane.pending = false;
  return Status::ok();
}

void PaneFiring::collect(Pane& pane, Counts& counts) {
  entries_.clear();
  for (uint32_t group = 0; group < kKeyGroups; ++group) {
    PaneTable* table = pane.find_table(group);
    if (table == nullptr) continue;
    for (uint32_t entry = 0; entry < table->size(); ++entry) {
      if (pane.fired && !table->is_pending(entry)) continue;
      const std::byte* row = table->accumulators(entry);
      if (layout_.has_base(row)) {
        entries_.emplace_back(*table, entry);
      } else if (!layout_.is_neutral(row)) {
        ++counts.groups_without_base;
      }
    }
  }
}

Status PaneFiring::write(const Pane& pane, size_t begin, size_t end, FiredRows& out) const {
  const auto rows = static_cast<uint32_t>(end - begin);
  const auto first_result = static_cast<uint32_t>(kWindowColumns + codec_.columns().size());
  size_t key_bytes = 0;
  for (size_t i = begin; i < end; ++i) key_bytes += entries_[i].key.size();

  out.operator_id = spec_.operator_id;
  out.window_end = pane.end();
  out.window_start = tumbling_start(pane.end(), spec_.window.size_us);
  out.keys.reserve(key_bytes);
  out.key_ends.reserve(rows);
  auto batch = std::make_shared<Batch>(output_layout_, rows, key_bytes);
  for (uint32_t row = 0; row < rows; ++row) {
    const EntryRef& entry = entries_[begin + row];
    const std::string_view key = entry.key;
    batch->event_time_us[row] = fire_time(pane.end());
    batch->op[row] = static_cast<uint8_t>(Op::insert);
    batch->origin[row] = kNoOrigin;
    put_value(*batch, 0, row, out.window_start);
    put_value(*batch, 1, row, out.window_end);
    Status status = codec_.decode(key, *batch, kWindowColumns, row)
                        ? layout_.write_results(entry.accumulators(), *batch, first_result, row)
                        : Status(Code::overflow, "the keys of one batch of results exceed 4 GiB");
    if (!status) {
      return status.with_context("aggregate '" + spec_.id + "', window " + format_rfc3339(out.window_start) + " to " +
                                 format_rfc3339(out.window_end) + ", key " + codec_.describe(key));
    }
    out.keys.append(key);
    out.key_ends.push_back(static_cast<uint32_t>(out.keys.size()));
  }
  batch->rows = rows;
  out.rows = std::move(batch);
  return Status::ok();
}

}  // namespace tidemark::core
