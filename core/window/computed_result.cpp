// SPDX-License-Identifier: Apache-2.0
//
// The column types that computed values are shown in, and writing them cell by cell: results are few.
#include "core/window/computed_result.hpp"

#include <cstring>
#include <utility>
#include <variant>

#include "core/base/int128.hpp"
#include "core/window/output_cell.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kMicrosPerDay = 86'400 * kMicrosPerSecond;

ColumnType column_type_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      return ColumnType::boolean;
    case ValueKind::integer:
      return ColumnType::int64;
    case ValueKind::decimal:
      return ColumnType::decimal128;
    case ValueKind::floating:
      return ColumnType::float64;
    case ValueKind::text:
      return ColumnType::text;
    case ValueKind::date:
      return ColumnType::date;
    case ValueKind::datetime:
      return ColumnType::datetime;
    case ValueKind::timestamp:
      return ColumnType::timestamp;
  }
  return ColumnType::boolean;
}

}  // namespace

Result<ComputedResult> ComputedResult::create(const std::string& name, const std::string& expression,
                                              std::span<const ColumnInfo> columns, ExpressionUse use) {
  auto compiled = Expression::compile(expression, columns, use);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) return expression_status(*error, expression);
  auto& made = std::get<Expression>(compiled);
  const ValueType type = made.type();
  ColumnInfo info;
  info.name = name;
  info.type = column_type_of(type.kind);
  info.precision = type.precision;
  info.scale = type.scale;
  info.comment = expression;
  return ComputedResult(std::move(info), std::move(made));
}

bool ComputedResult::write(uint32_t row, Batch& out, uint32_t column, uint32_t out_row) const {
  if (!values_->is_valid(row)) return true;
  switch (evaluator_.expression().type().kind) {
    case ValueKind::null:
      return true;
    case ValueKind::boolean:
      put_value(out, column, out_row, static_cast<uint8_t>(is_true(row)));
      return true;
    case ValueKind::decimal:
      put_value(out, column, out_row, values_->values<Int128>()[row]);
      return true;
    case ValueKind::floating:
      put_value(out, column, out_row, values_->values<double>()[row]);
      return true;
    case ValueKind::text: {
      const std::string_view text = values_->values<std::string_view>()[row];
      char* to = put_text(out, column, out_row, text.size());
      if (to != nullptr) std::memcpy(to, text.data(), text.size());
      return to != nullptr;
    }
    case ValueKind::date: {
      const Micros midnight = values_->values<int64_t>()[row];
      put_value(out, column, out_row, static_cast<int32_t>(floor_to(midnight, kMicrosPerDay) / kMicrosPerDay));
      return true;
    }
    default:
      put_value(out, column, out_row, values_->values<int64_t>()[row]);
      return true;
  }
}

}  // namespace tidemark::core
