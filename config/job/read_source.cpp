// SPDX-License-Identifier: Apache-2.0
//
// [sources.<id>]. Keys that are not the host's own are kept for the plugin.
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

}  // namespace

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

namespace {

// Overrides for single shards. A zone is all that they can have of their own so far.
std::vector<ShardSpec> read_shards(TableReader& source, const std::string& path, ReadContext& context) {
  std::vector<ShardSpec> out;
  const TomlEntry* entry = source.find("shard");
  if (entry == nullptr) return out;
  const auto is_table = [](const TomlNode& node) { return node.kind == Kind::table; };
  if (entry->value.kind != Kind::list || !std::all_of(entry->value.items.begin(), entry->value.items.end(), is_table)) {
    context.diagnostics.error(code::kWrongType, entry->value.span, "`shard` must be a list of tables")
        .with_help(fmt::format("write [[{}.shard]] with name = \"shard-03\"", path));
    return out;
  }
  for (const TomlNode& item : entry->value.items) {
    TableReader table(context, item, TableKind::shard, path + ".shard");
    ShardSpec shard;
    shard.span = item.span;
    shard.name = table.required_text("name", R"(a split's name or a glob, such as name = "shard-0*")");
    shard.time_zone = table.text("time_zone", defaults::kTimeZone);
    check_time_zone(shard.time_zone, table.find("time_zone"), context);
    table.finish();
    out.push_back(std::move(shard));
  }
  return out;
}

// Rows are kept to take back what was counted, and only a changelog does that.
void check_kept_rows(const SourceSpec& source, ReadContext& context) {
  if (source.mode.value == InputMode::changelog) return;
  const auto refuse = [&](Span span, std::string_view setting) {
    context.diagnostics
        .error(code::kContradiction, span,
               fmt::format("{} keeps the source's rows to take them back, and mode = \"append\" takes nothing back",
                           setting))
        .with_help("set mode = \"changelog\"");
  };
  if (source.on_truncate.value == OnTruncate::apply) refuse(source.on_truncate.span, "on_truncate = \"apply\"");
  if (source.on_partial_image.value == OnPartialImage::complete) {
    refuse(source.on_partial_image.span, "on_partial_image = \"complete\"");
  }
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
  out.on_truncate = table.choice("on_truncate", defaults::kOnTruncate, kOnTruncate);
  out.on_partial_image = table.choice("on_partial_image", defaults::kOnPartialImage, kOnPartialImage);
  out.no_base = table.choice("no_base", defaults::kNoBase, kNoBase);
  out.time_zone = table.text("time_zone", defaults::kTimeZone);
  check_time_zone(out.time_zone, table.find("time_zone"), context);
  out.shards = read_shards(table, path, context);
  out.discover_interval_us =
      table.duration("discover_interval", defaults::kDiscoverInterval, defaults::kDiscoverIntervalRange);
  check_kept_rows(out, context);
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
