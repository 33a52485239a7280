// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/plan/expression_findings.hpp"

#include <fmt/format.h>

#include <utility>

#include "config/job/check_columns.hpp"
#include "config/job/codes.hpp"

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

}  // namespace

config::Span ExpressionFindings::span_of(const config::Spanned<std::string>& text, ExpressionPlace place) const {
  const config::SourceText* file = diagnostics_.file(text.span.file);
  return file == nullptr ? text.span : config::span_inside_text(*file, text.span, place.offset, place.size);
}

void ExpressionFindings::doubt(const config::Spanned<std::string>& text, ExpressionPlace place, std::string what,
                               std::string help) {
  config::Diagnostic* finding = add(config::Severity::warning, config::code::kDoubtful, text, place, std::move(what));
  if (finding != nullptr) finding->with_help(std::move(help));
}

config::Diagnostic* ExpressionFindings::add(config::Severity severity, const char* code,
                                            const config::Spanned<std::string>& text, ExpressionPlace place,
                                            std::string what) {
  const config::Span span = span_of(text, place);
  if (!seen_.emplace(span.file, span.line, span.column, what).second) return nullptr;
  return severity == config::Severity::error ? &diagnostics_.error(code, span, std::move(what))
                                             : &diagnostics_.warning(code, span, std::move(what));
}

void ExpressionFindings::report(const ExpressionError& error, const config::Spanned<std::string>& text, size_t offset,
                                const std::string& input, const std::vector<ColumnInfo>& columns) {
  const bool no_column = error.code == ExpressionErrorCode::unknown_column;
  config::Diagnostic* finding =
      add(config::Severity::error, code_of(error.code), text, {error.place.offset + offset, error.place.size},
          no_column ? fmt::format("{} in input `{}`", error.text, input) : error.text);
  for (const ExpressionError& other : error.more) report(other, text, offset, input, columns);
  if (finding == nullptr) return;
  if (!no_column || !error.help.starts_with("there are:")) finding->with_help(error.help);
  if (!no_column || columns.empty()) return;
  std::vector<std::string> names;
  for (const ColumnInfo& column : columns) names.push_back(column.name);
  finding->with_note(config::columns_note(input, names));
}

void ExpressionFindings::report(const char* code, const config::Spanned<std::string>& text, ExpressionPlace place,
                                std::string what, std::string help) {
  config::Diagnostic* finding = add(config::Severity::error, code, text, place, std::move(what));
  if (finding != nullptr) finding->with_help(std::move(help));
}

}  // namespace tidemark::core
