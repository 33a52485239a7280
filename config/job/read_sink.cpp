// SPDX-License-Identifier: Apache-2.0
//
// [sinks.<id>].
#include <fmt/format.h>

#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

// Of keys that belong to a sink of another type.
void refuse_keys(TableReader& table, const SinkSpec& sink, SinkType type, std::span<const std::string_view> keys,
                 ReadContext& context) {
  for (const std::string_view key : keys) {
    const TomlEntry* entry = table.find(key);
    if (entry == nullptr) continue;
    context.diagnostics
        .error(code::kContradiction, entry->key_span,
               fmt::format("a sink of type \"{}\" has no `{}`", to_text(sink.type.value), key))
        .with_help(fmt::format("remove it, or use type = \"{}\"", to_text(type)));
  }
}

constexpr std::array<std::string_view, 3> kFileKeys = {"path", "format", "roll"};
constexpr std::array<std::string_view, 8> kMysqlKeys = {"dsn", "user",  "password", "table",
                                                        "key", "batch", "retry",    "on_reject"};

void read_roll(TableReader& table, const std::string& path, ReadContext& context, SinkSpec& out) {
  const TomlEntry* entry = table.find_table("roll");
  if (entry == nullptr) return;
  TableReader roll(context, entry->value, TableKind::sink_roll, path + ".roll");
  out.roll_bytes = roll.size("size", 0, defaults::kRollSizeRange);
  out.roll_every_us = roll.duration("every", 0, defaults::kRollEveryRange);
  if (!out.roll_bytes.given && !out.roll_every_us.given) {
    context.diagnostics.error(code::kMissingKey, entry->value.span, "`roll` says neither `size` nor `every`")
        .with_help(R"(such as roll = { size = "64MiB", every = "1h" })");
  }
  roll.finish();
}

void read_file_sink(TableReader& table, const std::string& path_of_table, ReadContext& context, SinkSpec& out) {
  Spanned<std::string> path = table.required_text("path", R"(such as path = "out/revenue.ndjson")");
  if (path.value.find('{') != std::string::npos) {
    table.not_supported(path.span, "a field in a path").with_help("a plain path, such as \"out/revenue.ndjson\"");
  } else if (path.value.ends_with('/')) {
    context.diagnostics.error(code::kUnknownValue, path.span, "`path` is a folder").with_help("name a file in it");
  }
  if (!path.value.empty()) path.value = resolve_path(context.base_dir, path.value);
  out.path = std::move(path);
  out.format = table.choice("format", defaults::kFormat, kFileFormats);
  read_roll(table, path_of_table, context, out);
}

}  // namespace

SinkSpec read_sink(const TomlEntry& entry, ReadContext& context) {
  SinkSpec out;
  out.id = read_id(entry, "sinks", context);
  out.span = entry.value.span;
  context.ids.sink = entry.key;
  TableReader table(context, entry.value, TableKind::sink, "sinks." + quoted_key(entry.key));
  out.inputs = table.text_list("inputs");
  if (table.find("inputs") == nullptr) {
    table.missing("inputs", fmt::format("such as inputs = [\"{}\"]",
                                        context.ids.aggregate.empty() ? "revenue" : context.ids.aggregate));
  } else if (const TomlEntry* inputs = table.find("inputs");
             inputs->value.kind == TomlNode::Kind::list && inputs->value.items.empty()) {
    context.diagnostics.error(code::kMissingKey, inputs->value.span, "`inputs` is empty")
        .with_help("name an aggregate");
  }
  const size_t before = context.diagnostics.error_count();
  out.type = table.choice("type", SinkType::stdout_text, kSinkTypes);
  if (!out.type.given) table.missing("type", R"("stdout", "file" or "mysql")");
  if (context.diagnostics.error_count() != before) return out;  // which keys it has is not known
  if (out.type.value == SinkType::file) {
    read_file_sink(table, "sinks." + quoted_key(entry.key), context, out);
  } else {
    refuse_keys(table, out, SinkType::file, kFileKeys, context);
  }
  if (out.type.value == SinkType::mysql) {
    out.mysql = read_mysql_sink(table, "sinks." + quoted_key(entry.key), context);
  } else {
    refuse_keys(table, out, SinkType::mysql, kMysqlKeys, context);
  }
  table.finish();
  return out;
}

}  // namespace tidemark::config
