// SPDX-License-Identifier: Apache-2.0
//
// Errors of expressions as findings, in the words that column checks use too.
#include "core/plan/check_expressions.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "config/job/check_columns.hpp"
#include "config/job/codes.hpp"
#include "core/expression/expression.hpp"

namespace tidemark::core {
namespace {

const char* code_of(ExpressionErrorCode code) {
  switch (code) {
    case ExpressionErrorCode::syntax:
      return config::code::kExpression;
    case ExpressionErrorCode::unknown_column:
      return config::code::kUnknownColumn;
    case ExpressionErrorCode::unknown_function:
      return config::code::kUnknownFunction;
    case ExpressionErrorCode::wrong_argument:
      return config::code::kWrongArgument;
    case ExpressionErrorCode::not_supported:
      return config::code::kNotSupportedYet;
  }
  return config::code::kExpression;
}

void report(const ExpressionError& error, const config::Spanned<std::string>& text, const std::string& source,
            const Schema* schema, config::Diagnostics& diagnostics) {
  const config::SourceText* file = diagnostics.file(text.span.file);
  const config::Span span =
      file == nullptr ? text.span : config::span_inside_text(*file, text.span, error.place.offset, error.place.size);
  const bool no_column = error.code == ExpressionErrorCode::unknown_column;
  config::Diagnostic& finding = diagnostics.error(
      code_of(error.code), span, no_column ? fmt::format("{} in input `{}`", error.text, source) : error.text);
  if (!no_column || !error.help.starts_with("there are:")) finding.with_help(error.help);
  if (!no_column || schema == nullptr) return;
  std::vector<std::string> columns;
  for (const ColumnInfo& column : schema->columns) columns.push_back(column.name);
  finding.with_note(config::columns_note(source, columns));
}

// Compiled; empty after a finding, and where the schema is not known.
std::optional<Expression> check_one(const config::Spanned<std::string>& text, const config::SourceSpec& source,
                                    const Schema* schema, ExpressionUse use, config::Diagnostics& diagnostics) {
  if (schema == nullptr) {
    if (const auto error = check_expression_syntax(text.value))
      report(*error, text, source.id.value, schema, diagnostics);
    return std::nullopt;
  }
  auto compiled = Expression::compile(text.value, schema->columns, use);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
    report(*error, text, source.id.value, schema, diagnostics);
    return std::nullopt;
  }
  return std::get<Expression>(std::move(compiled));
}

void check_field(const config::SourceSpec& source, const Schema* schema, config::Diagnostics& diagnostics) {
  const config::Spanned<std::string>& field = source.watermark.field;
  if (!config::is_expression(field.value)) return;
  const auto expression = check_one(field, source, schema, ExpressionUse::event_time, diagnostics);
  if (!expression || !expression->columns().empty()) return;
  diagnostics
      .warning(config::code::kDoubtful, field.span, "`field` reads no column: event time does not follow the rows")
      .with_help("a column with the row's time, or an expression over one");
}

}  // namespace

void check_expressions(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics) {
  for (const config::SourceSpec& source : job.sources) {
    const auto found = schemas.find(source.id.value);
    const Schema* schema = found == schemas.end() ? nullptr : &found->second;
    const config::WatermarkSpec& watermark = source.watermark;
    check_field(source, schema, diagnostics);
    if (!watermark.marker.value.empty()) {
      check_one(watermark.marker, source, schema, ExpressionUse::condition, diagnostics);
    }
  }
}

}  // namespace tidemark::core
