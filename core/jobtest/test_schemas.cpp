// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/jobtest/test_schemas.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/job/check_columns.hpp"
#include "config/job/codes.hpp"
#include "config/job/nearest_name.hpp"
#include "core/jobtest/cell_value.hpp"
#include "core/jobtest/sql_type.hpp"

namespace tidemark::core {
namespace {

using config::TestCell;
using config::TestValue;
using Kind = TestValue::Kind;

/// What the rows show of one column.
struct SeenColumn {
  std::string name;
  const TestValue* first = nullptr;  // that says something
  const TestValue* other = nullptr;  // the first that does not fit it
  size_t whole = 1;                  // digits in front of the point, at most
  size_t scale = 0;                  // digits behind it, at most
  bool exponent = false;
  bool has_decimal = false;
  bool all_timestamps = true;
};

bool is_number(const TestValue& value) {
  return value.kind == Kind::integer || value.kind == Kind::decimal;
}

bool looks_like_number(const TestValue& value) {
  Int256 out;
  return is_number(value) || (value.kind == Kind::text && parse_decimal(value.text, 38, out));
}

void see_digits(const std::string& text, SeenColumn& out) {
  const std::string_view digits = text.starts_with('-') ? std::string_view(text).substr(1) : std::string_view(text);
  if (digits.find_first_not_of("0123456789.") != std::string_view::npos) out.exponent = true;  // also inf and nan
  const size_t point = digits.find('.');
  out.whole = std::max(out.whole, std::min(point, digits.size()));
  if (point != std::string_view::npos) out.scale = std::max(out.scale, digits.size() - point - 1);
}

bool goes_with(const TestValue& first, const TestValue& value) {
  if (is_number(first)) return looks_like_number(value);
  if (first.kind == Kind::time && value.kind == Kind::time) {
    return first.time.has_date == value.time.has_date && first.time.has_clock == value.time.has_clock;
  }
  return first.kind == value.kind || (first.kind == Kind::text && is_number(value) && looks_like_number(first));
}

void see(const TestCell& cell, std::vector<SeenColumn>& columns) {
  const std::string& name = cell.column.value;
  if (name.starts_with('$')) return;
  auto at = std::find_if(columns.begin(), columns.end(), [&](const SeenColumn& one) { return one.name == name; });
  if (at == columns.end()) {
    columns.push_back({});
    at = columns.end() - 1;
    at->name = name;
  }
  const TestValue& value = cell.value;
  if (value.kind == Kind::null) return;
  if (at->first == nullptr) {
    at->first = &value;
  } else if (!goes_with(*at->first, value)) {
    if (at->other == nullptr) at->other = &value;
    return;
  }
  if (is_number(value)) at->first = &value;  // a text among numbers is one, not the other way round
  if (looks_like_number(value)) see_digits(value.text, *at);
  at->has_decimal |= value.kind == Kind::decimal;
  at->all_timestamps &= value.kind == Kind::time && value.time.has_offset;
}

ColumnInfo type_of(const SeenColumn& column) {
  ColumnInfo out;
  out.name = column.name;
  if (column.first == nullptr) return out;  // NULL everywhere: any type will do
  switch (column.first->kind) {
    case Kind::null:
      break;
    case Kind::text:
      out.type = ColumnType::text;
      break;
    case Kind::boolean:
      out.type = ColumnType::boolean;
      break;
    case Kind::integer:
    case Kind::decimal:
      if (column.exponent) {
        out.type = ColumnType::float64;
      } else if (column.has_decimal || column.scale > 0 || column.whole > 18) {
        const size_t digits = column.whole + column.scale;
        out.type = digits <= 18   ? ColumnType::decimal64
                   : digits <= 38 ? ColumnType::decimal128
                                  : ColumnType::decimal256;
        out.precision = static_cast<uint8_t>(digits <= 18 ? 18 : digits <= 38 ? 38 : 65);
        out.scale = static_cast<uint8_t>(column.scale);
      }
      break;
    case Kind::time: {
      const config::TomlTime& time = column.first->time;
      out.type = !time.has_clock         ? ColumnType::date
                 : !time.has_date        ? ColumnType::time
                 : column.all_timestamps ? ColumnType::timestamp
                                         : ColumnType::datetime;
      break;
    }
  }
  return out;
}

class SchemaReader {
 public:
  SchemaReader(const config::JobSpec& job, config::Diagnostics& diagnostics) : job_(job), diagnostics_(diagnostics) {}

  Schema complete(const config::SourceSpec& source, const Schema* known) {
    Schema declared = declared_of(source.id.value);
    if (known != nullptr) {
      compare(source, declared, *known);
      return *known;
    }
    for (SeenColumn& column : seen_of(source.id.value)) {
      if (declared.find(column.name) >= 0) continue;
      if (column.other != nullptr) {
        diagnostics_
            .error(config::code::kWrongType, column.other->span,
                   fmt::format("`{}` of source `{}` is {} here and {} in another row", column.name, source.id.value,
                               column.other->text, column.first->text))
            .with_help(fmt::format("say what it is: schema.{} = {{ {} = \"…\" }}", source.id.value, column.name));
      }
      declared.columns.push_back(type_of(column));
    }
    return declared;
  }

 private:
  // The first test to name a column says its type for all of them.
  Schema declared_of(const std::string& source) {
    Schema out;
    for (const config::TestSpec& test : job_.tests) {
      for (const config::TestColumnType& one : test.schema) {
        if (one.source.value != source) continue;
        auto info = read_sql_type(one.type.value);
        if (!info) {
          auto& finding = diagnostics_.error(config::code::kUnknownValue, one.type.span,
                                             fmt::format("there is no column type \"{}\"", one.type.value));
          const auto near = config::nearest_name(one.type.value, sql_type_names());
          finding.with_help(near ? fmt::format("did you mean \"{}\"?", *near)
                                 : "such as \"bigint\", \"decimal(18,4)\", \"varchar\" or \"datetime\"");
          continue;
        }
        info->name = one.column.value;
        spans_.emplace_back(source + "." + info->name, one.column.span);
        const int same = out.find(info->name);
        if (same < 0) {
          out.columns.push_back(*std::move(info));
        } else if (!(out.columns[static_cast<size_t>(same)] == *info)) {
          diagnostics_
              .error(config::code::kContradiction, one.type.span,
                     fmt::format("`{}` is {} in another test", info->name,
                                 type_text(out.columns[static_cast<size_t>(same)])))
              .with_help("all tests see the same columns: name the type once");
        }
      }
    }
    return out;
  }

  std::vector<SeenColumn> seen_of(const std::string& source) const {
    std::vector<SeenColumn> out;
    for (const config::TestSpec& test : job_.tests) {
      for (const config::TestStep& step : test.steps) {
        if (step.source.value != source) continue;
        for (const config::TestRow& row : step.rows) {
          for (const auto* cells : {&row.cells, &row.before}) {
            for (const TestCell& cell : *cells) see(cell, out);
          }
        }
      }
    }
    return out;
  }

  // The input is there and knows better.
  void compare(const config::SourceSpec& source, const Schema& declared, const Schema& known) {
    for (const ColumnInfo& column : declared.columns) {
      const auto span = std::find_if(spans_.begin(), spans_.end(), [&](const auto& one) {
                          return one.first == source.id.value + "." + column.name;
                        })->second;
      const int at = known.find(column.name);
      if (at < 0) {
        std::vector<std::string> names;
        for (const ColumnInfo& one : known.columns) names.push_back(one.name);
        auto& finding = diagnostics_.error(config::code::kUnknownColumn, span,
                                           fmt::format("no column `{}` in `{}`", column.name, source.id.value));
        if (const auto near = config::nearest_name(column.name, names)) {
          finding.with_help(fmt::format("did you mean `{}`?", *near));
        }
        finding.with_note(config::columns_note(source.id.value, names));
        continue;
      }
      const ColumnInfo& real = known.columns[static_cast<size_t>(at)];
      if (real.type == column.type && real.scale == column.scale) continue;
      diagnostics_
          .warning(config::code::kDoubtful, span,
                   fmt::format("`{}` is {} in the input, not {}", column.name, type_text(real), type_text(column)))
          .with_help("the input's type counts where the input is there");
    }
  }

  const config::JobSpec& job_;
  config::Diagnostics& diagnostics_;
  std::vector<std::pair<std::string, config::Span>> spans_;  // of declared columns, by "source.column"
};

}  // namespace

SchemasById test_schemas(const config::JobSpec& job, const SchemasById& known, config::Diagnostics& diagnostics) {
  SchemaReader reader(job, diagnostics);
  SchemasById out;
  for (const config::SourceSpec& source : job.sources) {
    const auto found = known.find(source.id.value);
    out[source.id.value] = reader.complete(source, found == known.end() ? nullptr : &found->second);
  }
  return out;
}

}  // namespace tidemark::core
