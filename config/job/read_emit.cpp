// SPDX-License-Identifier: Apache-2.0
//
// `emit` of an aggregate: a word, or a table that says when results come early and late. The short forms stand for
// early results; late ones then come with every change.
#include <fmt/format.h>

#include <array>

#include "config/job/nearest_name.hpp"
#include "config/job/sections.hpp"
#include "config/job/units.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

constexpr const char* kEmitForms =
    R"("on_close", "on_update", { every = "10s" }, { count = 100 } or { early = …, late = …, purge = true })";
constexpr const char* kFiringForms =
    R"("never", "on_update", "10s", { every = "10s", time = "event" } or { count = 100 })";

void read_every_and_count(TableReader& table, Span span, ReadContext& context, FiringSpec& out) {
  const TomlEntry* every = table.find("every");
  const TomlEntry* count = table.find("count");
  if (every != nullptr) {
    out.rule = FiringRule::every;
    out.interval_us = table.duration("every", defaults::kSecond, defaults::kEveryRange).value;
    out.event_time = table.choice("time", WindowTime::processing, kWindowTimes).value == WindowTime::event;
  } else if (const TomlEntry* time = table.find("time")) {
    context.diagnostics.error(code::kMissingKey, time->key_span, "`time` goes with `every`")
        .with_help(R"(such as { every = "10s", time = "event" })");
  }
  if (count != nullptr) {
    out.rule = FiringRule::count;
    out.count = table.integer("count", 1, defaults::kCountRange).value;
  }
  if (every != nullptr && count != nullptr) {
    context.diagnostics.error(code::kContradiction, count->key_span, "`every` and `count` do not go together")
        .with_help("take one of them");
  }
  out.span = span;
}

FiringSpec read_firing(TableReader& emit, std::string_view key, const std::string& path, ReadContext& context,
                       FiringSpec fallback) {
  const TomlEntry* entry = emit.find(key);
  if (entry == nullptr) return fallback;
  FiringSpec out;
  out.span = entry->value.span;
  if (entry->value.kind == Kind::table) {
    TableReader table(context, entry->value, TableKind::firing, fmt::format("{}.{}", path, key));
    read_every_and_count(table, entry->value.span, context, out);
    if (out.rule == FiringRule::never) {
      context.diagnostics.error(code::kMissingKey, entry->value.span, fmt::format("`{}` does not say when", key))
          .with_help(kFiringForms);
    }
    table.finish();
    return out;
  }
  const std::string& text = entry->value.text;
  if (entry->value.kind == Kind::text && (text == "never" || entry->value.placeholder)) return out;
  if (entry->value.kind == Kind::text && text == "on_update") {
    out.rule = FiringRule::on_update;
    return out;
  }
  if (entry->value.kind == Kind::text && !text.empty() && text.front() >= '0' && text.front() <= '9') {
    out.rule = FiringRule::every;
    out.interval_us = emit.duration(key, defaults::kSecond, defaults::kEveryRange).value;
    return out;
  }
  context.diagnostics
      .error(code::kUnknownValue, text_span(context.source, entry->value),
             fmt::format("`{}` cannot be {}", key,
                         entry->value.kind == Kind::text ? fmt::format("\"{}\"", text)
                                                         : std::string(kind_name(entry->value.kind))))
      .with_help(fmt::format("one of: {}", kFiringForms));
  return out;
}

void read_word(const TomlEntry& entry, ReadContext& context, EmitSpec& out) {
  const std::string& text = entry.value.text;
  if (entry.value.placeholder || text == "on_close") return;
  if (text == "on_update") {
    out.early.rule = FiringRule::on_update;
    return;
  }
  const std::array<std::string, 2> words = {"on_close", "on_update"};
  const auto near = nearest_name(text, words);
  const bool duration = read_duration(text).problem == UnitProblem::none;
  context.diagnostics
      .error(code::kUnknownValue, text_span(context.source, entry.value), fmt::format("`emit` cannot be \"{}\"", text))
      .with_help(duration ? fmt::format("write emit = {{ every = \"{}\" }}", text)
                 : near   ? fmt::format("did you mean \"{}\"? Forms: {}", *near, kEmitForms)
                          : fmt::format("one of: {}", kEmitForms));
}

}  // namespace

EmitSpec read_emit(TableReader& aggregate, const std::string& path, ReadContext& context) {
  EmitSpec out;
  out.span = aggregate.span();
  out.early.span = out.late.span = out.span;
  out.late.rule = FiringRule::on_update;
  const TomlEntry* entry = aggregate.find("emit");
  if (entry == nullptr) return out;
  out.span = entry->value.span;
  out.early.span = out.late.span = out.span;
  out.given = true;
  if (entry->value.kind == Kind::text) {
    read_word(*entry, context, out);
    return out;
  }
  if (entry->value.kind != Kind::table) {
    context.diagnostics
        .error(code::kWrongType, entry->value.span,
               fmt::format("`emit` must be a text or a table, not {}", kind_name(entry->value.kind)))
        .with_help(fmt::format("one of: {}", kEmitForms));
    return out;
  }
  const std::string inner = path + ".emit";
  TableReader table(context, entry->value, TableKind::emit, inner);
  read_every_and_count(table, entry->value.span, context, out.early);
  const TomlEntry* early = table.find("early");
  if (early != nullptr && out.early.rule != FiringRule::never) {
    context.diagnostics.error(code::kContradiction, early->key_span, "`early` and a short form do not go together")
        .with_help("`every` and `count` beside `early` are early results already");
  }
  out.early = read_firing(table, "early", inner, context, out.early);
  out.late = read_firing(table, "late", inner, context, out.late);
  if (const TomlEntry* purge = table.find("purge")) {
    if (purge->value.kind != Kind::boolean) {
      context.diagnostics.error(code::kWrongType, purge->value.span, "`purge` must be true or false");
    }
    out.purge = purge->value.kind == Kind::boolean && purge->value.boolean;
  }
  table.finish();
  return out;
}

}  // namespace tidemark::config
