// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/row_screen.hpp"
#include "core/runtime/late_contexts.hpp"

#include <algorithm>
#include <string>

namespace tidemark::core {
namespace {

LateReason reason_of(ProblemReason reason) {
  switch (reason) {
    case ProblemReason::missing_column:
      return LateReason::missing_column;
    case ProblemReason::statement:
      return LateReason::statement;
    case ProblemReason::no_base:
      return LateReason::no_base;
    case ProblemReason::undecodable:
      break;
  }
  return LateReason::undecodable;
}

}  // namespace

RowScreen::RowScreen(const JobPlan& plan, const Clock& clock, uint32_t late_writer)
    : plan_(plan), clock_(clock), pages_(clock, late_writer) {}

// What is filtered, and what is set aside because it was not read in full, is not judged by its time.
bool RowScreen::is_counted(const SourcePlan& source, const Batch& batch, uint32_t row) const {
  return (source.changelog || batch.op_at(row) == Op::insert) &&
         !std::binary_search(problem_rows_.begin(), problem_rows_.end(), row);
}

Status RowScreen::look(uint32_t source, const TimeAssigner& assigner, const TimeZone* zone, Batch& batch) {
  const SourcePlan& plan = plan_.sources[source];
  if (Status found = find_problems(plan, batch); !found) return found;
  without_time_.clear();
  assigner.assign(batch, zone, without_time_);
  std::erase_if(without_time_, [&](uint32_t row) { return !is_counted(plan, batch, row); });
  if (Status found = find_future(plan, batch); !found) return found;
  set_aside_.clear();
  for (const auto* rows : {&without_time_, &problem_rows_, &future_aside_}) {  // no row is in two of them
    set_aside_.insert(set_aside_.end(), rows->begin(), rows->end());
  }
  std::sort(set_aside_.begin(), set_aside_.end());
  return {};
}

Status RowScreen::find_future(const SourcePlan& source, const Batch& batch) {
  ahead_.clear();
  future_aside_.clear();
  const FutureGuard& guard = source.watermark.future;
  if (!guard.is_on()) return {};
  const Micros wall = clock_.wall_us();
  const Micros limit = guard.limit(wall);
  for (uint32_t row = 0; row < batch.rows; ++row) {
    const Micros time = batch.event_time_us[row];
    if (time <= limit) continue;
    ahead_.push_back(row);
    if (guard.rule == FutureRule::clamp || !is_counted(source, batch, row)) continue;
    if (guard.rule == FutureRule::fail) {
      const Origin* origin = batch.origin_of(row);
      const std::string place = origin == nullptr ? ""
                                                  : ", in " + std::string(batch.bytes_of(origin->file)) + " at " +
                                                        std::to_string(origin->position);
      return {Code::data, "source " + source.id + ": event time " + format_rfc3339(time) + " of row " +
                              std::to_string(batch.sequence[row]) + place + " is " +
                              format_duration(saturating_sub(time, wall)) + " ahead of the clock (max_future " +
                              format_duration(guard.max_future_us) +
                              "); correct the clock, or take on_future = \"set_aside\" or \"clamp\""};
    }
    future_aside_.push_back(row);
  }
  return {};
}

// Finds the rows that the source could not read in full and that would be counted.
Status RowScreen::find_problems(const SourcePlan& source, const Batch& batch) {
  problem_rows_.clear();
  problem_runs_.clear();
  for (const RowProblem& problem : batch.row_problems()) {
    const auto first = static_cast<uint32_t>(problem_rows_.size());
    for (uint32_t row = problem.row; row < problem.row + problem.rows; ++row) {
      const Op op = batch.op_at(row);
      if (source.changelog || op == Op::insert || op == Op::unread) problem_rows_.push_back(row);
    }
    const uint32_t count = static_cast<uint32_t>(problem_rows_.size()) - first;
    if (count == 0) continue;
    const bool no_base = problem.reason == ProblemReason::no_base;
    if (no_base && source.no_base == NoBase::fail) {
      return {Code::data, "source " + source.id + ": " + std::string(batch.bytes_of(problem.text)) +
                              "; or take no_base = \"set_aside\" or \"delta\" in [sources." + source.id + "]"};
    }
    if (!no_base && !source.keep_bad_events) {
      return {Code::data, "source " + source.id + ": " + std::string(batch.bytes_of(problem.text)) +
                              "; or keep such changes apart with on_bad_event = \"set_aside\" in [sources." +
                              source.id + "]"};
    }
    problem_runs_.push_back({reason_of(problem.reason), problem.text, first, count});
  }
  return {};
}

// What was not read in full says nothing about time, nor does what lies too far in the future.
std::span<const Micros> RowScreen::times(const Batch& batch) {
  if (batch.problem_count == 0 && ahead_.empty()) return batch.event_times();
  times_.assign(batch.event_times().begin(), batch.event_times().end());
  for (const RowProblem& problem : batch.row_problems()) {
    std::fill_n(times_.begin() + problem.row, problem.rows, kNoTime);
  }
  for (const uint32_t row : ahead_) times_[row] = kNoTime;
  return times_;
}

void RowScreen::store_not_computable(uint32_t source, std::string_view split, std::string_view aggregate,
                                     const Batch& batch, std::span<const uint32_t> rows) {
  LateContext context = context_of_split(plan_, source, split, aggregate);
  context.detail = kNotComputable;
  pages_.add_set_aside(batch, rows, LateReason::not_computable, context);
}

void RowScreen::store(uint32_t source, std::string_view split, const Batch& batch) {
  LateContext context = context_of_split(plan_, source, split, {});
  std::string why;
  if (!without_time_.empty() && plan_.sources[source].source_time == SourceTime::header) {
    why = "the header of the row's event has no time; take a column instead: field = \"<column>\" in [sources." +
          plan_.sources[source].id + ".watermark]";
    context.detail = why;
  }
  pages_.add_set_aside(batch, without_time_, LateReason::no_event_time, context);
  context.detail = {};
  pages_.add_set_aside(batch, future_aside_, LateReason::future, context);
  for (const Run& run : problem_runs_) {
    context.detail = batch.bytes_of(run.detail);
    pages_.add_set_aside(batch, std::span(problem_rows_).subspan(run.first, run.count), run.reason, context);
  }
}

}  // namespace tidemark::core
