// SPDX-License-Identifier: Apache-2.0
//
// [aggregates.<id>]: inputs, conditions, keys and output columns. Expressions are kept as they are; the plan checks
// them.
#include <fmt/format.h>

#include <algorithm>

#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

constexpr const char* kColumnExample = R"x(such as orders = "count()")x";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// Where " AS name" begins at the end of an expression; npos without. A name has no blanks, so the last AS is meant.
size_t find_alias(std::string_view text, std::string_view& name) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return end;
  const size_t begin = text.find_last_of(" \t\r\n", end);
  if (begin == std::string_view::npos) return begin;
  name = text.substr(begin + 1, end - begin);
  const size_t word_end = text.find_last_not_of(" \t\r\n", begin);
  if (word_end == std::string_view::npos || word_end < 2 || !is_column_name(name)) return std::string_view::npos;
  const bool is_as = lower(text[word_end - 1]) == 'a' && lower(text[word_end]) == 's';
  const size_t before = word_end - 2;
  const bool blank = text[before] == ' ' || text[before] == '\t' || text[before] == '\r' || text[before] == '\n';
  return is_as && blank ? before : std::string_view::npos;
}

KeySpec read_key(const Spanned<std::string>& item, ReadContext& context) {
  KeySpec out;
  std::string_view name;
  const size_t alias = find_alias(item.value, name);
  if (alias != std::string_view::npos) {
    out.name = {std::string(name), item.span, true};
    out.expression = {item.value.substr(0, alias), item.span, true};
    return out;
  }
  out.expression = item;
  out.name = {item.value, item.span, false};
  if (item.value.starts_with('$')) out.name.value.erase(0, 1);
  if (is_expression(item.value)) {
    context.diagnostics.error(code::kMissingKey, item.span, fmt::format("the key `{}` has no name", item.value))
        .with_help(fmt::format("write \"{} AS name\"", item.value));
  }
  return out;
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
  out.columns.push_back(
      {{entry.key, entry.key_span, true}, {entry.value.text, text_span(context.source, entry.value), true}});
}

void read_columns(TableReader& table, const std::string& path, const TomlEntry& aggregate, ReadContext& context,
                  AggregateSpec& out) {
  if (const TomlEntry* columns = table.find_table("columns"); columns != nullptr) {
    for (const TomlEntry& column : columns->value.entries) read_column(column, context, out);
    if (!columns->value.entries.empty()) return;
    context.diagnostics
        .error(code::kMissingKey, columns->value.span, fmt::format("aggregate `{}` has no columns", aggregate.key))
        .with_help(kColumnExample);
  } else if (table.find("columns") == nullptr) {
    context.diagnostics
        .error(code::kMissingKey, aggregate.value.span, fmt::format("aggregate `{}` has no columns", aggregate.key))
        .with_help(fmt::format("add a table [{}.columns], {}", path, kColumnExample));
  }
}

// Settings of when results come that contradict the window.
void check_firing(const AggregateSpec& spec, ReadContext& context) {
  const WindowType type = spec.window.type.value;
  const auto& lateness = spec.allowed_lateness_us;
  if (type == WindowType::global && spec.emit.early.rule == FiringRule::never) {
    context.diagnostics
        .warning(code::kDoubtful, spec.emit.span, "a global window has its only result at the end of the input")
        .with_help(R"(emit = "on_update", { every = "10s" } or { count = 100 } gives results before)");
  }
  if (type == WindowType::global && lateness.value > 0) {
    context.diagnostics.warning(code::kNoEffect, lateness.span, "no row is late for a global window")
        .with_help("remove `allowed_lateness`");
  }
  if (spec.window.time.value == WindowTime::processing && lateness.value > 0) {
    context.diagnostics.warning(code::kNoEffect, lateness.span, "no row is late in processing time")
        .with_help("remove `allowed_lateness`");
  }
  if (lateness.value > 0 && spec.emit.late.rule == FiringRule::never && type != WindowType::global) {
    context.diagnostics
        .warning(code::kDoubtful, spec.emit.late.span,
                 "rows that come within allowed_lateness are counted and shown in no result")
        .with_help(
            "leave `late` out to have corrected results, or `allowed_lateness` to have such rows in the late store");
  }
  const core::Micros windows = type == WindowType::sliding || type == WindowType::cumulative
                                   ? spec.window.size_us.value / std::max<core::Micros>(spec.window.slide_us.value, 1)
                                   : 1;
  const bool again = spec.emit.early.rule != FiringRule::never || lateness.value > 0;
  if (again && windows > defaults::kCorrectedWindowsPerRowMax) {
    context.diagnostics
        .error(code::kOutOfRange, spec.window.slide_us.span,
               fmt::format("every row would give new results of {} windows", windows))
        .with_help(
            fmt::format("with early results or allowed_lateness at most {}: take a longer step, or results at the "
                        "windows' end alone",
                        defaults::kCorrectedWindowsPerRowMax));
  }
  const bool shared = type == WindowType::sliding || type == WindowType::cumulative;
  if (spec.emit.purge && shared) {
    context.diagnostics
        .error(code::kContradiction, spec.emit.span,
               fmt::format("`purge` cannot be had with {} windows, which share their rows", to_text(type)))
        .with_help("take tumbling windows, or results that cover the whole window");
  }
}

}  // namespace

bool is_column_name(std::string_view name) noexcept {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::all_of(name.begin(), name.end(), is_part);
}

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
  out.where = table.text("where", "");
  for (const Spanned<std::string>& key : table.text_list("key_by")) out.key_by.push_back(read_key(key, context));
  out.window = read_window(table, path, context);
  out.emit = read_emit(table, path, context);
  out.allowed_lateness_us =
      table.duration("allowed_lateness", defaults::kAllowedLateness, defaults::kAllowedLatenessRange);
  out.late = table.choice("late", defaults::kLate, kLatePolicies);
  out.having = table.text("having", "");
  read_columns(table, path, entry, context, out);
  check_firing(out, context);
  table.finish();
  return out;
}

}  // namespace tidemark::config
