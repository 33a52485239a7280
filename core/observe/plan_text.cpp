// SPDX-License-Identifier: Apache-2.0
//
// For people: a heading per component, sentences below it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/observe/explanation.hpp"
#include "core/observe/plan_rendering.hpp"

namespace tidemark::core {
namespace {

using Columns = std::vector<DescribedColumn>;

// A line of its own must stay one, whatever stands in names and expressions.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

size_t longest_name(const Columns& columns) {
  size_t out = 0;
  for (const DescribedColumn& column : columns) out = std::max(out, column.name.size());
  return out;
}

std::string names(const Columns& columns) {
  std::string out;
  for (const DescribedColumn& column : columns) out += (out.empty() ? "" : ", ") + one_line(column.name);
  return out;
}

std::string type_of(const DescribedColumn& column) {
  if (column.type.empty()) return "(type not known)";
  return column.nullable ? column.type : column.type + " not null";
}

void add_columns(const Columns& columns, std::string& out) {
  const size_t width = longest_name(columns);
  for (const DescribedColumn& column : columns) {
    out += fmt::format("    {:<{}}  {}", one_line(column.name), width, type_of(column));
    if (!column.expression.empty() && column.expression != column.name) out += " = " + one_line(column.expression);
    out += column.note.empty() ? "\n" : fmt::format("  ({})\n", one_line(column.note));
  }
}

void add_sentences(const char* heading, const std::vector<std::string>& sentences, std::string& out) {
  if (sentences.empty()) return;
  out += fmt::format("  {}:\n", heading);
  for (const std::string& sentence : sentences) out += fmt::format("    - {}\n", one_line(sentence));
}

void add_splits(const SourceDescription& source, std::string& out) {
  if (!source.splits) return;
  out += fmt::format("  shards: {}\n", source.splits->size());
  for (const FoundSplit& split : *source.splits) {
    out += one_line(fmt::format("    {}{}{}", split.id, split.note.empty() ? "" : ": ", split.note)) + "\n";
  }
}

void add_source(const SourceDescription& source, std::string& out) {
  out += fmt::format("source {}: {}, mode {}\n  {}\n", source.id, source.plugin, source.mode, source.mode_words);
  add_sentences("kept rows", source.kept, out);
  add_splits(source, out);
  if (source.delivered) {
    out += fmt::format("  decoded: {} of {} columns", source.delivered->size(), source.schema.size());
    if (!source.delivered->empty()) out += ": " + names(*source.delivered);
    out += "\n";
    Columns columns = *source.delivered;
    for (DescribedColumn& column : columns) column.note.clear();  // where types come from is for --schema
    add_columns(columns, out);
  } else if (!source.schema.empty()) {
    out += fmt::format("  columns: {}: {}\n", source.schema.size(), names(source.schema));
  }
  out += fmt::format("  event time: {}\n", source.event_time);
  add_sentences("watermark", source.watermark, out);
  add_sentences("not known", source.unknown, out);
}

void add_transform(const TransformDescription& transform, std::string& out) {
  out += fmt::format("transform {}: of {}\n", transform.id, fmt::join(transform.inputs, ", "));
  if (!transform.where.empty()) out += fmt::format("  takes rows where {}\n", one_line(transform.where));
  if (!transform.set.empty()) out += "  computed columns:\n";
  add_columns(transform.set, out);
  if (!transform.drop.empty()) out += fmt::format("  without: {}\n", fmt::join(transform.drop, ", "));
  if (!transform.unknown.empty()) add_sentences("not known", {"types: " + transform.unknown}, out);
}

void add_kept(const AggregateDescription& aggregate, std::string& out) {
  if (aggregate.kept.empty()) return;
  out += "  kept per group:\n";
  for (const KeptAggregate& kept : aggregate.kept) {
    out += fmt::format("    {}: {}", one_line(kept.call), kept.type);
    if (kept.name.empty()) out += ", for what is computed from it";
    out += kept.growth.empty() ? "\n" : fmt::format("; keeps {}\n", kept.growth);
  }
}

void add_state(const StateEstimate& state, std::string& out) {
  const bool is_session = state.pieces_name == "sessions";
  std::string line =
      fmt::format("about {} B per {} ({} B of them the key)", state.group_bytes,
                  is_session ? "session" : "group and " + state.pieces_name.substr(0, state.pieces_name.size() - 1),
                  state.key_bytes);
  if (state.pieces) {
    const bool one = *state.pieces == 1;
    line += fmt::format("; up to {} {} open at a time", *state.pieces,
                        one ? state.pieces_name.substr(0, state.pieces_name.size() - 1) : state.pieces_name);
  }
  if (const auto bytes = state.million_groups_bytes(); bytes && state.key_bytes > 0) {
    line += fmt::format("; so 1 million groups take about {}{}", bytes_text(*bytes),
                        *state.pieces == 1 ? "" : ", if each of them is in all of these");
  }
  std::vector<std::string> words = {line};
  words.insert(words.end(), state.words.begin(), state.words.end());
  add_sentences("state, an estimate", words, out);
}

void add_aggregate(const AggregateDescription& aggregate, std::string& out) {
  out += fmt::format("aggregate {}: of {}\n", aggregate.id, fmt::join(aggregate.inputs, ", "));
  if (!aggregate.where.empty()) out += fmt::format("  takes rows where {}\n", one_line(aggregate.where));
  out += fmt::format("  window: {}\n", aggregate.window);
  out += aggregate.keys.empty() ? "  groups: one for all rows\n" : "  groups by:\n";
  add_columns(aggregate.keys, out);
  out += "  results:\n";
  add_columns(aggregate.columns, out);
  if (!aggregate.having.empty()) out += fmt::format("  only those having {}\n", one_line(aggregate.having));
  add_sentences("results come", aggregate.results, out);
  add_sentences("late rows", aggregate.late, out);
  add_kept(aggregate, out);
  if (aggregate.state) add_state(*aggregate.state, out);
  if (!aggregate.unknown.empty()) add_sentences("not known", {aggregate.unknown}, out);
}

void add_sink(const SinkDescription& sink, std::string& out) {
  out += fmt::format("sink {}: of {}, to {}, as {}\n", sink.id, sink.input, sink.target, sink.format);
  if (!sink.columns.empty()) out += fmt::format("  columns: {}\n", fmt::join(sink.columns, ", "));
  if (!sink.corrections.empty()) out += fmt::format("  {}\n", sink.corrections);
}

}  // namespace

std::string without_controls(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string plan_text(const PlanDescription& plan) {
  std::string out =
      fmt::format("job {}: {} {}, time zone {}, memory {}\n", plan.job, plan.workers,
                  plan.workers == 1 ? "worker" : "workers", plan.time_zone, bytes_text(plan.memory_bytes));
  const auto add_all = [&out](const auto& list, const auto& add) {
    for (const auto& one : list) {
      out += "\n";
      add(one, out);
    }
  };
  add_all(plan.sources, add_source);
  add_all(plan.transforms, add_transform);
  add_all(plan.aggregates, add_aggregate);
  add_all(plan.sinks, add_sink);
  return without_controls(out);
}

std::string schema_text(const ComponentSchema& schema) {
  std::string out = fmt::format("{} {} gives{}\n", schema.kind, schema.id, schema.rows.empty() ? ": not known" : ":");
  if (schema.rows.empty()) out += fmt::format("    {}\n", one_line(schema.unknown));
  for (const DescribedRows& rows : schema.rows) {
    if (!rows.source.empty()) out += fmt::format("  of rows from {}:\n", rows.source);
    add_columns(rows.columns, out);
  }
  if (schema.kind != "aggregate" && !schema.rows.empty()) {
    out += "  and, of each row's place, $shard, $database and $table\n";
  }
  return without_controls(out);
}

}  // namespace tidemark::core
