// SPDX-License-Identifier: Apache-2.0
//
// [sources.<id>.watermark]: where event time comes from, how watermarks are made and merged, and how shards wait for
// each other. Expressions and names of plugins are kept as they are; the plan checks them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/job/nearest_name.hpp"
#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

constexpr std::string_view kPluginPrefix = "plugin:";
constexpr std::string_view kPluginForm = R"("plugin:<name>")";
constexpr std::string_view kAdvanceForm = R"({ advance_after = "5m", lag = "1m" })";

void no_effect(ReadContext& context, Span span, std::string text, std::string help) {
  context.diagnostics.warning(code::kNoEffect, span, std::move(text)).with_help(std::move(help));
}

void read_all_idle(TableReader& table, const std::string& path, ReadContext& context, WatermarkSpec& out) {
  const TomlEntry* entry = table.find("all_idle");
  if (entry == nullptr) {
    out.all_idle = {defaults::kAllIdle, table.span(), false};
    return;
  }
  if (entry->value.kind == Kind::text && entry->value.text.starts_with("advance")) {
    out.all_idle = {defaults::kAllIdle, text_span(context.source, entry->value), true};
    context.diagnostics
        .error(code::kUnknownValue, out.all_idle.span, fmt::format("`all_idle` cannot be \"{}\"", entry->value.text))
        .with_help(fmt::format("write all_idle = {}", kAdvanceForm));
    return;
  }
  if (entry->value.kind != Kind::table) {
    out.all_idle = table.choice_of(*entry, defaults::kAllIdle, kAllIdle, kAdvanceForm);
    return;
  }
  out.all_idle = {AllIdle::advance_after, entry->value.span, true};
  TableReader policy(context, entry->value, TableKind::all_idle, path + ".all_idle");
  out.advance_after_us =
      policy.required_duration("advance_after", defaults::kAdvanceAfterRange, fmt::format("write {}", kAdvanceForm))
          .value;
  out.lag_us = policy.duration("lag", defaults::kLag, defaults::kLagRange).value;
  policy.finish();
}

void read_field(TableReader& table, ReadContext& context, WatermarkSpec& out) {
  constexpr const char* kHelp = R"(a column, an expression, "$commit_time" or "$header_time")";
  out.field = table.text("field", defaults::kField, kHelp);
  const std::string& name = out.field.value;
  if (name.starts_with('$') && name != "$commit_time" && name != "$header_time") {
    context.diagnostics.error(code::kUnknownValue, out.field.span, fmt::format("`field` cannot be \"{}\"", name))
        .with_help(kHelp);
  } else if (name.empty()) {
    context.diagnostics.error(code::kUnknownValue, out.field.span, "`field` is empty").with_help(kHelp);
  }
}

// A word, or "plugin:<name>" for a generator of a plugin. False when it is refused: what it was meant to be is not
// known, so that nothing can be said of keys that belong to one strategy.
bool read_strategy(TableReader& table, ReadContext& context, WatermarkSpec& out) {
  const size_t errors_before = context.diagnostics.error_count();
  const TomlEntry* entry = table.find("strategy");
  if (entry == nullptr || entry->value.kind != Kind::text || !entry->value.text.starts_with(kPluginPrefix)) {
    out.strategy = table.choice("strategy", defaults::kStrategy, kStrategies, kPluginForm);
  } else {
    out.strategy = {WatermarkStrategy::plugin, text_span(context.source, entry->value), true};
    out.generator = {entry->value.text.substr(kPluginPrefix.size()), out.strategy.span, true};
    if (out.generator.value.empty()) {
      context.diagnostics.error(code::kUnknownValue, out.strategy.span, "`strategy` names no plugin")
          .with_help(R"(write "plugin:<name>"; tidemark plugin ls lists them)");
    }
  }
  const bool good = context.diagnostics.error_count() == errors_before;
  if (const TomlEntry* options = table.find_table("strategy_options")) {
    for (const TomlEntry& option : options->value.entries) {
      out.generator_options.push_back(read_option(option, context));
    }
    if (good && out.strategy.value != WatermarkStrategy::plugin) {
      no_effect(context, options->key_span, "`strategy_options` has no effect without a plugin's strategy",
                R"(remove it, or write strategy = "plugin:<name>")");
    }
  }
  return good;
}

void read_marker(TableReader& table, bool strategy_is_good, ReadContext& context, WatermarkSpec& out) {
  const bool wanted = out.strategy.value == WatermarkStrategy::punctuated;
  if (wanted) {
    out.marker = table.required_text("marker", R"(an expression that is true for the rows that carry the watermark)");
    return;
  }
  out.marker = table.text("marker", "");
  // A plugin's generator is told of marked rows too.
  if (strategy_is_good && out.marker.given && out.strategy.value != WatermarkStrategy::plugin) {
    no_effect(context, out.marker.span,
              fmt::format("`marker` has no effect with strategy \"{}\"", to_text(out.strategy.value)),
              R"(remove it, or use strategy = "punctuated")");
  }
}

void read_bound(TableReader& table, ReadContext& context, WatermarkSpec& out) {
  out.max_out_of_orderness_us =
      table.duration("max_out_of_orderness", defaults::kMaxOutOfOrderness, defaults::kMaxOutOfOrdernessRange);
  if (out.strategy.value == WatermarkStrategy::bounded_out_of_orderness) return;
  if (out.max_out_of_orderness_us.given) {
    no_effect(context, out.max_out_of_orderness_us.span,
              fmt::format("`max_out_of_orderness` has no effect with strategy \"{}\"", to_text(out.strategy.value)),
              "remove it, or use strategy = \"bounded_out_of_orderness\"");
  }
  out.max_out_of_orderness_us.value = 0;
}

// "Never", "nevr", "off" and the like; false, which other tools take.
bool means_never(const TomlNode& value) {
  if (value.kind == Kind::boolean) return value.text == "false";
  if (value.kind != Kind::text || value.placeholder) return false;
  constexpr std::array<std::string_view, 6> kWords = {"off", "none", "disabled", "forever", "infinite", "infinity"};
  const std::string word = snake_case(value.text);
  return core::edit_distance(word, "never") <= 2 || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

void read_idle_timeout(TableReader& table, ReadContext& context, WatermarkSpec& out) {
  const TomlEntry* entry = table.find("idle_timeout");
  if (entry != nullptr && entry->value.kind == Kind::text && entry->value.text == "never") {
    out.idle_timeout_us = {0, text_span(context.source, entry->value), true};
    return;
  }
  if (entry != nullptr && means_never(entry->value)) {
    out.idle_timeout_us = {defaults::kIdleTimeout, text_span(context.source, entry->value), true};
    const bool is_text = entry->value.kind == Kind::text;
    context.diagnostics
        .error(is_text ? code::kUnknownValue : code::kWrongType, out.idle_timeout_us.span,
               is_text ? fmt::format("`idle_timeout` cannot be \"{}\"", entry->value.text)
                       : fmt::format("`idle_timeout` must be a duration, not {}", kind_name(entry->value.kind)))
        .with_help(R"(did you mean "never"? Else a duration, such as "1m")");
    return;
  }
  out.idle_timeout_us = table.duration("idle_timeout", defaults::kIdleTimeout, defaults::kIdleTimeoutRange);
}

// Where no time makes a shard idle, all of them are at once only if the source says so.
void warn_of_never_idle(ReadContext& context, const WatermarkSpec& spec) {
  const bool never = spec.idle_timeout_us.given && spec.idle_timeout_us.value == 0;
  if (!never || !spec.all_idle.given || spec.all_idle.value == AllIdle::hold) return;
  no_effect(
      context, spec.all_idle.span,
      R"(`all_idle` has no effect with idle_timeout = "never", unless the source itself says that shards are idle)",
      R"(take an idle_timeout such as "1m", or remove it)");
}

void read_future(TableReader& table, ReadContext& context, WatermarkSpec& out) {
  out.max_future_us = table.duration("max_future", 0, defaults::kMaxFutureRange);
  out.on_future = table.choice("on_future", defaults::kOnFuture, kOnFuture);
  if (out.on_future.given && !out.max_future_us.given) {
    no_effect(context, out.on_future.span, "`on_future` has no effect without `max_future`",
              R"(add max_future = "1m", or remove it)");
  }
}

void read_alignment(TableReader& table, const std::string& path, ReadContext& context, WatermarkSpec& out) {
  const TomlEntry* entry = table.find_table("alignment");
  if (entry == nullptr) return;
  AlignmentSpec& spec = out.alignment;
  spec.given = true;
  spec.span = entry->key_span;
  TableReader alignment(context, entry->value, TableKind::alignment, path + ".alignment");
  spec.group = alignment.required_text("group", R"(sources that name the same group wait for each other)");
  spec.max_drift_us = alignment.required_duration("max_drift", defaults::kMaxDriftRange,
                                                  R"(how far a shard may be ahead of the slowest, such as "1m")");
  spec.update_interval_us =
      alignment.duration("update_interval", defaults::kUpdateInterval, defaults::kUpdateIntervalRange);
  spec.timeout_us = alignment.duration("timeout", defaults::kAlignmentTimeout, defaults::kAlignmentTimeoutRange);
  alignment.finish();
  if (out.strategy.value == WatermarkStrategy::none) {
    no_effect(context, spec.span, "`alignment` has no effect with strategy \"none\": its shards have no watermark",
              "remove it, or choose another strategy");
  } else if (spec.max_drift_us.given && spec.max_drift_us.value < out.max_out_of_orderness_us.value) {
    context.diagnostics
        .warning(code::kDoubtful, spec.max_drift_us.span,
                 fmt::format("`max_drift` is below `max_out_of_orderness` ({}): shards pause again and again",
                             core::format_duration(out.max_out_of_orderness_us.value)))
        .with_help("take a longer max_drift");
  }
}

}  // namespace

WatermarkSpec read_watermark(const TomlNode& node, const std::string& path, ReadContext& context) {
  TableReader table(context, node, TableKind::watermark, path);
  WatermarkSpec out;
  out.span = node.span;
  read_field(table, context, out);
  const bool strategy_is_good = read_strategy(table, context, out);
  read_marker(table, strategy_is_good, context, out);
  read_bound(table, context, out);
  read_idle_timeout(table, context, out);
  out.emit_interval_us = table.duration("emit_interval", defaults::kEmitInterval, defaults::kEmitIntervalRange);
  read_all_idle(table, path, context, out);
  warn_of_never_idle(context, out);
  out.on_resume = table.choice("on_resume", defaults::kOnResume, kOnResume);
  read_future(table, context, out);
  read_alignment(table, path, context, out);
  table.finish();
  return out;
}

}  // namespace tidemark::config
