// SPDX-License-Identifier: Apache-2.0
//
// Choose, write, evaluate. Without `having` and result columns groups are written straight into the results; with
// them first into a batch that the expressions are evaluated on. Errors name aggregate, window and key, so that an
// overflow can be found in the data.
#include "core/window/result_writer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/batch/cell_writer.hpp"
#include "core/window/window_times.hpp"

namespace tidemark::core {
namespace {

constexpr uint32_t kWindowColumns = 2;  // window_start, window_end

ColumnInfo info_of(const char* name, ColumnType type, bool nullable, const char* comment) {
  ColumnInfo info;
  info.name = name;
  info.type = type;
  info.nullable = nullable;
  info.comment = comment;
  return info;
}

Status no_room() {
  return Status(Code::overflow, "the texts of one batch of results exceed 4 GiB");
}

Status cannot_be_computed(const std::string& name) {
  return Status(Code::overflow, "column '" + name +
                                    "': the value cannot be computed, it outgrows its type; cast to a larger type, "
                                    "or make the window or the groups smaller");
}

}  // namespace

KeyCodec given_row_codec(const BatchLayout& output) {
  constexpr size_t kOwnColumns = 2;  // kind, revision
  std::vector<uint32_t> columns(output.columns.size() - kOwnColumns);
  std::iota(columns.begin(), columns.end(), 0U);
  return {columns, output};
}

ResultWriter::ResultWriter(const AggregateSpec& spec, const AccumulatorLayout& layout, const KeyCodec& codec)
    : spec_(spec), layout_(layout), codec_(codec), empty_row_(layout.width() / sizeof(uint64_t)) {
  layout_.init(reinterpret_cast<std::byte*>(empty_row_.data()));
}

Result<std::unique_ptr<ResultWriter>> ResultWriter::create(const AggregateSpec& spec, const AccumulatorLayout& layout,
                                                           const KeyCodec& codec) {
  auto made = std::make_unique<ResultWriter>(spec, layout, codec);
  Status status = made->compile();
  if (status) status = made->check_names();
  if (!status) return status.with_context("aggregate '" + spec.id + "'");
  return made;
}

Status ResultWriter::compile() {
  auto base = std::make_shared<BatchLayout>();
  const bool unbounded = spec_.window.kind == WindowKind::global;
  base->columns = {info_of("window_start", ColumnType::timestamp, unbounded, "bound of the window"),
                   info_of("window_end", ColumnType::timestamp, unbounded, "bound of the window")};
  if (spec_.window.zone != "UTC") {
    auto zone = TimeZone::load(spec_.window.zone);
    if (!zone) return zone.status();
    for (ColumnInfo& column : base->columns) column.zone = *zone;
  }
  for (size_t i = 0; i < codec_.columns().size(); ++i) {
    base->columns.push_back(codec_.columns()[i]);
    if (i < spec_.key_names.size()) base->columns.back().name = spec_.key_names[i];
  }
  first_result_ = static_cast<uint32_t>(base->columns.size());
  auto output = std::make_shared<BatchLayout>(*base);
  const std::vector<ColumnInfo>& columns = layout_.output_columns();
  base->columns.insert(base->columns.end(), columns.begin(), columns.end());
  if (!spec_.having.empty()) {
    auto made = ResultExpression::create("having", spec_.having, base->columns, ExpressionUse::condition);
    if (!made) return made.status().with_context("having");
    having_ = std::move(*made);
  }
  const std::vector<ColumnInfo> known = base->columns;
  for (const ResultColumn& result : spec_.results) {
    if (Status status = add_result(result, known, *base, *output); !status) return status;
  }
  if (spec_.results.empty()) output->columns = base->columns;
  if (spec_.can_fire_again()) {
    output->columns.push_back(info_of("kind", ColumnType::text, false, "which result of its window and key it is"));
    output->columns.push_back(info_of("revision", ColumnType::int64, false, "number of the result: 1, 2, ..."));
  }
  if (spec_.kept_result() == KeptResult::row) row_codec_ = given_row_codec(*output);
  base_layout_ = std::move(base);
  output_layout_ = std::move(output);
  return Status::ok();
}

// A name alone is taken as it is: expressions do not know every type that aggregates give.
Status ResultWriter::add_result(const ResultColumn& result, std::span<const ColumnInfo> known, BatchLayout& base,
                                BatchLayout& output) {
  ResultSource source;
  const auto same = std::find_if(known.begin(), known.end(), [&](const ColumnInfo& column) {
    return result.expression == "`" + column.name + "`";
  });
  if (same != known.end()) {
    source.column = static_cast<uint32_t>(same - known.begin());
    output.columns.push_back(*same);
    output.columns.back().name = result.name;
  } else {
    auto made = ResultExpression::create(result.name, result.expression, known, ExpressionUse::value);
    if (!made) return made.status().with_context("column '" + result.name + "'");
    source.column = static_cast<uint32_t>(base.columns.size());
    base.columns.push_back(made->info());
    output.columns.push_back(made->info());
    source.expression = std::move(*made);
  }
  results_.push_back(std::move(source));
  return Status::ok();
}

Status ResultWriter::check_names() const {
  std::vector<std::string> names;
  for (const ColumnInfo& column : output_layout_->columns) names.push_back(column.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return Status::ok();
  return Status(Code::config, "two result columns are named '" + *twice +
                                  "' (window_start, window_end, keys and columns share one list, with kind and "
                                  "revision where a window may give several results); rename one");
}

bool ResultWriter::has_result(const DueGroup& group, Counts& counts) const {
  if (group.accumulators == nullptr || layout_.is_neutral(group.accumulators)) return false;
  if (spec_.no_base == NoBase::delta || layout_.has_base(group.accumulators)) return true;
  ++counts.groups_without_base;
  return false;
}

Status ResultWriter::write(std::span<const DueGroup> groups, FiringKind kind, std::vector<FiredRows>& fired,
                           Counts& counts) {
  for (size_t begin = 0; begin < groups.size(); begin += kBatchRows) {
    const auto chunk = groups.subspan(begin, std::min<size_t>(kBatchRows, groups.size() - begin));
    if (Status status = write_chunk(chunk, kind, fired, counts); !status) return status;
  }
  return Status::ok();
}

Status ResultWriter::write_chunk(std::span<const DueGroup> groups, FiringKind kind, std::vector<FiredRows>& fired,
                                 Counts& counts) {
  rows_.clear();
  rows_.reserve(groups.size());
  for (const DueGroup& group : groups) {
    const bool has = has_result(group, counts);
    if (has || (group.emission != nullptr && group.emission->present)) rows_.push_back(Row{&group, !has});
    if (group.emission == nullptr) continue;
    group.emission->pending = false;
    group.emission->queued = false;
    group.emission->rows_since = 0;
  }
  std::shared_ptr<Batch> batch;
  if (is_shaped()) {
    auto shaped = shape();
    if (!shaped) return shaped.status();
    batch = std::move(*shaped);
  } else if (!rows_.empty()) {
    size_t key_bytes = 0;
    for (const Row& row : rows_) key_bytes += row.group->key.size();
    batch = std::make_shared<Batch>(output_layout_, static_cast<uint32_t>(rows_.size()), key_bytes);
    for (uint32_t at = 0; at < rows_.size(); ++at) {
      if (Status status = write_row(rows_[at], *batch, at); !status) return named(status, *rows_[at].group);
    }
  }
  if (rows_.empty()) return Status::ok();
  counts.results += rows_.size();
  FiredRows out;
  if (Status status = finish(kind, std::move(batch), out); !status)
    return status.with_context("aggregate '" + spec_.id + "'");
  fired.push_back(std::move(out));
  return Status::ok();
}

Status ResultWriter::write_row(const Row& row, Batch& out, uint32_t at) const {
  const TimeRange& window = row.group->window;
  if (spec_.window.kind != WindowKind::global) {
    put_value(out, 0, at, window.start);
    put_value(out, 1, at, window.end);
  }
  if (!codec_.decode(row.group->key, out, kWindowColumns, at)) return no_room();
  return write_values(row, out, at);
}

Status ResultWriter::write_values(const Row& row, Batch& out, uint32_t at) const {
  const std::byte* values =
      row.retracted ? reinterpret_cast<const std::byte*>(empty_row_.data()) : row.group->accumulators;
  return layout_.write_results(values, out, first_result_, at);
}

// Leaves in rows_ those that are in the batch.
Result<std::shared_ptr<Batch>> ResultWriter::shape() {
  const auto count = static_cast<uint32_t>(rows_.size());
  Batch base(base_layout_, std::max(count, 1U), 0);
  for (uint32_t at = 0; at < count; ++at) {
    if (Status status = write_row(rows_[at], base, at); !status) return named(status, *rows_[at].group);
  }
  base.rows = count;
  if (having_) {
    if (Status status = apply_having(base); !status) return status;
  }
  for (ResultSource& result : results_) {
    if (!result.expression) continue;
    result.expression->run(base);
    if (!result.expression->write(base, result.column)) return no_room();
  }
  auto out = std::make_shared<Batch>(output_layout_, std::max(count, 1U), base.heap_used);
  std::vector<Row> kept;
  for (uint32_t at = 0; at < count; ++at) {
    if (rows_[at].group == nullptr) continue;
    if (Status status = copy_row(base, at, *out, static_cast<uint32_t>(kept.size())); !status) {
      return named(status, *rows_[at].group);
    }
    kept.push_back(rows_[at]);
  }
  rows_.swap(kept);
  return out;
}

// Groups that do not satisfy it have no result: what they had is taken back, or their rows go.
Status ResultWriter::apply_having(Batch& base) {
  having_->run(base);
  for (uint32_t at = 0; at < rows_.size(); ++at) {
    Row& row = rows_[at];
    if (row.retracted || having_->is_true(at)) continue;
    if (having_->is_failed(at)) return named(cannot_be_computed("having"), *row.group);
    if (row.group->emission == nullptr || !row.group->emission->present) {
      row.group = nullptr;
      continue;
    }
    row.retracted = true;
    for (size_t column = first_result_; column < base.columns().size(); ++column) clear_value(base, column, at);
    if (Status status = write_values(row, base, at); !status) return named(status, *row.group);
  }
  return Status::ok();
}

Status ResultWriter::copy_row(const Batch& base, uint32_t from, Batch& out, uint32_t at) const {
  const auto copied = results_.empty() ? static_cast<uint32_t>(base.columns().size()) : first_result_;
  for (uint32_t column = 0; column < copied; ++column) {
    if (!copy_cell(base, column, from, out, column, at)) return no_room();
  }
  for (uint32_t i = 0; i < results_.size(); ++i) {
    const auto& [column, expression] = results_[i];
    if (expression && expression->is_failed(from) && !rows_[from].retracted) {
      return cannot_be_computed(expression->info().name);
    }
    if (!copy_cell(base, column, from, out, first_result_ + i, at)) return no_room();
  }
  return Status::ok();
}

Status ResultWriter::finish(FiringKind kind, std::shared_ptr<Batch> batch, FiredRows& out) {
  const auto count = static_cast<uint32_t>(rows_.size());
  const auto kind_column = static_cast<uint32_t>(output_layout_->columns.size() - 2);
  const TimeRange first = rows_.front().group->window;
  const bool same_window =
      std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.group->window == first; });
  out.operator_id = spec_.operator_id;
  out.window_start = first.start;
  out.window_end = first.end;
  out.immediate = kind == FiringKind::early || spec_.window.processing_time;
  size_t key_bytes = 0;
  for (const Row& row : rows_) key_bytes += row.group->key.size();
  out.keys.reserve(key_bytes);
  out.key_ends.reserve(count);
  for (uint32_t at = 0; at < count; ++at) {
    const Row& row = rows_[at];
    const DueGroup& group = *row.group;
    batch->event_time_us[at] = fire_time(group.window.end);
    batch->op[at] = static_cast<uint8_t>(row.retracted ? Op::remove : Op::insert);
    batch->origin[at] = kNoOrigin;
    if (group.emission != nullptr) {
      group.emission->present = !row.retracted;
      if (group.emission->revision < UINT32_MAX) ++group.emission->revision;
      const std::string_view name = kind_name(row.retracted ? FiringKind::retraction : kind);
      if (!put_text(*batch, kind_column, at, name)) return no_room();
      put_value(*batch, kind_column + 1, at, static_cast<int64_t>(group.emission->revision));
    }
    out.keys.append(group.key);
    out.key_ends.push_back(static_cast<uint32_t>(out.keys.size()));
    if (same_window) continue;
    out.window_starts.push_back(group.window.start);
    out.window_ends.push_back(group.window.end);
  }
  batch->rows = count;
  if (spec_.kept_result() == KeptResult::row) {
    if (Status status = keep_rows(*batch, out); !status) return status;
  }
  out.rows = std::move(batch);
  return Status::ok();
}

// Each row in place of the one that its group had.
Status ResultWriter::keep_rows(const Batch& batch, FiredRows& out) {
  std::vector<uint32_t> all(batch.rows);
  std::iota(all.begin(), all.end(), 0U);
  if (!row_codec_.encode(batch, all, row_bytes_)) return no_room();
  out.replaced.reserve(batch.rows);
  for (uint32_t at = 0; at < batch.rows; ++at) {
    std::string& given = *rows_[at].group->given_row;
    out.replaced.push_back(std::exchange(given, rows_[at].retracted ? std::string() : std::string(row_bytes_.at(at))));
  }
  return Status::ok();
}

Status ResultWriter::named(const Status& status, const DueGroup& group) const {
  const std::string window = spec_.window.kind == WindowKind::global ? std::string("global window")
                                                                     : "window " + format_rfc3339(group.window.start) +
                                                                           " to " + format_rfc3339(group.window.end);
  return status.with_context("aggregate '" + spec_.id + "', " + window + ", key " + codec_.describe(group.key));
}

}  // namespace tidemark::core
