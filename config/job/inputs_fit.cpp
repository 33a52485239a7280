// SPDX-License-Identifier: Apache-2.0
//
// Whether what an aggregate reads fits together: no circles, sources that say the same of their rows, results of
// aggregates as rows, and windows that can take back what their inputs take back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

const std::vector<Spanned<std::string>>* inputs_of(const JobSpec& job, const std::string& id) {
  if (const TransformSpec* transform = job.find_transform(id)) return &transform->inputs;
  const AggregateSpec* aggregate = job.find_aggregate(id);
  return aggregate == nullptr ? nullptr : &aggregate->inputs;
}

// A component that reads itself, through others or not.
void check_circle(const JobSpec& job, const char* what, const Spanned<std::string>& id, ReadContext& context) {
  std::vector<std::string> reached;
  const auto reach = [&](const auto& self, const std::string& from) -> void {
    const auto* inputs = inputs_of(job, from);
    if (inputs == nullptr) return;
    for (const Spanned<std::string>& input : *inputs) {
      if (std::find(reached.begin(), reached.end(), input.value) != reached.end()) continue;
      reached.push_back(input.value);
      self(self, input.value);
    }
  };
  reach(reach, id.value);
  if (std::find(reached.begin(), reached.end(), id.value) == reached.end()) return;
  context.diagnostics.error(code::kUnknownReference, id.span, fmt::format("{} `{}` reads itself", what, id.value))
      .with_help("inputs lead from sources through transforms and aggregates to sinks, without a circle");
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

/// An input whose rows may be taken back: the table and id of it, and why.
struct TakesBack {
  std::string name;
  std::string why;
  std::string_view remedy;
};

std::optional<TakesBack> taking_back(const JobSpec& job, const AggregateSpec& aggregate) {
  for (const SourceSpec* source : job.sources_behind(aggregate.inputs)) {
    if (source->mode.value != InputMode::changelog) continue;
    return TakesBack{fmt::format("source `{}`", source->id.value), "has mode = \"changelog\"", "mode = \"append\""};
  }
  for (const AggregateSpec* read : job.aggregates_behind(aggregate.inputs)) {
    if (!read->replaces_results()) continue;
    return TakesBack{fmt::format("aggregate `{}`", read->id.value), "replaces results",
                     "an aggregate that gives one result per window and group"};
  }
  return std::nullopt;
}

// A retraction comes at another time than its row, so its window knows nothing of the row: an update would count again.
void check_processing_time(const JobSpec& job, const AggregateSpec& aggregate, ReadContext& context) {
  const WindowSpec& window = aggregate.window;
  if (window.time.value != WindowTime::processing) return;
  const auto input = taking_back(job, aggregate);
  if (!input) return;
  context.diagnostics
      .error(code::kContradiction, window.time.span,
             fmt::format("windows by processing time cannot take back rows, and {} {}", input->name, input->why))
      .with_help(fmt::format("take event time, or {}", input->remedy));
}

// A row that a result has taken along cannot be taken back any more.
void check_purge(const JobSpec& job, const AggregateSpec& aggregate, ReadContext& context) {
  if (!aggregate.emit.purge) return;
  const auto input = taking_back(job, aggregate);
  if (!input) return;
  context.diagnostics
      .error(code::kContradiction, aggregate.emit.span,
             fmt::format("`purge` forgets rows that {} may take back: it {}", input->name, input->why))
      .with_help(fmt::format("take results that cover the whole window, or {}", input->remedy));
}

// Rows of sources and results come with watermarks of different kinds.
void check_mixture(const JobSpec& job, const AggregateSpec& aggregate, ReadContext& context) {
  const auto sources = job.sources_behind(aggregate.inputs);
  const auto read = job.aggregates_behind(aggregate.inputs);
  if (sources.empty() || read.empty()) return;
  context.diagnostics
      .error(code::kContradiction, aggregate.id.span,
             fmt::format("aggregate `{}` reads rows of source `{}` together with results of aggregate `{}`",
                         aggregate.id.value, sources.front()->id.value, read.front()->id.value))
      .with_help("aggregate the rows by themselves first: a third aggregate can read the results of both");
}

// The event time of a result is the last instant of its window.
void check_results_as_rows(const JobSpec& job, const AggregateSpec& aggregate, ReadContext& context) {
  const bool needs_event_time = aggregate.window.time.value != WindowTime::processing;
  const bool is_global = aggregate.window.type.value == WindowType::global;
  for (const AggregateSpec* read : job.aggregates_behind(aggregate.inputs)) {
    const bool by_clock = read->window.time.value == WindowTime::processing;
    const bool endless = read->window.type.value == WindowType::global && !is_global;
    if (needs_event_time && (by_clock || endless)) {
      context.diagnostics
          .error(code::kContradiction, aggregate.window.span,
                 fmt::format("results of `{}` have no event time: {}", read->id.value,
                             by_clock ? "its windows go by processing time" : "its window has no end"))
          .with_help(by_clock ? "take event time there, or time = \"processing\" here too"
                              : "take windows with an end there, or type = \"global\" here too");
      continue;
    }
    const core::Micros lateness = read->allowed_lateness_us.value;
    if (!needs_event_time || is_global || aggregate.allowed_lateness_us.value >= lateness) continue;
    const std::string length = core::format_duration(lateness);
    context.diagnostics
        .warning(code::kDoubtful, aggregate.id.span,
                 fmt::format("results of `{}` may be corrected until {} past their window's end; here such corrections "
                             "come too late",
                             read->id.value, length))
        .with_help(
            fmt::format("allowed_lateness = \"{}\" in [aggregates.{}] takes them in", length, aggregate.id.value));
  }
}

// A change is at another time than the row that it takes back: with its own time it is in another window. Sources that
// keep their rows keep the times too.
void check_times_of_changes(const JobSpec& job, const AggregateSpec& aggregate, ReadContext& context) {
  if (aggregate.window.type.value == WindowType::global || !job.aggregates_behind(aggregate.inputs).empty()) return;
  for (const SourceSpec* source : job.sources_behind(aggregate.inputs)) {
    const Spanned<std::string>& field = source->watermark.field;
    const bool of_change = field.value == "$commit_time" || field.value == "$header_time";
    const bool keeps =
        source->on_truncate.value == OnTruncate::apply || source->on_partial_image.value == OnPartialImage::complete;
    if (source->mode.value != InputMode::changelog || !of_change || keeps) continue;
    context.diagnostics
        .warning(
            code::kDoubtful, field.given ? field.span : source->mode.span,
            fmt::format("updates and deletes of `{}` take rows back at the time of the change, not at that with which "
                        "they were counted: in `{}` a row of an earlier window stays there",
                        source->id.value, aggregate.id.value))
        .with_help(fmt::format(
            "take a column that stays with the row: field = \"<column>\" in [sources.{0}.watermark]; or keep "
            "rows with their times: on_partial_image = \"complete\" in [sources.{0}]; or window = {{ type = "
            "\"global\" }}",
            source->id.value));
  }
}

}  // namespace

void check_inputs_fit(const JobSpec& job, ReadContext& context) {
  for (const TransformSpec& transform : job.transforms) check_circle(job, "transform", transform.id, context);
  for (const AggregateSpec& aggregate : job.aggregates) {
    check_circle(job, "aggregate", aggregate.id, context);
    check_mixture(job, aggregate, context);
    check_sources_agree(job, aggregate, context);
    check_processing_time(job, aggregate, context);
    check_purge(job, aggregate, context);
    check_results_as_rows(job, aggregate, context);
    check_times_of_changes(job, aggregate, context);
  }
}

}  // namespace tidemark::config
