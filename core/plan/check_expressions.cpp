// SPDX-License-Identifier: Apache-2.0
//
// Fields and markers here; what happens to rows behind them in job_inputs.
#include "core/plan/check_expressions.hpp"

#include <optional>
#include <utility>

#include "config/job/codes.hpp"
#include "core/expression/expression.hpp"
#include "core/plan/expression_findings.hpp"
#include "core/plan/job_inputs.hpp"

namespace tidemark::core {
namespace {

// Compiled; empty after a finding, and where the schema is not known.
std::optional<Expression> check_one(const config::Spanned<std::string>& text, const config::SourceSpec& source,
                                    const Schema* schema, ExpressionUse use, ExpressionFindings& findings) {
  if (schema == nullptr) {
    if (const auto error = check_expression_syntax(text.value)) findings.report(*error, text, 0, source.id.value, {});
    return std::nullopt;
  }
  auto compiled = Expression::compile(text.value, schema->columns, use);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
    findings.report(*error, text, 0, source.id.value, schema->columns);
    return std::nullopt;
  }
  return std::get<Expression>(std::move(compiled));
}

void check_field(const config::SourceSpec& source, const Schema* schema, ExpressionFindings& findings,
                 config::Diagnostics& diagnostics) {
  const config::Spanned<std::string>& field = source.watermark.field;
  if (!config::is_expression(field.value)) return;
  const auto expression = check_one(field, source, schema, ExpressionUse::event_time, findings);
  if (!expression || !expression->columns().empty()) return;
  diagnostics
      .warning(config::code::kDoubtful, field.span, "`field` reads no column: event time does not follow the rows")
      .with_help("a column with the row's time, or an expression over one");
}

}  // namespace

void check_expressions(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics) {
  ExpressionFindings findings(diagnostics);
  for (const config::SourceSpec& source : job.sources) {
    const auto found = schemas.find(source.id.value);
    const Schema* schema = found == schemas.end() ? nullptr : &found->second;
    check_field(source, schema, findings, diagnostics);
    const config::Spanned<std::string>& marker = source.watermark.marker;
    if (!marker.value.empty()) check_one(marker, source, schema, ExpressionUse::condition, findings);
  }
  plan_inputs(job, schemas, diagnostics);
}

}  // namespace tidemark::core
