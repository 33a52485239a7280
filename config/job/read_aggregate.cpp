// SPDX-License-Identifier: Apache-2.0
//
// [aggregates.<id>], its window and its output columns.
#include <fmt/format.h>

#include "config/job/column_expression.hpp"
#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

constexpr const char* kWindowExample = R"(such as window = { type = "tumbling", size = "1m" })";
constexpr const char* kColumnExample = R"x(such as orders = "count()")x";

void read_window(TableReader& aggregate, const std::string& path, ReadContext& context, WindowSpec& out) {
  out.span = aggregate.span();
  const TomlEntry* entry = aggregate.find_table("window");
  if (entry == nullptr) {
    if (aggregate.find("window") == nullptr) aggregate.missing("window", kWindowExample);
    return;
  }
  out.span = entry->value.span;
  TableReader table(context, entry->value, TableKind::window, path + ".window");
  const size_t before = context.diagnostics.error_count();
  if (table.find("type") == nullptr) {
    table.missing("type", kWindowExample);
  } else {
    out.type = table.choice("type", WindowType::tumbling, kWindowTypes);
  }
  // The keys of a window that there is not yet would only be noise after that error.
  const bool other_type = context.diagnostics.error_count() != before;
  if (!other_type) {
    out.size_us = table.required_duration("size", defaults::kWindowSizeRange, R"(such as size = "1m")");
    table.finish();
  }
}

void read_emit(TableReader& table, AggregateSpec& out) {
  const TomlEntry* entry = table.find("emit");
  if (entry != nullptr && entry->value.kind == Kind::table) {
    table.not_supported(entry->value.span, "`emit` = { every = … }").with_help("supported: \"on_close\"");
    out.emit = {defaults::kEmit, entry->value.span, true};
  } else {
    out.emit = table.choice("emit", defaults::kEmit, kEmitModes);
  }
}

// The place of a part of an expression in the file.
Span place_of(const TomlNode& node, TextPlace place, ReadContext& context) {
  if (node.substituted) return node.span;
  return span_inside_string(context.source, node.span, place.offset, place.size);
}

bool is_column_name(std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::all_of(name.begin(), name.end(), is_part);
}

void read_column(const TomlEntry& entry, ReadContext& context, AggregateSpec& out) {
  if (!is_column_name(entry.key)) {
    context.diagnostics
        .error(code::kBadName, entry.key_span, fmt::format("`{}` cannot be the name of a column", entry.key))
        .with_help("letters, digits and _, not starting with a digit");
  }
  if (entry.value.kind != Kind::text) {
    context.diagnostics
        .error(code::kWrongType, entry.value.span,
               fmt::format("column `{}` must be a text, not {}", entry.key, kind_name(entry.value.kind)))
        .with_help(R"x(an aggregate in quotes, such as "sum(amount)")x");
    return;
  }
  if (entry.value.placeholder) return;
  const ColumnExpression expression = parse_column_expression(entry.value.text);
  if (expression.problem) {
    context.diagnostics
        .error(expression.problem->code, place_of(entry.value, expression.problem->place, context),
               expression.problem->text)
        .with_help(expression.problem->help);
    return;
  }
  ColumnSpec column;
  column.name = {entry.key, entry.key_span, true};
  column.expression = {entry.value.text, text_span(context.source, entry.value), true};
  column.function = expression.function;
  column.function_span = place_of(entry.value, expression.function_place, context);
  column.argument = {expression.argument, column.function_span, false};
  if (!expression.argument.empty()) {
    column.argument = {expression.argument, place_of(entry.value, expression.argument_place, context), true};
  }
  out.columns.push_back(std::move(column));
}

}  // namespace

AggregateSpec read_aggregate(const TomlEntry& entry, ReadContext& context) {
  AggregateSpec out;
  out.id = read_id(entry, "aggregates", context);
  out.span = entry.value.span;
  context.ids.aggregate = entry.key;
  const std::string path = "aggregates." + quoted_key(entry.key);
  TableReader table(context, entry.value, TableKind::aggregate, path);
  out.inputs = table.text_list("inputs");
  if (table.find("inputs") == nullptr) {
    table.missing("inputs",
                  fmt::format("such as inputs = [\"{}\"]", context.ids.source.empty() ? "orders" : context.ids.source));
  } else if (const TomlEntry* inputs = table.find("inputs");
             inputs->value.kind == Kind::list && inputs->value.items.empty()) {
    context.diagnostics.error(code::kMissingKey, inputs->value.span, "`inputs` is empty").with_help("name a source");
  }
  out.key_by = table.text_list("key_by");
  read_window(table, path, context, out.window);
  read_emit(table, out);
  out.allowed_lateness_us =
      table.duration("allowed_lateness", defaults::kAllowedLateness, defaults::kAllowedLatenessRange);
  if (out.allowed_lateness_us.value > 0) {
    table.not_supported(out.allowed_lateness_us.span, "`allowed_lateness` above 0s")
        .with_help("late rows are kept: raise max_out_of_orderness to count them in time");
  }
  out.late = table.choice("late", defaults::kLate, kLatePolicies);
  if (const TomlEntry* columns = table.find_table("columns"); columns != nullptr) {
    for (const TomlEntry& column : columns->value.entries) read_column(column, context, out);
    if (columns->value.entries.empty()) {
      context.diagnostics
          .error(code::kMissingKey, columns->value.span, fmt::format("aggregate `{}` has no columns", entry.key))
          .with_help(kColumnExample);
    }
  } else if (table.find("columns") == nullptr) {
    context.diagnostics
        .error(code::kMissingKey, entry.value.span, fmt::format("aggregate `{}` has no columns", entry.key))
        .with_help(fmt::format("add a table [{}.columns], {}", path, kColumnExample));
  }
  table.finish();
  return out;
}

}  // namespace tidemark::config
