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

struct Wiring {
  std::string_view what;   // "source": what the inputs must be
  std::string_view other;  // "aggregate": what they are not yet
  std::vector<std::string> good;
  std::vector<std::string> not_yet;
};

// Findings for inputs that do not exist; the ids that do are added to `used`.
void check_inputs(const std::vector<Spanned<std::string>>& inputs, const Wiring& wiring, ReadContext& context,
                  std::set<std::string>& used) {
  for (const Spanned<std::string>& input : inputs) {
    used.insert(input.value);
    if (std::find(wiring.good.begin(), wiring.good.end(), input.value) != wiring.good.end()) continue;
    if (std::find(wiring.not_yet.begin(), wiring.not_yet.end(), input.value) != wiring.not_yet.end()) {
      context.diagnostics
          .error(code::kNotSupportedYet, input.span,
                 fmt::format("reading from the {} `{}` here is not supported yet", wiring.other, input.value))
          .with_help(fmt::format("name a {}", wiring.what));
      continue;
    }
    context.diagnostics
        .error(code::kUnknownReference, input.span, fmt::format("there is no {} `{}`", wiring.what, input.value))
        .with_help(suggest_name(input.value, wiring.good));
    if (const auto near = nearest_name(input.value, wiring.good)) used.insert(*near);  // do not call it unused as well
  }
}

// A transform that reads itself, through others or not.
void check_circles(const JobSpec& job, ReadContext& context) {
  for (const TransformSpec& transform : job.transforms) {
    std::vector<std::string> reached;
    const auto reach = [&](const auto& self, const TransformSpec& from) -> void {
      for (const Spanned<std::string>& input : from.inputs) {
        if (std::find(reached.begin(), reached.end(), input.value) != reached.end()) continue;
        reached.push_back(input.value);
        if (const TransformSpec* next = job.find_transform(input.value)) self(self, *next);
      }
    };
    reach(reach, transform);
    if (std::find(reached.begin(), reached.end(), transform.id.value) == reached.end()) continue;
    context.diagnostics
        .error(code::kUnknownReference, transform.id.span,
               fmt::format("transform `{}` reads itself", transform.id.value))
        .with_help("inputs lead from sources to aggregates, without a circle");
  }
}

std::string shown_all_idle(const WatermarkSpec& spec) {
  if (spec.all_idle.value != AllIdle::advance_after) return fmt::format("\"{}\"", to_text(spec.all_idle.value));
  return fmt::format("{{ advance_after = \"{}\", lag = \"{}\" }}", core::format_duration(spec.advance_after_us),
                     core::format_duration(spec.lag_us));
}

template <typename E>
std::string shown_word(const Spanned<E>& value) {
  return fmt::format("\"{}\"", to_text(value.value));
}

/// A key that the sources of one aggregate must agree in: its place and value in one of them.
struct SharedKey {
  std::string_view table;
  Span span;
  bool given;
  std::string value;
};

std::array<std::pair<std::string_view, SharedKey>, 4> shared_keys(const SourceSpec& source) {
  const WatermarkSpec& watermark = source.watermark;
  return {{{"mode", {"", source.mode.span, source.mode.given, shown_word(source.mode)}},
           {"no_base", {"", source.no_base.span, source.no_base.given, shown_word(source.no_base)}},
           {"on_resume",
            {".watermark", watermark.on_resume.span, watermark.on_resume.given, shown_word(watermark.on_resume)}},
           {"all_idle", {".watermark", watermark.all_idle.span, watermark.all_idle.given, shown_all_idle(watermark)}}}};
}

// A value that was refused reads as the default, which says nothing about what was meant.
bool was_refused(const SharedKey& key, const Diagnostics& diagnostics) {
  return key.given && std::any_of(diagnostics.items().begin(), diagnostics.items().end(), [&](const Diagnostic& one) {
           return one.severity == Severity::error && one.span.file == key.span.file && one.span.line == key.span.line;
         });
}

// Rows and watermarks of an aggregate's sources are merged by one rule. Points at the later source that says something
// else, or at the first one where only that says something.
void check_sources_agree(const JobSpec& job, const AggregateSpec& aggregate, ReadContext& context) {
  const SourceSpec* first = nullptr;
  for (const SourceSpec* source : job.sources_behind(aggregate.inputs)) {
    if (first == nullptr) first = source;
    const auto ours = shared_keys(*first);
    const auto theirs = shared_keys(*source);
    for (size_t i = 0; i < ours.size(); ++i) {
      const auto& [key, one] = ours[i];
      const SharedKey& two = theirs[i].second;
      if (one.value == two.value || was_refused(one, context.diagnostics) || was_refused(two, context.diagnostics)) {
        continue;
      }
      const SharedKey& here = two.given ? two : one;
      const SharedKey& there = two.given ? one : two;
      const SourceSpec& other = two.given ? *first : *source;
      context.diagnostics
          .error(
              code::kContradiction, here.span,
              fmt::format("`{}` is {} here, but {}{} in source `{}`, and aggregate `{}` merges both", key, here.value,
                          there.value, there.given ? "" : " (default)", other.id.value, aggregate.id.value))
          .with_help(fmt::format("write {} = {} in [sources.{}{}] too, or aggregate them apart", key, here.value,
                                 other.id.value, here.table));
    }
  }
}

// The first one whose rows may be taken back, or null.
const SourceSpec* changelog_source_behind(const std::vector<Spanned<std::string>>& inputs, const JobSpec& job) {
  const std::vector<const SourceSpec*> sources = job.sources_behind(inputs);
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [](const SourceSpec* source) { return source->mode.value == InputMode::changelog; });
  return found == sources.end() ? nullptr : *found;
}

// A retraction comes at another time than its row, so its window knows nothing of the row: an update would count again.
void check_processing_time(const JobSpec& job, const AggregateSpec& aggregate, ReadContext& context) {
  const WindowSpec& window = aggregate.window;
  if (window.time.value != WindowTime::processing) return;
  const SourceSpec* source = changelog_source_behind(aggregate.inputs, job);
  if (source == nullptr) return;
  context.diagnostics
      .error(code::kContradiction, window.time.span,
             fmt::format("windows by processing time cannot take back rows, and source `{}` has mode = \"changelog\"",
                         source->id.value))
      .with_help("take event time, or mode = \"append\"");
}

// A row that a result has taken along cannot be taken back any more.
void check_purge(const JobSpec& job, const AggregateSpec& aggregate, ReadContext& context) {
  if (!aggregate.emit.purge) return;
  const SourceSpec* source = changelog_source_behind(aggregate.inputs, job);
  if (source == nullptr) return;
  context.diagnostics
      .error(
          code::kContradiction, aggregate.emit.span,
          fmt::format("`purge` forgets rows that source `{}` may take back (mode = \"changelog\")", source->id.value))
      .with_help("take results that cover the whole window, or mode = \"append\"");
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
  const Wiring into_aggregate{job.transforms.empty() ? "source" : "source or transform", "aggregate", rows,
                              ids_of(job.aggregates)};
  const Wiring into_sink{"aggregate", "source", ids_of(job.aggregates), rows};
  for (const TransformSpec& transform : job.transforms) check_inputs(transform.inputs, into_aggregate, context, used);
  check_circles(job, context);
  for (const AggregateSpec& aggregate : job.aggregates) {
    check_inputs(aggregate.inputs, into_aggregate, context, used);
    check_sources_agree(job, aggregate, context);
    check_processing_time(job, aggregate, context);
    check_purge(job, aggregate, context);
    check_output_columns(aggregate, context);
  }
  for (const SinkSpec& sink : job.sinks) check_inputs(sink.inputs, into_sink, context, used);
  check_sink_files(job, context);
  const uint32_t file = job.version.span.file;
  require_section(job.sources.empty(), "[sources.orders]", "source", context, file);
  require_section(job.aggregates.empty(), "[aggregates.revenue]", "aggregate", context, file);
  require_section(job.sinks.empty(), "[sinks.report]", "sink", context, file);
  check_unused(job, used, context);
}

}  // namespace tidemark::config
