// SPDX-License-Identifier: Apache-2.0
//
// Conditions work on words of 64 rows; only rows that are left out are looked at one by one.
#include "core/ingest/row_program.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "core/expression/column_writer.hpp"

namespace tidemark::core {
namespace {

size_t words_for(uint32_t rows) {
  return (rows + 63) / 64;
}

uint64_t last_word_mask(uint32_t rows) {
  return rows % 64 == 0 ? ~uint64_t{0} : (uint64_t{1} << rows % 64) - 1;
}

void fill_text(Batch& batch, uint32_t column, Slice slice) {
  const Column& out = batch.mutable_columns()[column];
  std::fill_n(static_cast<Slice*>(out.values), batch.rows, slice);
  std::memset(out.validity, 0xff, (batch.rows + 7) / 8);
}

bool write_shard(Batch& batch, uint32_t column, std::string_view shard) {
  const std::optional<Slice> slice = batch.put_on_heap(shard);
  if (slice) fill_text(batch, column, *slice);
  return slice.has_value();
}

// NULL where a source does not say.
void write_origin(Batch& batch, uint32_t column, Slice Origin::*part) {
  Column& out = batch.mutable_columns()[column];
  std::memset(out.validity, 0, (batch.rows + 7) / 8);
  auto* slices = static_cast<Slice*>(out.values);
  for (uint32_t row = 0; row < batch.rows; ++row) {
    const Origin* origin = batch.origin_of(row);
    slices[row] = origin == nullptr ? Slice{} : origin->*part;
    if (origin != nullptr) out.set_valid(row);
  }
}

bool write_place(Batch& batch, uint32_t column, RowPlace place, std::string_view shard) {
  if (place == RowPlace::shard) return write_shard(batch, column, shard);
  write_origin(batch, column, place == RowPlace::database ? &Origin::database : &Origin::table);
  return true;
}

void copy_column(Batch& batch, uint32_t from, uint32_t to) {
  const Column& in = batch.column(from);
  const Column& out = batch.mutable_columns()[to];
  std::memcpy(out.values, in.values, size_t{batch.rows} * value_width(batch.layout().columns[to].type));
  std::memcpy(out.validity, in.validity, (batch.rows + 7) / 8);
}

// The bits of a condition that holds are the validity of what it lets through.
void mask_column(Batch& batch, uint32_t column, const ValueVector& condition) {
  const Column& out = batch.mutable_columns()[column];
  const auto* holds = condition.values<uint64_t>();
  const size_t bytes = (batch.rows + 7) / 8;
  for (size_t i = 0; i < bytes; ++i) {
    const uint64_t word = holds[i / 8] & condition.valid()[i / 8];
    out.validity[i] = static_cast<uint8_t>(out.validity[i] & static_cast<uint8_t>(word >> i % 8 * 8));
  }
}

}  // namespace

RowEvaluator::RowEvaluator(const RowProgram& program) : failures_(program.columns.size()) {
  for (const ComputedColumn& column : program.columns) {
    Computation& added = computations_.emplace_back(Computation{&column, std::nullopt});
    if (const auto* expression = std::get_if<Expression>(&column.value)) added.evaluator.emplace(*expression);
    if (const auto* masked = std::get_if<MaskedColumn>(&column.value)) added.evaluator.emplace(masked->condition);
  }
  for (const RowSelection& selection : program.selections) {
    Selection& added = selections_.emplace_back();
    for (const RowCondition& condition : selection.conditions) {
      added.conditions.emplace_back(condition.expression);
      added.conditions_computed.push_back(places_of(program, condition.computed));
    }
    added.computed = places_of(program, selection.computed);
  }
}

std::vector<size_t> RowEvaluator::places_of(const RowProgram& program, const std::vector<uint32_t>& columns) const {
  std::vector<size_t> out;
  for (size_t i = 0; i < program.columns.size(); ++i) {
    if (std::find(columns.begin(), columns.end(), program.columns[i].column) != columns.end()) out.push_back(i);
  }
  return out;
}

void RowEvaluator::compute(Computation& computation, Batch& batch, std::string_view shard,
                           std::vector<uint64_t>& failed) {
  const uint32_t column = computation.column->column;
  failed.clear();
  bool fits = true;
  if (const auto* place = std::get_if<RowPlace>(&computation.column->value)) {
    fits = write_place(batch, column, *place, shard);
  } else if (const auto* copy = std::get_if<CopyOfColumn>(&computation.column->value)) {
    copy_column(batch, copy->column, column);
  } else {
    Evaluator& evaluator = *computation.evaluator;
    const ValueVector& values = evaluator.run(batch);
    if (const auto* masked = std::get_if<MaskedColumn>(&computation.column->value)) {
      copy_column(batch, masked->column, column);
      mask_column(batch, column, values);
    } else {
      fits = write_column(values, evaluator.expression().type(), batch, column);
    }
    const uint64_t* bits = values.failed();
    const size_t words = words_for(batch.rows);
    const uint64_t any = std::accumulate(bits, bits + words - 1, bits[words - 1] & last_word_mask(batch.rows),
                                         [](uint64_t a, uint64_t b) { return a | b; });
    if (any != 0) failed.assign(bits, bits + words);
  }
  if (!fits) failed.assign(words_for(batch.rows), ~uint64_t{0});
}

void RowEvaluator::run(Batch& batch, std::string_view shard) {
  if (batch.rows == 0) return;
  for (size_t i = 0; i < computations_.size(); ++i) compute(computations_[i], batch, shard, failures_[i]);
}

RowEvaluator::Rows RowEvaluator::choose(const Batch& batch, size_t selection, std::span<const uint32_t> aside,
                                        uint32_t ignored) {
  Selection& wanted = selections_[selection];
  const size_t words = words_for(batch.rows);
  passed_.assign(words, ~uint64_t{0});
  lacking_.assign(words, 0);
  for (size_t number = 0; number < wanted.conditions.size(); ++number) {
    Evaluator& condition = wanted.conditions[number];
    const ValueVector& values = condition.run(batch);
    const auto* bits = values.values<uint64_t>();
    for (size_t i = 0; i < words; ++i) {
      uint64_t unknown = 0;  // of what it reads
      for (const size_t computed : wanted.conditions_computed[number]) {
        if (!failures_[computed].empty()) unknown |= failures_[computed][i];
      }
      const uint64_t failed = values.failed()[i] | (unknown & ~values.valid()[i]);
      lacking_[i] |= failed;
      passed_[i] &= (bits[i] & values.valid()[i]) | failed;
    }
  }
  for (const size_t computed : wanted.computed) {
    const std::vector<uint64_t>& failed = failures_[computed];
    for (size_t i = 0; i < failed.size(); ++i) lacking_[i] |= failed[i];
  }
  skip_.clear();
  not_computable_.clear();
  Rows out;
  for (size_t i = 0; i < words; ++i) {
    lacking_[i] &= passed_[i];
    uint64_t left_out = ~passed_[i] | lacking_[i];
    if (i + 1 == words) left_out &= last_word_mask(batch.rows);
    for (; left_out != 0; left_out &= left_out - 1) {
      const auto bit = static_cast<uint32_t>(std::countr_zero(left_out));
      const auto row = static_cast<uint32_t>(i * 64 + bit);
      if ((ignored >> batch.op[row] & 1) != 0 || std::binary_search(aside.begin(), aside.end(), row)) continue;
      skip_.push_back(row);
      if ((lacking_[i] >> bit & 1) != 0) {
        not_computable_.push_back(row);
      } else {
        ++out.filtered;
      }
    }
  }
  if (skip_.empty()) {
    out.skip = aside;
    return out;
  }
  const auto middle = static_cast<std::ptrdiff_t>(skip_.size());
  skip_.insert(skip_.end(), aside.begin(), aside.end());
  std::inplace_merge(skip_.begin(), skip_.begin() + middle, skip_.end());
  out.skip = skip_;
  out.not_computable = not_computable_;
  return out;
}

}  // namespace tidemark::core
