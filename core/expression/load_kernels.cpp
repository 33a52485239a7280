// SPDX-License-Identifier: Apache-2.0
//
// What expressions start from: columns of the batch, constants, NULL and the row's operation. Columns whose values
// are stored as the expression computes with them are shown where they are; the others are widened.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/row_loops.hpp"
#include "core/expression/temporal_text.hpp"

namespace tidemark::core {
namespace {

static_assert(std::endian::native == std::endian::little, "validity bytes are read as words");

const Column& column_of(const Frame& frame, const Step& step) {
  return frame.batch->column(static_cast<size_t>(step.parameter.integer));
}

void take_validity(const Frame& frame, const Column& column, ValueVector& out) {
  const size_t words = (size_t{frame.rows} + 63) / 64;
  if (words == 0) return;
  out.valid()[words - 1] = 0;
  std::memcpy(out.valid(), column.validity, (size_t{frame.rows} + 7) / 8);
  std::fill_n(out.failed(), words, 0);
}

void borrow_column(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  const Column& column = column_of(frame, step);
  take_validity(frame, column, out);
  out.borrow(column.values);
}

template <typename From, typename To>
void widen_column(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  const Column& column = column_of(frame, step);
  take_validity(frame, column, out);
  const From* from = column.as<From>();
  To* to = out.output<To>();
  for (uint32_t row = 0; row < frame.rows; ++row) to[row] = static_cast<To>(from[row]);
}

void load_boolean(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  const Column& column = column_of(frame, step);
  take_validity(frame, column, out);
  const auto* from = column.as<uint8_t>();
  auto* to = out.output<uint64_t>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; ++i) bits |= static_cast<uint64_t>(from[first + i] != 0) << i;
    to[word] = bits;
  });
}

void load_decimal128(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  const Column& column = column_of(frame, step);
  take_validity(frame, column, out);
  if (frame.rows > 0) std::memcpy(out.output<Int128>(), column.values, frame.rows * sizeof(Int128));
}

// 32 bytes into 16; what needs more than 38 digits is a failure.
void load_decimal256(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  const Column& column = column_of(frame, step);
  take_validity(frame, column, out);
  const auto* bytes = column.as<std::byte>();
  const Int128 limit = power_of_ten(kDecimalDigitsMax);
  auto* to = out.output<Int128>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    uint64_t lost = 0;
    for (uint32_t i = 0; i < count; ++i) {
      std::array<Int128, 2> halves{};
      std::memcpy(halves.data(), bytes + size_t{first + i} * sizeof(halves), sizeof(halves));
      const bool fits = halves[1] == (halves[0] < 0 ? -1 : 0) && halves[0] < limit && halves[0] > -limit;
      to[first + i] = fits ? halves[0] : 0;
      lost |= static_cast<uint64_t>(!fits) << i;
    }
    lost &= out.valid()[word];
    out.valid()[word] &= ~lost;
    out.failed()[word] = lost;
  });
}

void load_date(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  const Column& column = column_of(frame, step);
  take_validity(frame, column, out);
  const auto* days = column.as<int32_t>();
  auto* to = out.output<int64_t>();
  for (uint32_t row = 0; row < frame.rows; ++row) to[row] = start_of_day(days[row]);
}

void load_text(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  const Column& column = column_of(frame, step);
  take_validity(frame, column, out);
  const auto* slices = column.as<Slice>();
  auto* to = out.output<std::string_view>();
  for (uint32_t row = 0; row < frame.rows; ++row) {
    to[row] = out.is_valid(row) ? frame.batch->bytes_of(slices[row]) : std::string_view();
  }
}

void mark_all(const Frame& frame, ValueVector& out, bool valid) {
  const size_t words = (size_t{frame.rows} + 63) / 64;
  std::fill_n(out.valid(), words, valid ? ~uint64_t{0} : 0);
  std::fill_n(out.failed(), words, 0);
}

template <typename T, auto kMember>
void fill_constant(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  mark_all(frame, out, true);
  std::fill_n(out.output<T>(), frame.rows, static_cast<T>(step.parameter.*kMember));
}

void fill_boolean(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  mark_all(frame, out, true);
  std::fill_n(out.output<uint64_t>(), (size_t{frame.rows} + 63) / 64, step.parameter.integer != 0 ? ~uint64_t{0} : 0);
}

// Values without meaning, except that texts must be readable.
void fill_null(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  mark_all(frame, out, false);
  out.output<uint64_t>();
}
void fill_null_text(const Frame& frame, const Step& step) {
  ValueVector& out = frame.vectors[step.out];
  mark_all(frame, out, false);
  std::fill_n(out.output<std::string_view>(), frame.rows, std::string_view());
}

void load_operation(const Frame& frame, const Step& step) {
  constexpr std::array<std::string_view, 5> kNames = {"", "insert", "delete", "update_before", "update_after"};
  ValueVector& out = frame.vectors[step.out];
  auto* to = out.output<std::string_view>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    uint64_t known = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint8_t op = frame.batch->op[first + i];
      const bool is_known = op >= 1 && op < kNames.size();
      to[first + i] = kNames[is_known ? op : 0];
      known |= static_cast<uint64_t>(is_known) << i;
    }
    out.valid()[word] = known;
    out.failed()[word] = 0;
  });
}

}  // namespace

Kernel column_kernel(ColumnType type) {
  switch (type) {
    case ColumnType::boolean:
      return load_boolean;
    case ColumnType::int8:
      return widen_column<int8_t, int64_t>;
    case ColumnType::int16:
      return widen_column<int16_t, int64_t>;
    case ColumnType::int32:
      return widen_column<int32_t, int64_t>;
    case ColumnType::uint8:
      return widen_column<uint8_t, int64_t>;
    case ColumnType::uint16:
      return widen_column<uint16_t, int64_t>;
    case ColumnType::uint32:
      return widen_column<uint32_t, int64_t>;
    case ColumnType::uint64:
      return widen_column<uint64_t, Int128>;
    case ColumnType::float32:
      return widen_column<float, double>;
    case ColumnType::decimal64:
      return widen_column<int64_t, Int128>;
    case ColumnType::decimal128:
      return load_decimal128;
    case ColumnType::decimal256:
      return load_decimal256;
    case ColumnType::date:
      return load_date;
    case ColumnType::text:
    case ColumnType::json:
      return load_text;
    default:  // int64, float64, timestamp, datetime, time; the rest has no value type
      return borrow_column;
  }
}

Kernel constant_kernel(ValueKind kind) {
  switch (kind) {
    case ValueKind::null:
      return fill_null;
    case ValueKind::boolean:
      return fill_boolean;
    case ValueKind::decimal:
      return fill_constant<Int128, &Parameter::decimal>;
    case ValueKind::floating:
      return fill_constant<double, &Parameter::real>;
    case ValueKind::text:
      return fill_constant<std::string_view, &Parameter::text>;
    default:
      return fill_constant<int64_t, &Parameter::integer>;
  }
}

Kernel null_kernel(ValueKind kind) {
  return kind == ValueKind::text ? fill_null_text : fill_null;
}

Kernel operation_kernel() {
  return load_operation;
}

}  // namespace tidemark::core
