// SPDX-License-Identifier: Apache-2.0
//
// From the bits of a condition to bytes.
#include "core/ingest/marker_evaluator.hpp"

#include <utility>

namespace tidemark::core {

Result<MarkerEvaluator> MarkerEvaluator::create(const BatchLayout& layout, std::string_view expression) {
  auto compiled = Expression::compile(expression, layout.columns, ExpressionUse::condition);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) return expression_status(*error, expression);
  MarkerEvaluator out;
  out.expression_ = std::make_unique<Evaluator>(std::move(std::get<Expression>(compiled)));
  return out;
}

std::span<const uint8_t> MarkerEvaluator::markers(const Batch& batch) {
  if (expression_ == nullptr) return {};
  const ValueVector& values = expression_->run(batch);
  const auto* bits = values.values<uint64_t>();
  markers_.resize(batch.rows);
  for (uint32_t row = 0; row < batch.rows; ++row) {
    markers_[row] = static_cast<uint8_t>((bits[row >> 6] & values.valid()[row >> 6]) >> (row & 63) & 1);
  }
  return markers_;
}

}  // namespace tidemark::core
