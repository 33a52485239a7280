// SPDX-License-Identifier: Apache-2.0
//
// Column checks: one look-up with its message, then what each use asks of a column.
#include "config/job/check_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/job/nearest_name.hpp"

namespace tidemark::config {
namespace {

constexpr size_t kColumnsListedMax = 12;

// The column, or null and a finding.
const SourceColumn* find_column(const std::string& source, const std::vector<SourceColumn>& columns,
                                const Spanned<std::string>& name, Diagnostics& diagnostics) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const SourceColumn& column) { return column.name == name.value; });
  if (found != columns.end()) return &*found;
  std::vector<std::string> names;
  for (const SourceColumn& column : columns) names.push_back(column.name);
  Diagnostic& finding = diagnostics.error(code::kUnknownColumn, name.span,
                                          fmt::format("no column `{}` in input `{}`", name.value, source));
  if (const auto near = nearest_name(name.value, names)) finding.with_help(fmt::format("did you mean `{}`?", *near));
  finding.with_note(columns_note(source, names));
  return nullptr;
}

void check_watermark(const SourceSpec& source, const std::vector<SourceColumn>& columns, Diagnostics& diagnostics) {
  const Spanned<std::string>& field = source.watermark.field;
  if (field.value.empty() || field.value.starts_with('$')) return;
  if (is_expression(field.value)) return;  // core/plan checks it
  const SourceColumn* column = find_column(source.id.value, columns, field, diagnostics);
  if (column == nullptr || column->kind == ColumnKind::time_point) return;
  std::string help;
  for (const SourceColumn& one : columns) {
    if (one.kind == ColumnKind::time_point) help += (help.empty() ? "usable: " : ", ") + one.name;
  }
  help += help.empty() ? "usable: \"$commit_time\", the source's own time" : ", or \"$commit_time\"";
  if (column->kind == ColumnKind::integer || column->kind == ColumnKind::decimal ||
      column->kind == ColumnKind::floating) {
    help += fmt::format("; \"FROM_UNIXTIME({0})\" if it counts seconds, \"FROM_UNIXTIME({0} / 1000)\" if milliseconds",
                        field.value);
  }
  diagnostics
      .error(code::kWrongArgument, field.span,
             fmt::format("`{}` is {}: an event time must be a DATETIME or TIMESTAMP", field.value, column->type_name))
      .with_help(std::move(help));
}

}  // namespace

std::string columns_note(const std::string& source, const std::vector<std::string>& columns) {
  std::string out = fmt::format("`{}` gives: ", source);
  for (size_t i = 0; i < columns.size() && i < kColumnsListedMax; ++i) out += (i == 0 ? "" : ", ") + columns[i];
  return columns.size() > kColumnsListedMax ? out + ", …" : out;
}

void check_columns(const JobSpec& job, const SourceSchemas& schemas, Diagnostics& diagnostics) {
  for (const SourceSpec& source : job.sources) {
    if (const auto schema = schemas.find(source.id.value); schema != schemas.end()) {
      check_watermark(source, schema->second, diagnostics);
    }
  }
}

}  // namespace tidemark::config
