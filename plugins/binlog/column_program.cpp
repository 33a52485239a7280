// SPDX-License-Identifier: Apache-2.0
// ColumnProgram: the loops that run row plans, and what becomes of rows with something wrong in them.
// Invariants are the header's. One thread at a time.
#include "binlog/column_program.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "binlog/column_conversion.hpp"
#include "binlog/json_conversion.hpp"
#include "binlog/row_plan.hpp"
#include "binlog/row_trouble.hpp"

namespace tidemark::binlog {

namespace {

enum class RowResult : uint8_t { ok, cut_short, heap_full, no_member };

// Of the after image being read: which JSON columns it changes in part, and the documents of the before image.
struct PartialImage {
  std::span<const uint8_t> partial;
  std::vector<std::optional<std::span<const uint8_t>>> documents;  // per JSON column of the table

  bool covers(const Step& step) const {
    return step.json_index != kNotJson && bit_set(partial, static_cast<uint32_t>(step.json_index));
  }
};

struct Trouble {
  TroubleKind kind = TroubleKind::none;
  int32_t target = kNoTarget;  // of missing columns: the plan's first
  bool operator==(const Trouble&) const = default;
};

const char* row_name(RowsKind kind) {
  return kind == RowsKind::write ? "an INSERT" : kind == RowsKind::update ? "an UPDATE" : "a DELETE";
}

}  // namespace

struct ColumnProgram::State {
  std::shared_ptr<const TableMap> map;
  uint32_t json_columns = 0;
  std::vector<TargetColumn> targets;
  std::vector<std::string> names;       // of the targets' columns, for errors
  std::vector<Conversion> conversions;  // one per target; convert is nullptr where source is -1
  std::vector<std::vector<int32_t>> targets_of_column;
  std::vector<std::unique_ptr<RowPlan>> plans;
  RowCounters counters;
  uint64_t heap_bytes_needed = 0;
  int32_t failed_target = kNoTarget;
  Trouble trouble;  // of the row or pair being read; the first counts
  PartialImage partial_image;

  const RowPlan& plan_for(std::span<const uint8_t> present);
  Trouble missing(const RowPlan& first, const RowPlan* second) const;
  DecodeError error_of(const Trouble& what, const RowPlan& first, const RowPlan* second, RowsKind kind) const;
  bool note_problem(const DecodeError& error, RowOutput& output, uint32_t rows) const;

  RowResult take(const Step& step, CellResult result, const RowOutput& output, uint32_t row);
  RowResult convert(const Step& step, const uint8_t* content, uint32_t size, const RowOutput& output, uint32_t row,
                    HeapWriter& heap);
  RowResult change(const Step& step, std::span<const uint8_t> diffs, const RowOutput& output, uint32_t row,
                   HeapWriter& heap);
  RowResult run(const RowPlan& plan, ImageBytes& image, const RowOutput& output, uint32_t row, HeapWriter& heap,
                const PartialImage* partial);
  RowResult run_dense(const RowPlan& plan, ImageBytes& image, const RowOutput& output, uint32_t row, HeapWriter& heap);
  RowResult run_sparse(const RowPlan& plan, const uint8_t* nulls, ImageBytes& image, const RowOutput& output,
                       uint32_t row, HeapWriter& heap, const PartialImage* partial);
  RowResult run_row(const RowsEvent& rows, const RowPlan& first, const RowPlan* second, ImageBytes& image,
                    const RowOutput& output, HeapWriter& heap);
  bool pass(const RowPlan& plan, ImageBytes& image, uint64_t* heap_bytes, const PartialImage* partial) const;
  bool pass_row(const RowsEvent& rows, const RowPlan& first, const RowPlan* second, ImageBytes& image,
                uint64_t* heap_bytes);
  bool open_after_image(const RowsEvent& rows, const RowPlan& first, ImageBytes before, ImageBytes& image,
                        const PartialImage*& partial);
  Outcome<FillState> fill(const RowsEvent& rows, const RowPlan& first, const RowPlan* second, RowCursor& cursor,
                          RowOutput& output);
  Outcome<FillState> measure(const RowsEvent& rows, ImageBytes image, const RowPlan& first, const RowPlan* second);
  void clear_rows(const RowOutput& output, uint32_t first, uint32_t count) const;
  static void mark_absent(const RowPlan& plan, const RowOutput& output, uint32_t row);
  DecodeError row_error(RowResult result) const;
};

const RowPlan& ColumnProgram::State::plan_for(std::span<const uint8_t> present) {
  for (const auto& plan : plans) {
    if (std::ranges::equal(plan->present, present)) return *plan;
  }
  plans.push_back(std::make_unique<RowPlan>(make_row_plan(*map, targets_of_column, present)));
  return *plans.back();
}

// What all rows of the event lack.
Trouble ColumnProgram::State::missing(const RowPlan& first, const RowPlan* second) const {
  if (!first.missing_targets.empty()) return {TroubleKind::missing_before, first.missing_targets.front()};
  if (second == nullptr || second->missing_targets.empty()) return {};
  return {TroubleKind::missing_after, second->missing_targets.front()};
}

DecodeError ColumnProgram::State::error_of(const Trouble& what, const RowPlan& first, const RowPlan* second,
                                           RowsKind kind) const {
  std::string columns;
  if (what.kind == TroubleKind::missing_before || what.kind == TroubleKind::missing_after) {
    const RowPlan& plan = what.kind == TroubleKind::missing_before ? first : *second;
    for (const int32_t target : plan.missing_targets) {
      if (!columns.empty()) columns += ", ";
      columns += names[static_cast<size_t>(target)];
    }
  } else {
    columns = names[static_cast<size_t>(what.target)];
  }
  return trouble_error(what.kind, columns, map->full_name(), row_name(kind));
}

// False = there is no room for another problem.
bool ColumnProgram::State::note_problem(const DecodeError& error, RowOutput& output, uint32_t rows) const {
  const bool missing_column = trouble.kind == TroubleKind::missing_before || trouble.kind == TroubleKind::missing_after;
  const ProblemKind kind = missing_column ? ProblemKind::missing_column : ProblemKind::undecodable;
  std::string text = error.text + "; " + error.remedy;
  auto& problems = *output.problems;
  if (!problems.empty()) {
    RowProblem& last = problems.back();
    if (last.row + last.rows == output.row && last.kind == kind && last.text == text) {
      last.rows += rows;
      return true;
    }
  }
  if (problems.size() >= output.problem_capacity) return false;
  problems.push_back({output.row, rows, kind, std::move(text)});
  return true;
}

RowResult ColumnProgram::State::take(const Step& step, CellResult result, const RowOutput& output, uint32_t row) {
  const tidemark_column& column = output.columns[static_cast<size_t>(step.target)];
  switch (result) {
    case CellResult::invalid_text:
      ++counters.invalid_text;
      [[fallthrough]];
    case CellResult::value:
      column.validity[row >> 3] = static_cast<uint8_t>(column.validity[row >> 3] | 1u << (row & 7));
      return RowResult::ok;
    case CellResult::zero_date:
      ++counters.zero_dates;
      return RowResult::ok;
    case CellResult::heap_full:
      return RowResult::heap_full;
    case CellResult::no_member:
      failed_target = step.target;
      return RowResult::no_member;
    case CellResult::undecodable:
      if (trouble.kind == TroubleKind::none) trouble = {TroubleKind::damaged, step.target};
      return RowResult::ok;
  }
  return RowResult::ok;
}

inline RowResult ColumnProgram::State::convert(const Step& step, const uint8_t* content, uint32_t size,
                                               const RowOutput& output, uint32_t row, HeapWriter& heap) {
  const auto target = static_cast<size_t>(step.target);
  const Conversion& conversion = conversions[target];
  const tidemark_column& column = output.columns[target];
  void* value = static_cast<char*>(column.values) + size_t{row} * conversion.value_bytes;
  const CellResult result = conversion.convert(conversion, content, size, value, heap);
  if (result != CellResult::value) return take(step, result, output, row);
  column.validity[row >> 3] = static_cast<uint8_t>(column.validity[row >> 3] | 1u << (row & 7));
  return RowResult::ok;
}

// A JSON document that the after image changes in part.
RowResult ColumnProgram::State::change(const Step& step, std::span<const uint8_t> diffs, const RowOutput& output,
                                       uint32_t row, HeapWriter& heap) {
  const auto target = static_cast<size_t>(step.target);
  const auto& document = partial_image.documents[static_cast<size_t>(step.json_index)];
  if (!document) {
    if (trouble.kind == TroubleKind::none) trouble = {TroubleKind::no_base, step.target};
    return RowResult::ok;
  }
  void* value = static_cast<char*>(output.columns[target].values) + size_t{row} * conversions[target].value_bytes;
  const CellResult result = convert_json_change({*document, diffs}, value, heap);
  if (result != CellResult::undecodable) return take(step, result, output, row);
  if (trouble.kind == TroubleKind::none) trouble = {TroubleKind::wrong_base, step.target};
  return RowResult::ok;
}

RowResult ColumnProgram::State::run_dense(const RowPlan& plan, ImageBytes& image, const RowOutput& output, uint32_t row,
                                          HeapWriter& heap) {
  for (const Step& step : plan.dense) {
    if (image.left() < step.skip_before) return RowResult::cut_short;
    image.at += step.skip_before;
    const uint8_t* content = nullptr;
    uint32_t size = 0;
    if (!cell_content(step, image, content, size)) return RowResult::cut_short;
    if (step.target != kNoTarget) {
      const RowResult result = convert(step, content, size, output, row, heap);
      if (result != RowResult::ok) return result;
    }
    if (step.moves_on) image.at = content + size;
  }
  if (image.left() < plan.tail_skip) return RowResult::cut_short;
  image.at += plan.tail_skip;
  return RowResult::ok;
}

RowResult ColumnProgram::State::run_sparse(const RowPlan& plan, const uint8_t* nulls, ImageBytes& image,
                                           const RowOutput& output, uint32_t row, HeapWriter& heap,
                                           const PartialImage* partial) {
  for (const Step& step : plan.sparse) {
    if (is_null(step, nulls)) continue;
    const uint8_t* content = nullptr;
    uint32_t size = 0;
    if (!cell_content(step, image, content, size)) return RowResult::cut_short;
    if (step.target != kNoTarget) {
      const bool changes = partial != nullptr && partial->covers(step);
      const RowResult result =
          changes ? change(step, {content, size}, output, row, heap) : convert(step, content, size, output, row, heap);
      if (result != RowResult::ok) return result;
    }
    if (step.moves_on) image.at = content + size;
  }
  return RowResult::ok;
}

RowResult ColumnProgram::State::run(const RowPlan& plan, ImageBytes& image, const RowOutput& output, uint32_t row,
                                    HeapWriter& heap, const PartialImage* partial) {
  if (image.left() < plan.null_bytes) return RowResult::cut_short;
  const uint8_t* nulls = image.at;
  image.at += plan.null_bytes;
  return partial != nullptr || plan.has_null(nulls) ? run_sparse(plan, nulls, image, output, row, heap, partial)
                                                    : run_dense(plan, image, output, row, heap);
}

// The row, or the pair, at the image's start.
RowResult ColumnProgram::State::run_row(const RowsEvent& rows, const RowPlan& first, const RowPlan* second,
                                        ImageBytes& image, const RowOutput& output, HeapWriter& heap) {
  const ImageBytes before = image;
  const RowResult result = run(first, image, output, output.row, heap, nullptr);
  if (second == nullptr || result != RowResult::ok) return result;
  const PartialImage* partial = nullptr;
  if (!open_after_image(rows, first, before, image, partial)) return RowResult::cut_short;
  return run(*second, image, output, output.row + 1, heap, partial);
}

// Moves over one image without converting; adds up the heap bytes it may take if asked for.
bool ColumnProgram::State::pass(const RowPlan& plan, ImageBytes& image, uint64_t* heap_bytes,
                                const PartialImage* partial) const {
  if (image.left() < plan.null_bytes) return false;
  const uint8_t* nulls = image.at;
  image.at += plan.null_bytes;
  for (const Step& step : plan.sparse) {
    if (is_null(step, nulls)) continue;
    const uint8_t* content = nullptr;
    uint32_t size = 0;
    if (!cell_content(step, image, content, size)) return false;
    if (heap_bytes != nullptr && step.target != kNoTarget) {
      const Conversion& conversion = conversions[static_cast<size_t>(step.target)];
      if (partial != nullptr && partial->covers(step)) {
        const auto& document = partial->documents[static_cast<size_t>(step.json_index)];
        if (document) *heap_bytes += json_change_heap_bytes({*document, {content, size}});
      } else if (conversion.heap_bytes != nullptr) {
        *heap_bytes += conversion.heap_bytes(conversion, content, size);
      } else {
        *heap_bytes += uint64_t{size} * conversion.heap_factor + conversion.heap_extra;
      }
    }
    if (step.moves_on) image.at = content + size;
  }
  return true;
}

bool ColumnProgram::State::pass_row(const RowsEvent& rows, const RowPlan& first, const RowPlan* second,
                                    ImageBytes& image, uint64_t* heap_bytes) {
  const ImageBytes before = image;
  if (!pass(first, image, heap_bytes, nullptr)) return false;
  if (second == nullptr) return true;
  const PartialImage* partial = nullptr;
  return open_after_image(rows, first, before, image, partial) && pass(*second, image, heap_bytes, partial);
}

// Reads what stands before the null bits of an after image. `partial` is set if it changes documents in part; `before`
// is the before image. False = damaged.
bool ColumnProgram::State::open_after_image(const RowsEvent& rows, const RowPlan& first, ImageBytes before,
                                            ImageBytes& image, const PartialImage*& partial) {
  if (!rows.partial_json) return true;
  const auto head = read_partial_head({image.at, image.end}, json_columns);
  if (!head) return false;
  image.at += head->size;
  if (head->partial.empty()) return true;
  partial_image.partial = head->partial;
  partial_image.documents.assign(json_columns, std::nullopt);
  const uint8_t* nulls = before.at;
  before.at += first.null_bytes;
  for (const Step& step : first.sparse) {
    if (is_null(step, nulls)) continue;
    const uint8_t* content = nullptr;
    uint32_t size = 0;
    if (!cell_content(step, before, content, size)) return false;
    if (step.json_index != kNotJson) {
      partial_image.documents[static_cast<size_t>(step.json_index)] = {content, size};
    }
    if (step.moves_on) before.at = content + size;
  }
  partial = &partial_image;
  return true;
}

// Takes back what a row that is not finished has set.
void ColumnProgram::State::clear_rows(const RowOutput& output, uint32_t first, uint32_t count) const {
  for (size_t t = 0; t < targets.size(); ++t) {
    for (uint32_t row = first; row < first + count; ++row) {
      uint8_t& byte = output.columns[t].validity[row >> 3];
      byte = static_cast<uint8_t>(byte & ~(1u << (row & 7)));
    }
  }
}

void ColumnProgram::State::mark_absent(const RowPlan& plan, const RowOutput& output, uint32_t row) {
  for (const int32_t target : plan.missing_targets) {
    uint8_t& byte = output.absent[target][row >> 3];
    byte = static_cast<uint8_t>(byte | 1u << (row & 7));
  }
}

DecodeError ColumnProgram::State::row_error(RowResult result) const {
  if (result == RowResult::no_member) {
    return {ErrorKind::schema,
            "a value of column " + names[static_cast<size_t>(failed_target)] + " of " + map->full_name() +
                " has no string in the schema",
            {},
            0,
            "the schema known for this table is not the one these rows were written with"};
  }
  return row_cut_short(map->full_name());
}

// The event's rows from the cursor on. `second`: the plan of after images, nullptr unless the event is an UPDATE.
Outcome<FillState> ColumnProgram::State::fill(const RowsEvent& rows, const RowPlan& first, const RowPlan* second,
                                              RowCursor& cursor, RowOutput& output) {
  const uint32_t images = second != nullptr ? 2 : 1;
  const auto op = static_cast<uint8_t>(second != nullptr              ? TIDEMARK_UPDATE_BEFORE
                                       : rows.kind == RowsKind::write ? TIDEMARK_INSERT
                                                                      : TIDEMARK_DELETE);
  const uint8_t* const start = rows.rows.data();
  const uint8_t* const end = start + rows.rows.size();
  HeapWriter heap{output.heap, output.heap_used,
                  std::min<uint64_t>(output.heap_capacity, std::numeric_limits<uint32_t>::max())};
  const Trouble of_all = output.absent != nullptr ? Trouble() : missing(first, second);
  while (cursor.offset < rows.rows.size()) {
    if (output.row_capacity - output.row < images) return FillState::rows_full;
    ImageBytes image{start + cursor.offset, end};
    const RowCounters counted = counters;
    trouble = of_all;
    const RowResult result = run_row(rows, first, second, image, output, heap);
    const bool troubled = trouble.kind != TroubleKind::none;
    const bool refused = troubled && output.problems == nullptr && result != RowResult::cut_short;
    bool no_room = false;
    if (result == RowResult::ok && troubled && !refused) {
      no_room = !note_problem(error_of(trouble, first, second, rows.kind), output, images);
    }
    if (result != RowResult::ok || refused || no_room) {
      clear_rows(output, output.row, images);
      counters = counted;
      if (no_room) return FillState::rows_full;
      if (refused) return error_of(trouble, first, second, rows.kind);
      if (result == RowResult::heap_full) return measure(rows, {start + cursor.offset, end}, first, second);
      return row_error(result);
    }
    output.heap_used = heap.used;
    if (output.absent != nullptr) {
      mark_absent(first, output, output.row);
      if (second != nullptr) mark_absent(*second, output, output.row + 1);
    }
    if (output.op != nullptr) {
      output.op[output.row] = op;
      if (second != nullptr) output.op[output.row + 1] = TIDEMARK_UPDATE_AFTER;
    }
    output.row += images;
    counters.rows += images;
    cursor.rows_done += images;
    cursor.offset = static_cast<size_t>(image.at - start);
  }
  return FillState::event_done;
}

// After heap_full: how much the next row or pair takes at most.
Outcome<FillState> ColumnProgram::State::measure(const RowsEvent& rows, ImageBytes image, const RowPlan& first,
                                                 const RowPlan* second) {
  heap_bytes_needed = 0;
  if (!pass_row(rows, first, second, image, &heap_bytes_needed)) return row_error(RowResult::cut_short);
  return FillState::heap_full;
}

ColumnProgram::ColumnProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
ColumnProgram::ColumnProgram(ColumnProgram&&) noexcept = default;
ColumnProgram& ColumnProgram::operator=(ColumnProgram&&) noexcept = default;
ColumnProgram::~ColumnProgram() = default;

Outcome<ColumnProgram> ColumnProgram::compile(std::shared_ptr<const TableMap> map, const TableSchema* schema,
                                              std::span<const TargetColumn> targets) {
  auto state = std::make_unique<State>();
  state->map = std::move(map);
  state->targets.assign(targets.begin(), targets.end());
  const TableMap& table = *state->map;
  state->json_columns = json_column_count(table);
  const auto fail = [&](ErrorKind kind, std::string text, std::string remedy) {
    return DecodeError{kind, "table " + state->map->full_name() + ": " + std::move(text), {}, 0, std::move(remedy)};
  };
  if (!table.undecodable.empty())
    return fail(ErrorKind::unsupported, table.undecodable, "leave the table out of the job");
  const auto facts = column_facts(table, schema);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].width_known()) {
      return fail(ErrorKind::unsupported,
                  "column " + facts[i].name + " (" + wire_type_name(table.columns[i].type) + ") cannot even be skipped",
                  "leave the table out of the job");
    }
  }
  state->targets_of_column.resize(table.columns.size());
  for (size_t t = 0; t < targets.size(); ++t) {
    state->names.emplace_back();
    state->conversions.emplace_back();
    if (targets[t].source < 0) continue;
    const auto column = static_cast<size_t>(targets[t].source);
    if (column >= table.columns.size()) {
      return fail(ErrorKind::schema,
                  "column " + std::to_string(column + 1) + " is wanted of " + std::to_string(table.columns.size()), {});
    }
    auto conversion = make_conversion(table.columns[column], facts[column], targets[t].type);
    if (!conversion) return fail(conversion.error().kind, conversion.error().text, conversion.error().remedy);
    state->names.back() = facts[column].name;
    state->conversions.back() = std::move(conversion).value();
    state->targets_of_column[column].push_back(static_cast<int32_t>(t));
  }
  return ColumnProgram(std::move(state));
}

Outcome<FillState> ColumnProgram::decode(const RowsEvent& rows, RowCursor& cursor, RowOutput& output) {
  // MINIMAL images come in many shapes; keep the number of plans bounded.
  constexpr size_t kPlansMax = 64;
  if (state_->plans.size() >= kPlansMax) state_->plans.clear();
  const RowPlan& first = state_->plan_for(rows.present);
  // An UPDATE may name no column in its after images; without any at all the number of rows is not told.
  if (first.present_count == 0) return rows_without_columns(state_->map->full_name());
  const RowPlan* const second = rows.kind == RowsKind::update ? &state_->plan_for(rows.present_after) : nullptr;
  return state_->fill(rows, first, second, cursor, output);
}

uint64_t ColumnProgram::heap_bytes_needed() const {
  return state_->heap_bytes_needed;
}

Outcome<uint64_t> ColumnProgram::skip(const RowsEvent& rows, RowCursor& cursor, uint64_t count) {
  const bool update = rows.kind == RowsKind::update;
  const RowPlan& first = state_->plan_for(rows.present);
  const RowPlan* const second = update ? &state_->plan_for(rows.present_after) : nullptr;
  uint64_t passed = 0;
  while (passed < count && cursor.offset < rows.rows.size()) {
    ImageBytes image{rows.rows.data() + cursor.offset, rows.rows.data() + rows.rows.size()};
    const bool whole = state_->pass_row(rows, first, second, image, nullptr);
    const auto offset = static_cast<size_t>(image.at - rows.rows.data());
    if (!whole || offset == cursor.offset) return state_->row_error(RowResult::cut_short);
    cursor.offset = offset;
    passed += update ? 2 : 1;
  }
  cursor.rows_done += passed;
  return passed;
}

const RowCounters& ColumnProgram::counters() const {
  return state_->counters;
}
const TableMap& ColumnProgram::table() const {
  return *state_->map;
}

}  // namespace tidemark::binlog
