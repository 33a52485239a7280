// SPDX-License-Identifier: Apache-2.0
//
// Each check first ORs over all rows without branches, and looks for the row to name only when something is
// wrong.
#include "core/plugin_host/batch_check.hpp"

#include <algorithm>
#include <string>

namespace tidemark::core {
namespace {

Status bad(const std::string& text) {
  return {Code::plugin, "the plugin submitted a batch whose " + text};
}

std::string at_row(uint32_t row) {
  return " in row " + std::to_string(row);
}

bool is_inside(Slice slice, uint64_t heap_used) {
  return uint64_t{slice.offset} + slice.size <= heap_used;
}

Status check_counts(const tidemark_batch& lent, const Batch& batch) {
  if (lent.rows > batch.row_capacity()) {
    return bad("row count " + std::to_string(lent.rows) + " exceeds its capacity of " +
               std::to_string(batch.row_capacity()));
  }
  if (lent.heap_used > batch.heap_capacity()) {
    return bad("heap use of " + std::to_string(lent.heap_used) + " bytes exceeds its capacity of " +
               std::to_string(batch.heap_capacity()));
  }
  if (lent.origin_count > batch.row_capacity()) {
    return bad("origin count " + std::to_string(lent.origin_count) + " exceeds its capacity of " +
               std::to_string(batch.row_capacity()));
  }
  if (lent.problem_count > batch.problem_capacity()) {
    return bad("problem count " + std::to_string(lent.problem_count) + " exceeds its capacity of " +
               std::to_string(batch.problem_capacity()));
  }
  if (lent.split != batch.split) {
    return bad("split was changed to " + std::to_string(lent.split));
  }
  return {};
}

/// Rows that have columns: without the truncate at the end.
uint32_t data_rows(const tidemark_batch& lent, const Batch& batch) {
  return lent.rows - (batch.op[lent.rows - 1] == TIDEMARK_TRUNCATE ? 1 : 0);
}

Status check_ops(const tidemark_batch& lent, const Batch& batch, bool truncates) {
  const uint8_t* const op = batch.op;
  unsigned wrong = 0;
  const uint32_t rows = truncates ? data_rows(lent, batch) : lent.rows;
  for (uint32_t i = 0; i < rows; ++i) wrong |= static_cast<unsigned>(static_cast<uint8_t>(op[i] - 1) > 4);
  // The two halves of an update are neighbours: a before is followed by an after, and no after stands alone.
  unsigned unpaired = static_cast<unsigned>(op[0] == TIDEMARK_UPDATE_AFTER) |
                      static_cast<unsigned>(op[lent.rows - 1] == TIDEMARK_UPDATE_BEFORE);
  for (uint32_t i = 1; i < lent.rows; ++i) {
    unpaired |= static_cast<unsigned>((op[i - 1] == TIDEMARK_UPDATE_BEFORE) != (op[i] == TIDEMARK_UPDATE_AFTER));
  }
  if (wrong != 0) {
    uint32_t row = 0;
    while (op[row] >= 1 && op[row] <= 5) ++row;
    return bad("row kind is " + std::to_string(op[row]) + at_row(row) +
               (op[row] == TIDEMARK_TRUNCATE ? ", which is not asked for, or not in the last row" : ""));
  }
  return unpaired == 0 ? Status() : bad("update_before and update_after rows do not stand in pairs");
}

Status check_sequence(const tidemark_batch& lent, const Batch& batch, bool any_before, uint64_t last_sequence) {
  const uint64_t* const sequence = batch.sequence;
  unsigned wrong = static_cast<unsigned>(any_before && sequence[0] <= last_sequence);
  for (uint32_t i = 1; i < lent.rows; ++i) wrong |= static_cast<unsigned>(sequence[i] <= sequence[i - 1]);
  return wrong == 0 ? Status() : bad("sequence numbers do not increase strictly");
}

Status check_origins(const tidemark_batch& lent, const Batch& batch) {
  unsigned wrong = 0;
  for (uint32_t i = 0; i < lent.rows; ++i) {
    wrong |= static_cast<unsigned>(batch.origin[i] >= lent.origin_count) &
             static_cast<unsigned>(batch.origin[i] != kNoOrigin);
  }
  for (uint32_t i = 0; i < lent.origin_count; ++i) {
    const Origin& origin = batch.origins[i];
    for (const Slice slice : {origin.gtid, origin.file, origin.database, origin.table}) {
      wrong |= static_cast<unsigned>(!is_inside(slice, lent.heap_used));
    }
  }
  return wrong == 0 ? Status() : bad("origins lie outside it");
}

/// Runs in order, inside the batch, an update's two rows in one run, and every unread change in one.
Status check_problems(const tidemark_batch& lent, const Batch& batch) {
  uint32_t next = 0;  // the first row that no run so far covers
  for (uint32_t i = 0; i < lent.problem_count; ++i) {
    const RowProblem& problem = batch.problems[i];
    const auto reason = static_cast<uint32_t>(problem.reason);
    if (problem.row < next || problem.rows == 0 || uint64_t{problem.row} + problem.rows > lent.rows) {
      return bad("problems are not runs of its rows in ascending order");
    }
    next = problem.row + problem.rows;
    if (reason < TIDEMARK_MISSING_COLUMN || reason > TIDEMARK_STATEMENT) {
      return bad("problem has the unknown reason " + std::to_string(reason) + at_row(problem.row));
    }
    if (!is_inside(problem.text, lent.heap_used)) return bad("problem has its text outside the heap");
    if (batch.op[problem.row] == TIDEMARK_UPDATE_AFTER || batch.op[next - 1] == TIDEMARK_UPDATE_BEFORE) {
      return bad("problem covers one row of an update alone" + at_row(problem.row));
    }
    if (batch.op[next - 1] == TIDEMARK_TRUNCATE) return bad("problem covers its truncate row");
  }
  return {};
}

Status check_unread(const tidemark_batch& lent, const Batch& batch) {
  unsigned any = 0;
  for (uint32_t row = 0; row < lent.rows; ++row) any |= static_cast<unsigned>(batch.op[row] == TIDEMARK_UNREAD);
  if (any == 0) return {};
  uint32_t problem = 0;
  for (uint32_t row = 0; row < lent.rows; ++row) {
    if (batch.op[row] != TIDEMARK_UNREAD) continue;
    while (problem < lent.problem_count && batch.problems[problem].row + batch.problems[problem].rows <= row) ++problem;
    if (problem == lent.problem_count || batch.problems[problem].row > row) {
      return bad("unread change has no problem that says why" + at_row(row));
    }
  }
  return {};
}

/// ORs `wrong_at(row)` over the valid rows; whole bytes of validity go without tests per row.
template <typename WrongAt>
bool any_valid_row(const Column& column, uint32_t rows, WrongAt wrong_at) {
  unsigned wrong = 0;
  for (uint32_t first = 0; first < rows; first += 8) {
    const unsigned bits = column.validity[first >> 3];
    const uint32_t last = std::min(rows, first + 8);
    if (bits == 0xff) {
      for (uint32_t row = first; row < last; ++row) wrong |= static_cast<unsigned>(wrong_at(row));
    } else if (bits != 0) {
      for (uint32_t row = first; row < last; ++row) {
        wrong |= (bits >> (row - first) & 1u) & static_cast<unsigned>(wrong_at(row));
      }
    }
  }
  return wrong != 0;
}

bool has_null(const Column& column, uint32_t rows) {
  unsigned valid = 0xff;
  for (uint32_t i = 0; i < rows / 8; ++i) valid &= column.validity[i];
  const unsigned rest = (1u << rows % 8) - 1;
  return valid != 0xff || (rest != 0 && (column.validity[rows / 8] & rest) != rest);
}

/// NULLs outside of the problems, whose rows may lack anything, and where the image has no such column.
bool has_unexplained_null(size_t index, const tidemark_batch& lent, const Batch& batch) {
  const Column& column = batch.column(index);
  const uint32_t rows = data_rows(lent, batch);
  if (!has_null(column, rows)) return false;
  const bool may_be_absent = !batch.absent().empty();
  uint32_t row = 0;
  for (uint32_t i = 0; i <= lent.problem_count; ++i) {
    const uint32_t end = i < lent.problem_count ? batch.problems[i].row : rows;
    for (; row < end; ++row) {
      if (!column.is_valid(row) && !(may_be_absent && batch.is_absent(index, row))) return true;
    }
    if (i < lent.problem_count) row = end + batch.problems[i].rows;
  }
  return false;
}

Status check_column(const tidemark_batch& lent, const Batch& batch, size_t index) {
  const ColumnInfo& info = batch.layout().columns[index];
  const Column& column = batch.column(index);
  const char* wrong = nullptr;
  if (is_variable_width(info.type)) {
    const auto* const slices = column.as<Slice>();
    if (any_valid_row(column, lent.rows, [&](uint32_t row) { return !is_inside(slices[row], lent.heap_used); })) {
      wrong = "has bytes outside the heap";
    }
  } else if (info.type == ColumnType::boolean) {
    const auto* const values = column.as<uint8_t>();
    if (any_valid_row(column, lent.rows, [&](uint32_t row) { return values[row] > 1; })) {
      wrong = "has booleans that are neither 0 nor 1";
    }
  }
  if (wrong == nullptr && !batch.absent().empty() &&
      any_valid_row(column, lent.rows, [&](uint32_t row) { return batch.is_absent(index, row); })) {
    wrong = "has values in rows whose images are said not to hold it";
  }
  if (wrong == nullptr && !info.nullable && has_unexplained_null(index, lent, batch)) {
    wrong = "has NULLs, though the schema says it has none";
  }
  return wrong == nullptr ? Status() : bad("column '" + info.name + "' " + wrong);
}

}  // namespace

Status check_batch(const tidemark_batch& lent, const Batch& batch, const BatchExpectation& expected) {
  if (Status status = check_counts(lent, batch); !status) return status;
  if (lent.rows == 0) return {};
  if (Status status = check_ops(lent, batch, expected.truncates); !status) return status;
  if (Status status = check_sequence(lent, batch, expected.any_before, expected.last_sequence); !status) return status;
  if (Status status = check_origins(lent, batch); !status) return status;
  if (Status status = check_problems(lent, batch); !status) return status;
  if (Status status = check_unread(lent, batch); !status) return status;
  for (size_t i = 0; i < batch.layout().delivered(); ++i) {
    if (Status status = check_column(lent, batch, i); !status) return status;
  }
  return {};
}

}  // namespace tidemark::core
