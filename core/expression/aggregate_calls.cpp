// SPDX-License-Identifier: Apache-2.0
//
// One pass over the syntax tree: aggregates do not nest, so their nodes stand in the order of the text.
#include "core/expression/aggregate_calls.hpp"

#include <utility>

#include "core/expression/parser.hpp"

namespace tidemark::core {

OrExpressionError<AggregateCalls> find_aggregate_calls(std::string_view text,
                                                       std::span<const std::string_view> aggregates) {
  auto syntax = parse_expression(text, aggregates);
  if (auto* error = std::get_if<ExpressionError>(&syntax)) return std::move(*error);
  const SyntaxTree& tree = std::get<SyntaxTree>(syntax);
  AggregateCalls out;
  for (const SyntaxNode& node : tree.nodes) {
    if (node.kind != SyntaxKind::aggregate) continue;
    AggregateCall call;
    call.function = node.text;
    call.place = node.place;
    call.name_place = node.name_place;
    call.distinct = node.distinct;
    call.star = node.star;
    for (const uint32_t part : node.parts) call.arguments.push_back(tree.nodes[part].place);
    if (node.has_filter) {
      call.filter = call.arguments.back();
      call.arguments.pop_back();
    }
    out.calls.push_back(std::move(call));
  }
  out.alone = tree.nodes[tree.root].kind == SyntaxKind::aggregate;
  return out;
}

}  // namespace tidemark::core
