// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text as an expression over the sample columns; it compiles or says where it does not, and then gives
// each row a value, NULL or a failure. Also with aggregate calls, which stand for columns. One thread.
#include <algorithm>
#include <array>

#include "core/expression/aggregate_calls.hpp"
#include "core/expression/expression.hpp"
#include "core/expression/tokenizer.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/unit/expression/sample_rows.hpp"

namespace {

using namespace tidemark;

void check_error(const core::ExpressionError& error, std::string_view text) {
  fuzz::require(!error.text.empty(), "an error says what is wrong");
  fuzz::require(error.place.size > 0 || text.empty(), "an error has a place");
  fuzz::require(error.place.offset + error.place.size <= std::max<size_t>(text.size(), 1), "inside the text");
}

void run_aggregates(const std::string& text) {
  constexpr std::array<std::string_view, 4> kNames = {"count", "sum", "min", "string_agg"};
  const auto found = core::find_aggregate_calls(text, kNames);
  if (const auto* error = std::get_if<core::ExpressionError>(&found)) return check_error(*error, text);
  const auto& calls = std::get<core::AggregateCalls>(found).calls;
  for (const core::AggregateCall& call : calls) {
    fuzz::require(call.place.offset + call.place.size <= text.size(), "a call stands inside the text");
    for (const core::ExpressionPlace& part : call.arguments) {
      const std::string argument = text.substr(part.offset, part.size);
      fuzz::require(!core::check_expression_syntax(argument).has_value(), "an argument reads by itself");
    }
  }
  const std::vector<uint32_t> columns(calls.size(), 3);
  const auto compiled = core::Expression::compile_over_aggregates(text, core::sample_columns(),
                                                                  core::ExpressionUse::value, kNames, columns);
  if (const auto* error = std::get_if<core::ExpressionError>(&compiled)) check_error(*error, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of({data, size}));
  const auto use = static_cast<core::ExpressionUse>(size % 3);
  (void)core::canonical_expression(text);
  run_aggregates(text);
  const auto compiled = core::Expression::compile(text, core::sample_columns(), use);
  if (const auto* error = std::get_if<core::ExpressionError>(&compiled)) {
    check_error(*error, text);
    return 0;
  }
  fuzz::require(!core::check_expression_syntax(text).has_value(), "what compiles reads");
  core::Evaluator evaluator(std::get<core::Expression>(compiled));
  for (int run = 0; run < 2; ++run) {
    const core::ValueVector& values = evaluator.run(core::sample_batch());
    for (uint32_t row = 0; row < core::sample_batch().rows; ++row) {
      fuzz::require(!(values.is_valid(row) && values.is_failed(row)), "a failed row has no value");
      (void)core::value_text(values, evaluator.expression().type(), row);
    }
  }
  return 0;
}
