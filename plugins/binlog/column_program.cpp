// SPDX-License-Identifier: Apache-2.0
// ColumnProgram: plans per image shape (bitmap of present columns) and the loops that run them. A plan has two forms:
// dense, for rows without NULL, where runs of unneeded fixed-width columns are one pointer bump, and sparse.
// Invariants are the header's. One thread at a time.
#include "binlog/column_program.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "binlog/byte_cursor.hpp"
#include "binlog/column_conversion.hpp"

namespace tidemark::binlog {

namespace {

constexpr int32_t kSkip = -1;

// One cell to pass over, perhaps converting it. Several targets may want one cell: all but the last do not move on.
struct Step {
  uint32_t skip_before = 0;  // dense plans: bytes of unneeded columns
  uint32_t fixed_width = 0;
  uint8_t prefix_bytes = 0;
  bool moves_on = true;
  int32_t target = kSkip;
  uint32_t null_bit = 0;
};

struct Plan {
  std::vector<uint8_t> present;
  uint32_t present_count = 0;
  uint32_t null_bytes = 0;
  uint8_t last_null_mask = 0;  // the bits of the last byte that mean columns
  std::vector<Step> dense;
  std::vector<Step> sparse;
  uint32_t tail_skip = 0;          // dense: after the last step
  int32_t missing_target = kSkip;  // a target whose column is not in the image
};

enum class RowResult : uint8_t { ok, cut_short, heap_full, no_member };

struct Image {
  const uint8_t* at;
  const uint8_t* end;
};

inline uint32_t load_prefix(const uint8_t* at, uint32_t bytes) {
  switch (bytes) {
    case 1:
      return at[0];
    case 2:
      return static_cast<uint32_t>(at[0] | at[1] << 8);
    default:
      return static_cast<uint32_t>(load_le(at, bytes));
  }
}

// Splits the cell at image.at into content and size; false if it does not fit.
inline bool cell_content(const Step& step, const Image& image, const uint8_t*& content, uint32_t& size) {
  const auto left = static_cast<size_t>(image.end - image.at);
  if (step.prefix_bytes == 0) {
    content = image.at;
    size = step.fixed_width;
    return left >= size;
  }
  if (left < step.prefix_bytes) return false;
  size = load_prefix(image.at, step.prefix_bytes);
  content = image.at + step.prefix_bytes;
  return left - step.prefix_bytes >= size;
}

}  // namespace

struct ColumnProgram::State {
  std::shared_ptr<const TableMap> map;
  std::vector<TargetColumn> targets;
  std::vector<std::string> names;       // of the targets' columns, for errors
  std::vector<Conversion> conversions;  // one per target; convert is nullptr where source is -1
  std::vector<std::vector<int32_t>> targets_of_column;
  std::vector<std::unique_ptr<Plan>> plans;
  RowCounters counters;
  uint64_t heap_bytes_needed = 0;
  int32_t failed_target = kSkip;

  std::string table_name() const { return map->database + "." + map->table; }
  const Plan& plan_for(std::span<const uint8_t> present);
  std::unique_ptr<Plan> make_plan(std::span<const uint8_t> present) const;
  void append_column(Plan& plan, uint32_t column, uint32_t null_bit, uint32_t& pending_skip) const;
  Checked check_plan(const Plan& plan, RowsKind kind) const;
  bool has_null(const Plan& plan, const uint8_t* nulls) const;

  RowResult convert(const Step& step, const uint8_t* content, uint32_t size, const RowOutput& output, uint32_t row,
                    HeapWriter& heap);
  RowResult run(const Plan& plan, Image& image, const RowOutput& output, uint32_t row, HeapWriter& heap);
  RowResult run_dense(const Plan& plan, Image& image, const RowOutput& output, uint32_t row, HeapWriter& heap);
  RowResult run_sparse(const Plan& plan, const uint8_t* nulls, Image& image, const RowOutput& output, uint32_t row,
                       HeapWriter& heap);
  bool pass(const Plan& plan, Image& image, uint64_t* heap_bytes) const;
  Outcome<FillState> fill(const RowsEvent& rows, const Plan& first, const Plan* second, RowCursor& cursor,
                          RowOutput& output);
  Outcome<FillState> measure(Image image, const Plan& first, const Plan* second);
  void clear_rows(const RowOutput& output, uint32_t first, uint32_t count) const;
  DecodeError row_error(RowResult result) const;
};

void ColumnProgram::State::append_column(Plan& plan, uint32_t column, uint32_t null_bit, uint32_t& pending_skip) const {
  const ColumnType& type = map->columns[column];
  Step step;
  step.fixed_width = type.fixed_width;
  step.prefix_bytes = type.prefix_bytes;
  step.null_bit = null_bit;
  const auto& wanted = targets_of_column[column];
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

std::unique_ptr<Plan> ColumnProgram::State::make_plan(std::span<const uint8_t> present) const {
  auto plan = std::make_unique<Plan>();
  plan->present.assign(present.begin(), present.end());
  uint32_t pending_skip = 0;
  for (uint32_t i = 0; i < map->columns.size(); ++i) {
    if (bit_set(present, i)) append_column(*plan, i, plan->present_count++, pending_skip);
  }
  plan->tail_skip = pending_skip;
  plan->null_bytes = (plan->present_count + 7) / 8;
  const uint32_t last_bits = plan->present_count % 8;
  plan->last_null_mask = last_bits == 0 ? uint8_t{0xff} : static_cast<uint8_t>((1u << last_bits) - 1);
  for (size_t t = 0; t < targets.size(); ++t) {
    const int32_t source = targets[t].source;
    if (source >= 0 && !bit_set(present, static_cast<uint32_t>(source))) plan->missing_target = static_cast<int32_t>(t);
  }
  return plan;
}

const Plan& ColumnProgram::State::plan_for(std::span<const uint8_t> present) {
  for (const auto& plan : plans) {
    if (std::ranges::equal(plan->present, present)) return *plan;
  }
  plans.push_back(make_plan(present));
  return *plans.back();
}

Checked ColumnProgram::State::check_plan(const Plan& plan, RowsKind kind) const {
  if (plan.present_count == 0) {
    return DecodeError{ErrorKind::unsupported,
                       "rows of " + table_name() + " hold no column at all",
                       {},
                       0,
                       "set binlog_row_image=FULL on the source"};
  }
  if (plan.missing_target == kSkip) return Done{};
  const char* what = kind == RowsKind::write ? "an INSERT" : kind == RowsKind::update ? "an UPDATE" : "a DELETE";
  return DecodeError{ErrorKind::schema,
                     "column " + names[static_cast<size_t>(plan.missing_target)] + " of " + table_name() +
                         " is needed but absent from the row image of " + what,
                     {},
                     0,
                     "set binlog_row_image=FULL on the source (sessions can override it)"};
}

bool ColumnProgram::State::has_null(const Plan& plan, const uint8_t* nulls) const {
  const uint32_t last = plan.null_bytes - 1;
  uint32_t any = nulls[last] & plan.last_null_mask;  // the bits behind it are set by some servers
  for (uint32_t i = 0; i < last; ++i) any |= nulls[i];
  return any != 0;
}

inline RowResult ColumnProgram::State::convert(const Step& step, const uint8_t* content, uint32_t size,
                                               const RowOutput& output, uint32_t row, HeapWriter& heap) {
  const auto target = static_cast<size_t>(step.target);
  const Conversion& conversion = conversions[target];
  const tidemark_column& column = output.columns[target];
  void* value = static_cast<char*>(column.values) + size_t{row} * conversion.value_bytes;
  switch (conversion.convert(conversion, content, size, value, heap)) {
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
  }
  return RowResult::ok;
}

RowResult ColumnProgram::State::run_dense(const Plan& plan, Image& image, const RowOutput& output, uint32_t row,
                                          HeapWriter& heap) {
  for (const Step& step : plan.dense) {
    if (static_cast<size_t>(image.end - image.at) < step.skip_before) return RowResult::cut_short;
    image.at += step.skip_before;
    const uint8_t* content = nullptr;
    uint32_t size = 0;
    if (!cell_content(step, image, content, size)) return RowResult::cut_short;
    if (step.target != kSkip) {
      const RowResult result = convert(step, content, size, output, row, heap);
      if (result != RowResult::ok) return result;
    }
    if (step.moves_on) image.at = content + size;
  }
  if (static_cast<size_t>(image.end - image.at) < plan.tail_skip) return RowResult::cut_short;
  image.at += plan.tail_skip;
  return RowResult::ok;
}

RowResult ColumnProgram::State::run_sparse(const Plan& plan, const uint8_t* nulls, Image& image,
                                           const RowOutput& output, uint32_t row, HeapWriter& heap) {
  for (const Step& step : plan.sparse) {
    if ((nulls[step.null_bit >> 3] >> (step.null_bit & 7) & 1) != 0) continue;
    const uint8_t* content = nullptr;
    uint32_t size = 0;
    if (!cell_content(step, image, content, size)) return RowResult::cut_short;
    if (step.target != kSkip) {
      const RowResult result = convert(step, content, size, output, row, heap);
      if (result != RowResult::ok) return result;
    }
    if (step.moves_on) image.at = content + size;
  }
  return RowResult::ok;
}

RowResult ColumnProgram::State::run(const Plan& plan, Image& image, const RowOutput& output, uint32_t row,
                                    HeapWriter& heap) {
  if (static_cast<size_t>(image.end - image.at) < plan.null_bytes) return RowResult::cut_short;
  const uint8_t* nulls = image.at;
  image.at += plan.null_bytes;
  return has_null(plan, nulls) ? run_sparse(plan, nulls, image, output, row, heap)
                               : run_dense(plan, image, output, row, heap);
}

// Moves over one image without converting; adds up the heap bytes it may take if asked for.
bool ColumnProgram::State::pass(const Plan& plan, Image& image, uint64_t* heap_bytes) const {
  if (static_cast<size_t>(image.end - image.at) < plan.null_bytes) return false;
  const uint8_t* nulls = image.at;
  image.at += plan.null_bytes;
  for (const Step& step : plan.sparse) {
    if ((nulls[step.null_bit >> 3] >> (step.null_bit & 7) & 1) != 0) continue;
    const uint8_t* content = nullptr;
    uint32_t size = 0;
    if (!cell_content(step, image, content, size)) return false;
    if (heap_bytes != nullptr && step.target != kSkip) {
      const Conversion& conversion = conversions[static_cast<size_t>(step.target)];
      *heap_bytes += uint64_t{size} * conversion.heap_factor + conversion.heap_extra;
    }
    if (step.moves_on) image.at = content + size;
  }
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

DecodeError ColumnProgram::State::row_error(RowResult result) const {
  if (result == RowResult::no_member) {
    return {ErrorKind::schema,
            "a value of column " + names[static_cast<size_t>(failed_target)] + " of " + table_name() +
                " has no string in the schema",
            {},
            0,
            "the schema known for this table is not the one these rows were written with"};
  }
  return {ErrorKind::corrupt,
          "a row of " + table_name() + " does not add up to its event's body",
          {},
          0,
          "TIME, DATETIME or TIMESTAMP columns with fractions in MariaDB's old format cause this: "
          "ALTER TABLE ... FORCE with mysql56_temporal_format=ON"};
}

// The event's rows from the cursor on. `second`: the plan of after images, nullptr unless the event is an UPDATE.
Outcome<FillState> ColumnProgram::State::fill(const RowsEvent& rows, const Plan& first, const Plan* second,
                                              RowCursor& cursor, RowOutput& output) {
  const uint32_t images = second != nullptr ? 2 : 1;
  const auto op = static_cast<uint8_t>(second != nullptr              ? TIDEMARK_UPDATE_BEFORE
                                       : rows.kind == RowsKind::write ? TIDEMARK_INSERT
                                                                      : TIDEMARK_DELETE);
  const uint8_t* const start = rows.rows.data();
  const uint8_t* const end = start + rows.rows.size();
  HeapWriter heap{output.heap, output.heap_used,
                  std::min<uint64_t>(output.heap_capacity, std::numeric_limits<uint32_t>::max())};
  while (cursor.offset < rows.rows.size()) {
    if (output.row_capacity - output.row < images) return FillState::rows_full;
    Image image{start + cursor.offset, end};
    const uint64_t zero_dates = counters.zero_dates;
    RowResult result = run(first, image, output, output.row, heap);
    if (second != nullptr && result == RowResult::ok) result = run(*second, image, output, output.row + 1, heap);
    if (result != RowResult::ok) {
      clear_rows(output, output.row, images);
      counters.zero_dates = zero_dates;
      if (result != RowResult::heap_full) return row_error(result);
      return measure({start + cursor.offset, end}, first, second);
    }
    output.heap_used = heap.used;
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
Outcome<FillState> ColumnProgram::State::measure(Image image, const Plan& first, const Plan* second) {
  heap_bytes_needed = 0;
  const bool whole =
      pass(first, image, &heap_bytes_needed) && (second == nullptr || pass(*second, image, &heap_bytes_needed));
  if (!whole) return row_error(RowResult::cut_short);
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
  const auto fail = [&](ErrorKind kind, std::string text, std::string remedy) {
    return DecodeError{kind, "table " + state->table_name() + ": " + std::move(text), {}, 0, std::move(remedy)};
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
  if (cursor.offset == rows.rows.size()) return FillState::event_done;
  const Plan& first = state_->plan_for(rows.present);
  if (auto done = state_->check_plan(first, rows.kind); !done) return std::move(done).error();
  if (rows.kind != RowsKind::update) return state_->fill(rows, first, nullptr, cursor, output);
  const Plan& second = state_->plan_for(rows.present_after);
  if (auto done = state_->check_plan(second, rows.kind); !done) return std::move(done).error();
  return state_->fill(rows, first, &second, cursor, output);
}

uint64_t ColumnProgram::heap_bytes_needed() const {
  return state_->heap_bytes_needed;
}

Outcome<uint64_t> ColumnProgram::skip(const RowsEvent& rows, RowCursor& cursor, uint64_t count) {
  const bool update = rows.kind == RowsKind::update;
  uint64_t passed = 0;
  while (passed < count && cursor.offset < rows.rows.size()) {
    Image image{rows.rows.data() + cursor.offset, rows.rows.data() + rows.rows.size()};
    bool whole = state_->pass(state_->plan_for(rows.present), image, nullptr);
    if (update && whole) whole = state_->pass(state_->plan_for(rows.present_after), image, nullptr);
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
