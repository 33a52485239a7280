// SPDX-License-Identifier: Apache-2.0
//
// [sources.<id>] and [sources.<id>.watermark]. Keys that are not the host's own are kept for the plugin.
#include <fmt/format.h>

#include <algorithm>

#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

PluginOption::Kind option_kind(Kind kind) {
  switch (kind) {
    case Kind::text:
      return PluginOption::Kind::text;
    case Kind::integer:
      return PluginOption::Kind::integer;
    case Kind::floating:
      return PluginOption::Kind::floating;
    case Kind::boolean:
      return PluginOption::Kind::boolean;
    case Kind::time:
      return PluginOption::Kind::time;
    case Kind::list:
      return PluginOption::Kind::list;
    case Kind::table:
      return PluginOption::Kind::table;
  }
  return PluginOption::Kind::table;
}

PluginOption read_option(const TomlEntry& entry, ReadContext& context) {
  PluginOption out;
  out.name = entry.key;
  out.name_span = entry.key_span;
  out.kind = option_kind(entry.value.kind);
  out.span = text_span(context.source, entry.value);
  out.placeholder = entry.value.placeholder;
  if (out.kind == PluginOption::Kind::table) return out;
  if (out.kind != PluginOption::Kind::list) {
    out.values.push_back({entry.value.text, out.span, true});
    return out;
  }
  for (const TomlNode& item : entry.value.items) {
    const Span at = text_span(context.source, item);
    if (item.kind == Kind::list || item.kind == Kind::table) {
      context.diagnostics
          .error(code::kWrongType, at, fmt::format("an item of `{}` cannot be {}", entry.key, kind_name(item.kind)))
          .with_help("lists hold texts or numbers");
      continue;
    }
    out.placeholder = out.placeholder || item.placeholder;
    out.values.push_back({item.text, at, true});
  }
  return out;
}

void read_all_idle(TableReader& table, const std::string& path, ReadContext& context, WatermarkSpec& out) {
  const TomlEntry* entry = table.find("all_idle");
  if (entry == nullptr) {
    out.all_idle = {defaults::kAllIdle, table.span(), false};
    return;
  }
  if (entry->value.kind != Kind::table) {
    out.all_idle = table.choice_of(*entry, defaults::kAllIdle, kAllIdle);
    return;
  }
  out.all_idle = {AllIdle::advance_after, entry->value.span, true};
  TableReader policy(context, entry->value, TableKind::all_idle, path + ".all_idle");
  out.advance_after_us = policy
                             .required_duration("advance_after", defaults::kAdvanceAfterRange,
                                                R"(write { advance_after = "5m", lag = "1m" })")
                             .value;
  out.lag_us = policy.duration("lag", defaults::kLag, defaults::kLagRange).value;
  policy.finish();
  table.not_supported(entry->value.span, "`all_idle` = { advance_after }").with_help(R"(take "hold" or "flush")");
}

void read_field(TableReader& table, ReadContext& context, WatermarkSpec& out) {
  out.field = table.text("field", defaults::kField);
  const std::string& name = out.field.value;
  if (name == "$header_time") {
    table.not_supported(out.field.span, "`field` = \"$header_time\"").with_help("a column, or \"$commit_time\"");
  } else if (name.starts_with('$') && name != "$commit_time") {
    context.diagnostics.error(code::kUnknownValue, out.field.span, fmt::format("`field` cannot be \"{}\"", name))
        .with_help("a column, or \"$commit_time\"");
  } else if (name.find_first_of("()+*/ ") != std::string::npos) {
    table.not_supported(out.field.span, "an expression as `field`").with_help("a column, or \"$commit_time\"");
  } else if (name.empty()) {
    context.diagnostics.error(code::kUnknownValue, out.field.span, "`field` is empty")
        .with_help("a column, or \"$commit_time\"");
  }
}

// "plugin:<name>" names a strategy of a plugin; the rest are words.
void read_strategy(TableReader& table, WatermarkSpec& out) {
  const TomlEntry* entry = table.find("strategy");
  if (entry != nullptr && entry->value.kind == Kind::text && entry->value.text.starts_with("plugin:")) {
    table.not_supported(entry->value.span, "a strategy from a plugin")
        .with_help(R"(supported: "bounded_out_of_orderness", "ascending", "none")");
    out.strategy = {defaults::kStrategy, entry->value.span, true};
  } else {
    out.strategy = table.choice("strategy", defaults::kStrategy, kStrategies);
  }
}

WatermarkSpec read_watermark(const TomlNode& node, const std::string& path, ReadContext& context) {
  TableReader table(context, node, TableKind::watermark, path);
  WatermarkSpec out;
  out.span = node.span;
  read_field(table, context, out);
  read_strategy(table, out);
  out.max_out_of_orderness_us =
      table.duration("max_out_of_orderness", defaults::kMaxOutOfOrderness, defaults::kMaxOutOfOrdernessRange);
  if (out.strategy.value != WatermarkStrategy::bounded_out_of_orderness) {
    if (out.max_out_of_orderness_us.given) {
      context.diagnostics
          .warning(
              code::kNoEffect, out.max_out_of_orderness_us.span,
              fmt::format("`max_out_of_orderness` has no effect with strategy \"{}\"", to_text(out.strategy.value)))
          .with_help("remove it, or use strategy = \"bounded_out_of_orderness\"");
    }
    out.max_out_of_orderness_us.value = 0;
  }
  out.idle_timeout_us = table.duration("idle_timeout", defaults::kIdleTimeout, defaults::kIdleTimeoutRange);
  out.emit_interval_us = table.duration("emit_interval", defaults::kEmitInterval, defaults::kEmitIntervalRange);
  read_all_idle(table, path, context, out);
  out.on_resume = table.choice("on_resume", defaults::kOnResume, kOnResume);
  table.finish();
  return out;
}

}  // namespace

SourceSpec read_source(const TomlEntry& entry, ReadContext& context) {
  SourceSpec out;
  out.id = read_id(entry, "sources", context);
  out.span = entry.value.span;
  context.ids.source = entry.key;
  const std::string path = "sources." + quoted_key(entry.key);
  TableReader table(context, entry.value, TableKind::source, path);
  out.type = table.required_text("type", R"(the plugin that reads it, such as type = "binlog_file")");
  out.mode = table.choice("mode", defaults::kMode, kInputModes);
  out.on_bad_event = table.choice("on_bad_event", defaults::kOnBadEvent, kOnBadEvent);
  const TomlEntry* watermark = table.find_table("watermark");
  TomlNode none;
  none.span = entry.value.span;
  out.watermark = read_watermark(watermark != nullptr ? watermark->value : none, path + ".watermark", context);
  const std::span<const std::string_view> own = keys_of(TableKind::source);
  for (const TomlEntry& option : entry.value.entries) {
    if (std::find(own.begin(), own.end(), option.key) == own.end()) out.options.push_back(read_option(option, context));
  }
  return out;
}

}  // namespace tidemark::config
