// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/window/result_expression.hpp"

#include <utility>
#include <variant>

#include "core/expression/column_writer.hpp"

namespace tidemark::core {

Result<ResultExpression> ResultExpression::create(const std::string& name, const std::string& expression,
                                                  std::span<const ColumnInfo> columns, ExpressionUse use) {
  auto compiled = Expression::compile(expression, columns, use);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) return expression_status(*error, expression);
  auto& made = std::get<Expression>(compiled);
  ColumnInfo info = column_for(made.type(), name);
  info.comment = expression;
  return ResultExpression(std::move(info), std::move(made));
}

bool ResultExpression::write(Batch& batch, uint32_t column) const {
  return write_column(*values_, evaluator_.expression().type(), batch, column);
}

}  // namespace tidemark::core
