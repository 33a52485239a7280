// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/row_screen.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace tidemark::core {
namespace {

LateReason reason_of(ProblemReason reason) {
  switch (reason) {
    case ProblemReason::missing_column:
      return LateReason::missing_column;
    case ProblemReason::statement:
      return LateReason::statement;
    case ProblemReason::undecodable:
      break;
  }
  return LateReason::undecodable;
}

}  // namespace

RowScreen::RowScreen(const JobPlan& plan, const Clock& clock, uint32_t late_writer)
    : plan_(plan), pages_(clock, late_writer) {}

Status RowScreen::look(uint32_t source, const TimeAssigner& assigner, Batch& batch) {
  const SourcePlan& plan = plan_.sources[source];
  if (Status found = find_problems(plan, batch); !found) return found;
  without_time_.clear();
  assigner.assign(batch, without_time_);
  std::erase_if(without_time_, [&](uint32_t row) {
    // What is filtered anyway needs no time; nor does what is set aside for another reason.
    return (!plan.changelog && batch.op_at(row) != Op::insert) ||
           std::binary_search(problem_rows_.begin(), problem_rows_.end(), row);
  });
  set_aside_.clear();
  std::merge(without_time_.begin(), without_time_.end(), problem_rows_.begin(), problem_rows_.end(),
             std::back_inserter(set_aside_));
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
    if (!source.keep_bad_events) {
      return {Code::data, "source " + source.id + ": " + std::string(batch.bytes_of(problem.text)) +
                              "; or keep such changes apart with on_bad_event = \"set_aside\" in [sources." +
                              source.id + "]"};
    }
    problem_runs_.push_back({reason_of(problem.reason), problem.text, first, count});
  }
  return {};
}

// What was not read in full says nothing about time.
std::span<const Micros> RowScreen::times(const Batch& batch) {
  if (batch.problem_count == 0) return batch.event_times();
  times_.assign(batch.event_times().begin(), batch.event_times().end());
  for (const RowProblem& problem : batch.row_problems()) {
    std::fill_n(times_.begin() + problem.row, problem.rows, kNoTime);
  }
  return times_;
}

void RowScreen::store(uint32_t source, std::string_view split, const Batch& batch) {
  LateContext context{.source = plan_.sources[source].id,
                      .source_number = static_cast<uint16_t>(source),
                      .split = split,
                      .aggregate = {},
                      .holder = {},
                      .detail = {}};
  pages_.add_set_aside(batch, without_time_, LateReason::no_event_time, context);
  for (const Run& run : problem_runs_) {
    context.detail = batch.bytes_of(run.detail);
    pages_.add_set_aside(batch, std::span(problem_rows_).subspan(run.first, run.count), run.reason, context);
  }
}

}  // namespace tidemark::core
