// SPDX-License-Identifier: Apache-2.0
//
// Scheduling: nodes in the order of need, and a vector for each, taken from those that are free again. Nodes that
// nothing reads (a literal that became a time) are not computed.
#include "core/expression/expression.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/expression/parser.hpp"

namespace tidemark::core {

OrExpressionError<Expression> Expression::compile(std::string_view text, std::span<const ColumnInfo> columns,
                                                  ExpressionUse use) {
  return compile_over_aggregates(text, columns, use, {}, {});
}

OrExpressionError<Expression> Expression::compile_over_aggregates(std::string_view text,
                                                                  std::span<const ColumnInfo> columns,
                                                                  ExpressionUse use,
                                                                  std::span<const std::string_view> aggregates,
                                                                  std::span<const uint32_t> call_columns) {
  auto syntax = parse_expression(text, aggregates);
  if (auto* error = std::get_if<ExpressionError>(&syntax)) return std::move(*error);
  auto checked = TypeChecker(text, std::get<SyntaxTree>(syntax), columns, call_columns).run(use);
  if (auto* error = std::get_if<ExpressionError>(&checked)) return std::move(*error);
  Expression out;
  out.program_ = std::make_shared<const Program>(schedule(std::move(std::get<CheckedExpression>(checked))));
  return out;
}

std::optional<ExpressionError> check_expression_syntax(std::string_view text) {
  auto syntax = parse_expression(text);
  if (auto* error = std::get_if<ExpressionError>(&syntax)) return std::move(*error);
  return std::nullopt;
}

Status expression_status(const ExpressionError& error, std::string_view expression) {
  std::string text = "expression \"" + std::string(expression) + "\", at byte " +
                     std::to_string(error.place.offset + 1) + ": " + error.text;
  if (!error.help.empty()) text += "; " + error.help;
  return {Code::config, text};
}

Expression::Program Expression::schedule(CheckedExpression checked) {
  const std::vector<TypedNode>& nodes = checked.tree.nodes();
  Program out;
  out.type = nodes[checked.root].type;
  out.columns = std::move(checked.columns);
  // Inputs come before their nodes, so one pass backwards finds what is needed, and how often.
  std::vector<uint32_t> readers(nodes.size(), 0);
  readers[checked.root] = 1;
  for (size_t i = checked.root + 1; i > 0; --i) {
    if (readers[i - 1] == 0) continue;
    for (const uint32_t input : nodes[i - 1].inputs) ++readers[input];
  }
  std::map<uint32_t, std::vector<uint16_t>> free_vectors;  // by bits
  std::vector<uint16_t> vector_of(nodes.size(), 0);
  const auto schedule_node = [&](uint32_t index) {
    const TypedNode& node = nodes[index];
    Step step{node.kernel, 0, {}, node.parameter};
    for (size_t i = 0; i < node.inputs.size(); ++i) step.in[i] = vector_of[node.inputs[i]];
    const uint32_t bits = value_bits(node.type.kind);
    std::vector<uint16_t>& free = free_vectors[bits];
    if (free.empty()) {
      free.push_back(static_cast<uint16_t>(out.vector_bits.size()));
      out.vector_bits.push_back(bits);
    }
    step.out = vector_of[index] = free.back();
    free.pop_back();
    for (const uint32_t input : node.inputs) {
      if (--readers[input] == 0) free_vectors[value_bits(nodes[input].type.kind)].push_back(vector_of[input]);
    }
    out.steps.push_back(std::move(step));
  };
  // Depth first, without recursion: leaves are computed where they are needed, so few vectors are in use at once.
  std::vector<bool> done(nodes.size(), false);
  std::vector<std::pair<uint32_t, size_t>> path = {{checked.root, 0}};
  while (!path.empty()) {
    const uint32_t index = path.back().first;
    const std::vector<uint32_t>& inputs = nodes[index].inputs;
    if (path.back().second < inputs.size()) {
      const uint32_t next = inputs[path.back().second++];
      if (!done[next]) path.emplace_back(next, 0);
      continue;
    }
    path.pop_back();
    if (done[index]) continue;
    done[index] = true;
    schedule_node(index);
  }
  out.result = vector_of[checked.root];
  return out;
}

Evaluator::Evaluator(Expression expression) : expression_(std::move(expression)) {
  for (const uint32_t bits : expression_.program_->vector_bits) vectors_.emplace_back(bits);
}

const ValueVector& Evaluator::run(const Batch& batch) {
  if (batch.rows > room_ || room_ == 0) {
    room_ = std::max(batch.row_capacity(), 64u);
    for (ValueVector& vector : vectors_) vector.reserve(room_);
  }
  texts_.clear();
  const Frame frame{&batch, batch.rows, vectors_, &texts_};
  for (const Step& step : expression_.program_->steps) step.kernel(frame, step);
  return vectors_[expression_.program_->result];
}

}  // namespace tidemark::core
