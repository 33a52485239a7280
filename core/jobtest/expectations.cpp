// SPDX-License-Identifier: Apache-2.0
//
// Reading: a value goes through a batch of the results' layout, so that it is spelled as results are.
#include "core/jobtest/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/job/check_columns.hpp"
#include "config/job/codes.hpp"
#include "config/job/nearest_name.hpp"
#include "core/batch/cell_text.hpp"
#include "core/jobtest/cell_value.hpp"

namespace tidemark::core {
namespace {

using config::TestCell;

size_t aggregate_of(const config::JobSpec& job, const JobPlan& plan, const std::string& target) {
  std::string id = target;
  for (const config::SinkSpec& sink : job.sinks) {
    if (sink.id.value == target && !sink.inputs.empty()) id = sink.inputs.front().value;
  }
  const auto found = std::find_if(plan.aggregates.begin(), plan.aggregates.end(),
                                  [&](const AggregatePlan& one) { return one.spec.id == id; });
  return static_cast<size_t>(found - plan.aggregates.begin());
}

// Half of the last digit that was written, with some room for the rounding of the reader.
double tolerance_of(const config::TestValue& value, double real) {
  const size_t point = value.text.find('.');
  if (value.text.find_first_of("eE") != std::string::npos || !std::isfinite(real)) return std::abs(real) * 1e-9;
  const size_t digits = point == std::string::npos ? 0 : value.text.size() - point - 1;
  return 0.5000001 * std::pow(10.0, -static_cast<double>(digits));
}

ExpectedCell expected_cell(size_t column, const std::shared_ptr<const BatchLayout>& layout,
                           const config::TestValue& given, const CellValue& value) {
  ExpectedCell out;
  out.column = column;
  out.shown = given.kind == config::TestValue::Kind::null ? "NULL" : given.text;
  if (value.is_null) return out;
  Batch batch(layout, 1, 0);
  batch.rows = 1;
  out.text.emplace();
  if (put_cell(batch, column, 0, value)) append_cell_text(batch, column, 0, *out.text);
  if (is_floating(layout->columns[column].type)) {
    out.is_real = true;
    out.real = value.real;
    out.tolerance = tolerance_of(given, value.real);
  }
  return out;
}

class TableReading {
 public:
  TableReading(const std::shared_ptr<const BatchLayout>& layout, config::Diagnostics& diagnostics)
      : layout_(layout), diagnostics_(diagnostics) {
    for (const ColumnInfo& column : layout->columns) names_.push_back(column.name);
  }

  std::vector<ExpectedCell> row(const config::ExpectedRow& row, const std::string& target) {
    std::vector<ExpectedCell> out;
    for (const TestCell& cell : row.cells) {
      const auto at = std::find(names_.begin(), names_.end(), cell.column.value);
      if (at == names_.end()) {
        report_unknown(cell, target);
        continue;
      }
      const auto column = static_cast<size_t>(at - names_.begin());
      auto read = read_cell(cell.value, layout_->columns[column]);
      if (const auto* problem = std::get_if<CellProblem>(&read)) {
        diagnostics_
            .error(config::code::kWrongType, cell.value.span,
                   fmt::format("`{}` of `{}` {}", cell.column.value, target, problem->text))
            .with_help(problem->help);
      } else {
        out.push_back(expected_cell(column, layout_, cell.value, std::get<CellValue>(read)));
      }
    }
    return out;
  }

 private:
  void report_unknown(const TestCell& cell, const std::string& target) {
    auto& finding = diagnostics_.error(config::code::kUnknownColumn, cell.column.span,
                                       fmt::format("results of `{}` have no column `{}`", target, cell.column.value));
    const auto near = config::nearest_name(cell.column.value, names_);
    if (near) {
      finding.with_help(fmt::format("did you mean `{}`?", *near));
    } else if (cell.column.value == "kind" || cell.column.value == "revision") {
      finding.with_help("only results of windows that can fire more than once have it (emit, allowed_lateness)");
    }
    finding.with_note(config::columns_note(target, names_));
  }

  const std::shared_ptr<const BatchLayout>& layout_;
  config::Diagnostics& diagnostics_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<ExpectedTable> read_expected_tables(const config::JobSpec& job, const config::TestSpec& test,
                                                const JobPlan& plan, const ResultLayouts& layouts,
                                                config::Diagnostics& diagnostics) {
  std::vector<ExpectedTable> out;
  for (const config::ExpectedResults& given : test.results) {
    ExpectedTable table;
    table.aggregate = aggregate_of(job, plan, given.target.value);
    if (table.aggregate == plan.aggregates.size()) continue;  // reported as it was read
    table.name = given.target.value;
    table.span = given.span;
    TableReading reading(layouts[table.aggregate], diagnostics);
    for (const config::ExpectedRow& row : given.rows) {
      table.row_spans.push_back(row.span);
      table.rows.push_back(reading.row(row, table.name));
    }
    out.push_back(std::move(table));
  }
  return out;
}

}  // namespace tidemark::core
