// SPDX-License-Identifier: Apache-2.0
//
// What refers to what: inputs, ids over all sections, names of output columns, files that two sinks write, and
// what nobody reads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "config/job/nearest_name.hpp"
#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

/// Columns that every result has by itself.
constexpr std::array<std::string_view, 4> kOwnColumns = {"window_start", "window_end", "kind", "revision"};

template <typename T>
std::vector<std::string> ids_of(const std::vector<T>& items) {
  std::vector<std::string> out;
  for (const T& item : items) out.push_back(item.id.value);
  return out;
}

void check_ids_are_unique(const JobSpec& job, ReadContext& context) {
  std::map<std::string, std::string> first;  // id -> the section that has it
  const auto see = [&](const Spanned<std::string>& id, const char* section) {
    const auto [at, added] = first.emplace(id.value, section);
    if (added) return;
    context.diagnostics
        .error(code::kBadName, id.span, fmt::format("the id `{}` is taken by [{}.{}]", id.value, at->second, id.value))
        .with_help("ids are unique over sources, transforms, aggregates and sinks");
  };
  for (const SourceSpec& source : job.sources) see(source.id, "sources");
  for (const TransformSpec& transform : job.transforms) see(transform.id, "transforms");
  for (const AggregateSpec& aggregate : job.aggregates) see(aggregate.id, "aggregates");
  for (const SinkSpec& sink : job.sinks) see(sink.id, "sinks");
}

constexpr std::string_view kSink = "sink";

struct Wiring {
  std::string_view what;   // "source": what the inputs must be
  std::string_view other;  // "transform": what they cannot be
  std::vector<std::string> good;
  std::vector<std::string> wrong;
};

// Findings for inputs that do not exist; the ids that do are added to `used`. Nobody means a reader's own id.
void check_inputs(const std::string& reader, const std::vector<Spanned<std::string>>& inputs, const Wiring& wiring,
                  ReadContext& context, std::set<std::string>& used) {
  std::vector<std::string> others = wiring.good;
  std::erase(others, reader);
  for (const Spanned<std::string>& input : inputs) {
    used.insert(input.value);
    if (std::find(wiring.good.begin(), wiring.good.end(), input.value) != wiring.good.end()) continue;
    if (std::find(wiring.wrong.begin(), wiring.wrong.end(), input.value) != wiring.wrong.end()) {
      Diagnostic& finding =
          wiring.other == kSink
              ? context.diagnostics.error(code::kUnknownReference, input.span,
                                          fmt::format("`{}` is a sink, which has no rows to read", input.value))
              : context.diagnostics.error(
                    code::kNotSupportedYet, input.span,
                    fmt::format("reading from the {} `{}` here is not supported yet", wiring.other, input.value));
      finding.with_help(fmt::format("name {} {}", wiring.what[0] == 'a' ? "an" : "a", wiring.what));
      continue;
    }
    context.diagnostics
        .error(code::kUnknownReference, input.span, fmt::format("there is no {} `{}`", wiring.what, input.value))
        .with_help(suggest_name(input.value, others));
    if (const auto near = nearest_name(input.value, others)) used.insert(*near);  // do not call it unused as well
  }
}

void check_output_columns(const AggregateSpec& aggregate, ReadContext& context) {
  std::vector<std::pair<std::string, std::string>> seen;  // name -> what has it
  for (const std::string_view name : kOwnColumns) seen.emplace_back(name, "every result");
  const auto see = [&](const Spanned<std::string>& name, const char* owner) {
    const auto found = std::find_if(seen.begin(), seen.end(), [&](const auto& one) { return one.first == name.value; });
    if (found == seen.end()) {
      seen.emplace_back(name.value, owner);
      return;
    }
    context.diagnostics
        .error(code::kDuplicate, name.span,
               fmt::format("output column `{}` is there twice: {} has it too", name.value, found->second))
        .with_help("give it another name");
  };
  for (const KeySpec& key : aggregate.key_by) see(key.name, "key_by");
  for (const ColumnSpec& column : aggregate.columns) see(column.name, "columns");
}

// Two sinks by key in one table would take each other's rows for their own.
void check_sink_tables(const JobSpec& job, ReadContext& context) {
  std::map<std::string, std::string> writers;  // where -> sink
  for (const SinkSpec& sink : job.sinks) {
    if (sink.type.value != SinkType::mysql || !sink.mysql.table.given) continue;
    const MysqlDsn& dsn = sink.mysql.dsn.value;
    const std::string where =
        fmt::format("{}:{}{}/{}/{}", dsn.host, dsn.port, dsn.socket, dsn.database, sink.mysql.table.value);
    const auto [at, added] = writers.emplace(where, sink.id.value);
    if (added) continue;
    context.diagnostics
        .error(code::kContradiction, sink.mysql.table.span,
               fmt::format("sink `{}` writes this table already", at->second))
        .with_help("each sink needs a table of its own");
  }
}

void check_sink_files(const JobSpec& job, ReadContext& context) {
  std::map<std::string, std::string> writers;  // path -> sink
  for (const SinkSpec& sink : job.sinks) {
    if (sink.path.value.empty()) continue;
    const auto [at, added] = writers.emplace(sink.path.value, sink.id.value);
    if (added) continue;
    context.diagnostics
        .error(code::kContradiction, sink.path.span, fmt::format("sink `{}` writes this file already", at->second))
        .with_help("each sink needs a file of its own");
  }
}

// One that there must be at least.
void require_section(bool missing, const char* example, const char* what, ReadContext& context, uint32_t file) {
  if (!missing) return;
  context.diagnostics.error(code::kMissingKey, {file, 0, 0, 0}, fmt::format("the job has no {}", what))
      .with_help(fmt::format("add a table {}", example));
}

// Where inputs are missing, which is an error of its own, nothing can be said to be unused.
void check_unused(const JobSpec& job, const std::set<std::string>& used, ReadContext& context) {
  const auto has_inputs = [](const auto& reader) { return !reader.inputs.empty(); };
  const auto report = [&](const Spanned<std::string>& id, const char* what, const char* reader) {
    if (used.contains(id.value)) return;
    context.diagnostics.warning(code::kUnused, id.span, fmt::format("no {} reads the {} `{}`", reader, what, id.value))
        .with_help(fmt::format("name it in the inputs of {} {}, or remove it", reader[0] == 'a' ? "an" : "a", reader));
  };
  if (!job.aggregates.empty() && std::all_of(job.aggregates.begin(), job.aggregates.end(), has_inputs)) {
    for (const SourceSpec& source : job.sources) report(source.id, "source", "aggregate");
    for (const TransformSpec& transform : job.transforms) report(transform.id, "transform", "aggregate");
  }
  if (!job.sinks.empty() && std::all_of(job.sinks.begin(), job.sinks.end(), has_inputs)) {
    for (const AggregateSpec& aggregate : job.aggregates) report(aggregate.id, "aggregate", "sink");
  }
}

}  // namespace

void check_references(const JobSpec& job, ReadContext& context) {
  check_ids_are_unique(job, context);
  std::set<std::string> used;
  std::vector<std::string> rows = ids_of(job.sources);
  for (const TransformSpec& transform : job.transforms) rows.push_back(transform.id.value);
  const Wiring into_sink{"aggregate", job.transforms.empty() ? "source" : "source or transform", ids_of(job.aggregates),
                         rows};
  for (const AggregateSpec& aggregate : job.aggregates) rows.push_back(aggregate.id.value);
  const Wiring into_aggregate{job.transforms.empty() ? "source or aggregate" : "source, transform or aggregate", kSink,
                              rows, ids_of(job.sinks)};
  for (const TransformSpec& transform : job.transforms) {
    check_inputs(transform.id.value, transform.inputs, into_aggregate, context, used);
  }
  check_inputs_fit(job, context);
  for (const AggregateSpec& aggregate : job.aggregates) {
    check_inputs(aggregate.id.value, aggregate.inputs, into_aggregate, context, used);
    check_output_columns(aggregate, context);
  }
  for (const SinkSpec& sink : job.sinks) {
    check_inputs(sink.id.value, sink.inputs, into_sink, context, used);
  }
  check_sink_files(job, context);
  check_sink_tables(job, context);
  const uint32_t file = job.version.span.file;
  require_section(job.sources.empty(), "[sources.orders]", "source", context, file);
  require_section(job.aggregates.empty(), "[aggregates.revenue]", "aggregate", context, file);
  require_section(job.sinks.empty(), "[sinks.report]", "sink", context, file);
  check_unused(job, used, context);
}

}  // namespace tidemark::config
