// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: one at a time.
#include "binlog_file/batch_fill.hpp"

#include <algorithm>
#include <numeric>

namespace tidemark::binlog_file {
namespace {

constexpr uint64_t kHeapBytesWanted = uint64_t{1} << 20;

binlog::DecodeError row_too_large(const TableProgram& table, uint64_t bytes) {
  return {binlog::ErrorKind::unsupported,
          "a row of " + table.map->full_name() + " takes " + std::to_string(bytes) +
              " bytes of text, more than a batch may hold",
          {},
          0,
          "raise the memory of the job, or leave the long columns out of it"};
}

binlog::DecodeError text_too_large(uint64_t bytes) {
  return {binlog::ErrorKind::unsupported,
          "a message of " + std::to_string(bytes) + " bytes does not fit into a batch",
          {},
          0,
          "raise the memory of the job"};
}

}  // namespace

binlog::Outcome<BatchFill::Result> BatchFill::fill(TableProgram& table, const binlog::RowsEvent& rows,
                                                   binlog::RowCursor& cursor, const RowContext& context) {
  while (true) {
    tidemark_batch* batch = output_.batch();
    if (batch == nullptr) return Result::no_credit;
    if (batch->problem_count == batch->problem_capacity) {
      submit();
      return Result::batch_full;
    }
    uint32_t origin = 0;
    if (!find_origin(table, context, origin)) {
      if (batch->rows == 0) return row_too_large(table, context.group->gtid_text.size() + context.file.size());
      submit();
      return Result::batch_full;
    }
    const uint32_t first = batch->rows;
    const uint32_t capacity = first + std::min(batch->row_capacity - first, rows_left_);
    binlog::RowOutput out{batch->columns,   batch->op,           first, capacity, batch->heap,
                          batch->heap_used, batch->heap_capacity};
    problems_.clear();
    out.problems = &problems_;
    out.absent = batch->absent;
    out.problem_capacity = batch->problem_capacity - batch->problem_count;
    auto state = table.program->decode(rows, cursor, out);
    if (!state) return std::move(state).error();
    std::fill(batch->event_time_us + first, batch->event_time_us + out.row, context.event_time_us);
    std::iota(batch->sequence + first, batch->sequence + out.row, *sequence_ + 1);
    std::fill(batch->origin + first, batch->origin + out.row, origin);
    const uint32_t written = out.row - first;
    batch->heap_used = out.heap_used;
    if (!write_problems(context)) return text_too_large(problems_.front().text.size());
    batch->rows = out.row;
    *sequence_ += written;
    rows_written_ += written;
    rows_left_ -= written;
    if (*state == binlog::FillState::event_done) return Result::event_done;
    if (*state == binlog::FillState::rows_full) {
      submit();
      return Result::batch_full;
    }
    const uint64_t bytes = table.program->heap_bytes_needed();
    if (!make_heap_room(*batch, bytes)) {
      if (batch->rows == 0) return row_too_large(table, bytes);
      submit();
      return Result::batch_full;
    }
  }
}

bool BatchFill::write_problems(const RowContext& context) {
  for (const binlog::RowProblem& problem : problems_) {
    const binlog::DecodeError located{
        binlog::ErrorKind::schema, problem.text, std::string(context.path), context.event_position, {}};
    const auto text = output_.put_bytes(located.to_string());
    if (!text) return false;
    const bool missing = problem.kind == binlog::ProblemKind::missing_column;
    tidemark_batch* batch = output_.batch();
    batch->problems[batch->problem_count++] = {problem.row, problem.rows,
                                               missing ? TIDEMARK_MISSING_COLUMN : TIDEMARK_UNDECODABLE, 0, *text};
  }
  return true;
}

bool BatchFill::make_heap_room(tidemark_batch& batch, uint64_t bytes) {
  if (batch.rows > 0 && batch.heap_used + bytes > kHeapBytesWanted) return false;
  return output_.grow_heap(bytes);
}

bool BatchFill::find_origin(const TableProgram& table, const RowContext& context, uint32_t& origin) {
  for (TableTexts& texts : texts_) {
    if (texts.map != table.map) continue;
    return take_origin(texts, context, origin);
  }
  const auto database = output_.put_bytes(table.map->database);
  const auto name = output_.put_bytes(table.map->table);
  if (!database || !name) return false;
  texts_.push_back({table.map, *database, *name, table.schema->version, kNoOrigin});
  return take_origin(texts_.back(), context, origin);
}

bool BatchFill::take_origin(TableTexts& texts, const RowContext& context, uint32_t& origin) {
  if (texts.origin == kNoOrigin) {
    const auto written = write_origin(texts, context);
    if (!written) return false;
    texts.origin = *written;
  }
  origin = texts.origin;
  return true;
}

std::optional<uint32_t> BatchFill::write_origin(const TableTexts& texts, const RowContext& context) {
  tidemark_batch* batch = output_.batch();
  if (batch->origin_count == batch->origin_capacity) return std::nullopt;
  if (!file_written_ || file_name_ != context.file) {
    const auto file = output_.put_bytes(context.file);
    if (!file) return std::nullopt;
    file_ = *file;
    file_name_ = context.file;
    file_written_ = true;
  }
  if (!gtid_written_) {
    const auto gtid = output_.put_bytes(context.group->gtid_text);
    if (!gtid) return std::nullopt;
    gtid_ = *gtid;
    gtid_written_ = true;
  }
  const uint32_t origin = batch->origin_count++;
  batch->origins[origin] = {gtid_,
                            file_,
                            texts.database,
                            texts.table,
                            context.group->position,
                            texts.schema_version,
                            context.group->commit_time_us};
  return origin;
}

binlog::Outcome<BatchFill::Result> BatchFill::fill_unread(const UnreadChange& change, const RowContext& context) {
  tidemark_batch* batch = output_.batch();
  if (batch == nullptr) return Result::no_credit;
  if (rows_left_ == 0) return Result::batch_full;
  const bool has_room = batch->rows < batch->row_capacity && batch->problem_count < batch->problem_capacity;
  std::optional<uint32_t> origin;
  std::optional<tidemark_slice> text;
  if (has_room) {
    const auto database = output_.put_bytes(change.database);
    const auto table = output_.put_bytes(change.table);
    text = output_.put_bytes(change.text);
    if (database && table && text) origin = write_origin({nullptr, *database, *table, 0, kNoOrigin}, context);
  }
  if (!origin) {
    if (batch->rows == 0) return text_too_large(change.text.size());
    submit();
    return Result::batch_full;
  }
  const uint32_t row = batch->rows++;
  batch->op[row] = change.truncates ? TIDEMARK_TRUNCATE : TIDEMARK_UNREAD;
  batch->event_time_us[row] = context.event_time_us;
  batch->sequence[row] = ++*sequence_;
  batch->origin[row] = *origin;
  ++rows_written_;
  --rows_left_;
  if (change.truncates) {
    submit();
    return Result::turn_over;
  }
  batch->problems[batch->problem_count++] = {row, 1, change.reason, 0, *text};
  return Result::event_done;
}

void BatchFill::end_group() {
  gtid_written_ = false;
  for (TableTexts& texts : texts_) texts.origin = kNoOrigin;
}

void BatchFill::submit() {
  output_.submit();
  texts_.clear();
  file_written_ = false;
  gtid_written_ = false;
}

}  // namespace tidemark::binlog_file
