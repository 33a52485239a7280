// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text as an expression over the sample columns; it compiles or says where it does not, and then gives
// each row a value, NULL or a failure. One thread.
#include <algorithm>

#include "core/expression/expression.hpp"
#include "core/expression/tokenizer.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/unit/expression/sample_rows.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  const std::string text(fuzz::text_of({data, size}));
  const auto use = static_cast<core::ExpressionUse>(size % 3);
  (void)core::canonical_expression(text);
  const auto compiled = core::Expression::compile(text, core::sample_columns(), use);
  if (const auto* error = std::get_if<core::ExpressionError>(&compiled)) {
    fuzz::require(!error->text.empty(), "an error says what is wrong");
    fuzz::require(error->place.size > 0 || text.empty(), "an error has a place");
    fuzz::require(error->place.offset + error->place.size <= std::max<size_t>(text.size(), 1), "inside the text");
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
