// SPDX-License-Identifier: Apache-2.0
//
// The key by which a sink writes. All results that stand at the same time must differ in it, else they would overwrite
// each other: it names the group's keys and as much of the window as tells windows apart.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/job/nearest_name.hpp"
#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

constexpr const char* kStart = "window_start";
constexpr const char* kEnd = "window_end";
constexpr const char* kRevision = "revision";

/// Columns that identify a result; each of `needed` is one of which the key must have at least one.
struct KeyColumns {
  std::vector<std::string> known;
  std::vector<std::vector<std::string>> needed;
};

KeyColumns key_columns_of(const AggregateSpec& aggregate) {
  KeyColumns out;
  for (const KeySpec& key : aggregate.key_by) {
    out.known.push_back(key.name.value);
    out.needed.push_back({key.name.value});
  }
  switch (aggregate.window.type.value) {
    case WindowType::tumbling:
    case WindowType::sliding:
      out.needed.push_back({kStart, kEnd});
      break;
    case WindowType::cumulative:  // several of them begin together
      out.needed.push_back({kEnd});
      break;
    case WindowType::session:  // one that grows or joins others takes the place of those with the same start or end
      out.needed.push_back({kStart});
      out.needed.push_back({kEnd});
      break;
    case WindowType::global:
      break;
  }
  if (aggregate.window.type.value != WindowType::global) out.known.insert(out.known.end(), {kStart, kEnd});
  if (aggregate.emit.purge) {  // its results add up
    out.known.emplace_back(kRevision);
    out.needed.push_back({kRevision});
  }
  return out;
}

bool has(const std::vector<Spanned<std::string>>& key, const std::string& name) {
  return std::any_of(key.begin(), key.end(), [&](const auto& one) { return one.value == name; });
}

void check_key(const SinkSpec& sink, const AggregateSpec& aggregate, ReadContext& context) {
  const std::vector<Spanned<std::string>>& key = sink.mysql.key;
  const KeyColumns columns = key_columns_of(aggregate);
  bool known = true;
  for (const auto& name : key) {
    if (std::find(columns.known.begin(), columns.known.end(), name.value) != columns.known.end()) continue;
    known = false;
    const bool is_result = std::any_of(aggregate.columns.begin(), aggregate.columns.end(),
                                       [&](const ColumnSpec& column) { return column.name.value == name.value; });
    const auto near = nearest_name(name.value, columns.known);
    context.diagnostics
        .error(code::kUnknownColumn, name.span,
               is_result ? fmt::format("`{}` is a result, which changes: it cannot tell results apart", name.value)
                         : fmt::format("the results of `{}` have no key `{}`", aggregate.id.value, name.value))
        .with_help(near && !is_result ? fmt::format("did you mean `{}`?", *near)
                                      : fmt::format("there are: {}", fmt::join(columns.known, ", ")));
  }
  if (key.empty() && sink.mysql.table.given) {
    context.diagnostics
        .error(code::kMissingKey, sink.span, fmt::format("sink `{}` has no columns in its `key`", sink.id.value))
        .with_help(columns.known.empty() ? "results without keys and windows are one row: write them to a file"
                                         : fmt::format("there are: {}", fmt::join(columns.known, ", ")));
  }
  if (!known || key.empty()) return;
  for (const std::vector<std::string>& one_of : columns.needed) {
    if (std::any_of(one_of.begin(), one_of.end(), [&](const std::string& name) { return has(key, name); })) continue;
    context.diagnostics
        .error(code::kContradiction, key.front().span,
               fmt::format("the key of sink `{}` lacks `{}`: results that differ in it would overwrite each other",
                           sink.id.value, fmt::join(one_of, "` or `")))
        .with_help("name it, and give the table a unique index over exactly the columns of the key");
  }
}

}  // namespace

void check_sink_keys(const JobSpec& job, ReadContext& context) {
  for (const SinkSpec& sink : job.sinks) {
    if (sink.type.value != SinkType::mysql || sink.inputs.size() != 1) continue;
    const AggregateSpec* aggregate = job.find_aggregate(sink.inputs.front().value);
    if (aggregate != nullptr) check_key(sink, *aggregate, context);
  }
}

}  // namespace tidemark::config
