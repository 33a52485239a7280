// SPDX-License-Identifier: Apache-2.0
//
// The sample batch, written cell by cell.
#include "tests/unit/expression/sample_rows.hpp"

#include <fmt/format.h>
#include <cstring>
#include <limits>
#include <optional>

#include "core/expression/decimal_math.hpp"
#include "core/expression/temporal_text.hpp"

namespace tidemark::core {
namespace {

template <typename T>
void put(Batch& batch, size_t column, const std::vector<std::optional<T>>& values) {
  Column& cells = batch.mutable_columns()[column];
  for (size_t row = 0; row < values.size(); ++row) {
    if (!values[row]) continue;
    static_cast<T*>(cells.values)[row] = *values[row];
    cells.validity[row >> 3] |= static_cast<uint8_t>(1u << (row & 7));
  }
}

Slice put_bytes(Batch& batch, std::string_view bytes) {
  const Slice slice{static_cast<uint32_t>(batch.heap_used), static_cast<uint32_t>(bytes.size())};
  std::memcpy(batch.heap + batch.heap_used, bytes.data(), bytes.size());
  batch.heap_used += bytes.size();
  return slice;
}

Micros micros(std::string_view text) {
  return parse_temporal(text)->micros;
}

std::unique_ptr<Batch> make_batch() {
  auto layout = std::make_shared<BatchLayout>();
  layout->columns = sample_columns();
  auto batch = std::make_unique<Batch>(layout, 4, 1024);
  batch->rows = 4;
  for (uint8_t row = 0; row < 4; ++row) batch->op[row] = static_cast<uint8_t>(row + 1);
  constexpr auto kNone = std::nullopt;
  constexpr auto kMax = std::numeric_limits<int64_t>::max();
  put<int64_t>(*batch, 0, {1, -7, kNone, kMax});
  put<int32_t>(*batch, 1, {10, -3, kNone, 0});
  put<uint64_t>(*batch, 2, {5, 0, kNone, UINT64_MAX});
  put<int64_t>(*batch, 3, {1250, -199, kNone, 9'999'999'999});
  put<Int128>(*batch, 4, {1'000'001, -500'000, kNone, power_of_ten(30) - 1});
  put<double>(*batch, 5, {0.5, -2.5, kNone, 1e300});
  put<uint8_t>(*batch, 6, {1, 0, kNone, 1});
  put<Slice>(*batch, 7, {put_bytes(*batch, "paid"), put_bytes(*batch, "12.5"), kNone, put_bytes(*batch, "größe_1")});
  const Micros summer = micros("2026-03-29 01:30:15.250");
  put<int64_t>(*batch, 8, {summer, micros("1969-12-31 23:59:59"), kNone, micros("2024-02-29 12:00:00")});
  put<int64_t>(*batch, 9, {summer, micros("1969-12-31 23:59:59"), kNone, micros("2024-02-29 12:00:00")});
  put<int32_t>(*batch, 10, {20541, -1, kNone, std::numeric_limits<int32_t>::max()});
  put<Slice>(*batch, 11, {put_bytes(*batch, "x"), put_bytes(*batch, "y"), kNone, put_bytes(*batch, "z")});
  using Wide = std::array<Int128, 2>;
  const Int128 unit = power_of_ten(30);
  put<Wide>(*batch, 12, {Wide{unit * 3 / 2, 0}, Wide{-unit, -1}, kNone, Wide{1, 1}});
  put<int64_t>(*batch, 14, {3'661'500'000, -1'000'000, kNone, 0});
  put<Slice>(*batch, 13,
             {put_bytes(*batch, R"({"a": {"b": [1, "x\u00e9\"y\n"]}, "n": 12.5, "s": "paid", "z": null, "n": 12.75})"),
              put_bytes(*batch, R"([1, 2, {"k k": true}, "s"])"), kNone, put_bytes(*batch, R"("just")")});
  return batch;
}

}  // namespace

const std::vector<ColumnInfo>& sample_columns() {
  static const std::vector<ColumnInfo> kColumns = {
      {"id", ColumnType::int64, 0, 0, true, ""},          {"n", ColumnType::int32, 0, 0, true, ""},
      {"u", ColumnType::uint64, 0, 0, true, ""},          {"price", ColumnType::decimal64, 10, 2, true, ""},
      {"big", ColumnType::decimal128, 30, 6, true, ""},   {"d", ColumnType::float64, 0, 0, true, ""},
      {"b", ColumnType::boolean, 0, 0, true, ""},         {"name", ColumnType::text, 0, 0, true, ""},
      {"ts", ColumnType::timestamp, 0, 0, true, ""},      {"dt", ColumnType::datetime, 0, 0, true, ""},
      {"day", ColumnType::date, 0, 0, true, ""},          {"raw", ColumnType::bytes, 0, 0, true, ""},
      {"wide", ColumnType::decimal256, 65, 30, true, ""}, {"doc", ColumnType::json, 0, 0, true, ""},
      {"clock", ColumnType::time, 0, 0, true, ""}};
  return kColumns;
}

const Batch& sample_batch() {
  static const std::unique_ptr<Batch> kBatch = make_batch();
  return *kBatch;
}

std::string value_text(const ValueVector& values, const ValueType& type, uint32_t row) {
  if (values.is_failed(row)) return values.is_valid(row) ? "valid and failed" : "failed";
  if (!values.is_valid(row)) return "NULL";
  NumberBuffer number;
  TemporalBuffer time;
  switch (type.kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      return (values.values<uint64_t>()[row >> 6] >> (row & 63) & 1) != 0 ? "true" : "false";
    case ValueKind::integer:
      return std::to_string(values.values<int64_t>()[row]);
    case ValueKind::decimal:
      return std::string(format_decimal128(values.values<Int128>()[row], type.scale, number));
    case ValueKind::floating:
      return fmt::format("{}", values.values<double>()[row]);
    case ValueKind::text:
      return std::string(values.values<std::string_view>()[row]);
    default:
      return std::string(format_temporal(values.values<int64_t>()[row], type.kind == ValueKind::date, time));
  }
}

std::string evaluate(std::string_view text, ExpressionUse use) {
  auto compiled = Expression::compile(text, sample_columns(), use);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) return error_text(*error);
  Evaluator evaluator(std::get<Expression>(compiled));
  std::string out;
  for (int run = 0; run < 2; ++run) {  // the second finds what the first left in the vectors
    out.clear();
    const ValueVector& values = evaluator.run(sample_batch());
    for (uint32_t row = 0; row < sample_batch().rows; ++row) {
      out += (row == 0 ? "" : " | ") + value_text(values, evaluator.expression().type(), row);
    }
  }
  return out;
}

std::string type_of(std::string_view text) {
  auto compiled = Expression::compile(text, sample_columns(), ExpressionUse::value);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) return error_text(*error);
  return describe(std::get<Expression>(compiled).type());
}

std::string error_text(const ExpressionError& error) {
  constexpr std::array<const char*, 5> kCodes = {"syntax", "column", "function", "argument", "unsupported"};
  return fmt::format("{} {}+{}: {}{}", kCodes[static_cast<size_t>(error.code)], error.place.offset, error.place.size,
                     error.text, error.help.empty() ? "" : " (" + error.help + ")");
}

}  // namespace tidemark::core
