// SPDX-License-Identifier: Apache-2.0
//
// See the header. A paused split's last poll says nothing about what it has by the time that it is read again.
#include "core/runtime/source_reader.hpp"

#include <utility>

namespace tidemark::core {

Status SourceReader::prepare(const SourcePlan& plan) {
  if (plan.event_time_column >= 0 || !plan.event_time_expression.empty()) {
    auto assigner = plan.event_time_expression.empty()
                        ? TimeAssigner::from_column(plan.layout, static_cast<uint32_t>(plan.event_time_column))
                        : TimeAssigner::from_expression(plan.layout, plan.event_time_expression);
    if (!assigner) return assigner.status();
    times = std::move(*assigner);
  }
  if (plan.marker.empty()) return {};
  auto evaluator = MarkerEvaluator::create(plan.layout, plan.marker);
  if (!evaluator) return evaluator.status();
  markers = std::move(*evaluator);
  return {};
}

Status SourceReader::pause_and_resume(Micros now) {
  const bool waited = waits_for_group;
  if (alignment) alignment->judge(*this, now);
  to_pause_.clear();
  to_resume_.clear();
  for (const auto& split : splits) {
    if (split->finished) continue;
    const bool idle = split->progress.current().state == SplitState::idle;  // it was before: nothing says otherwise
    if (waited && !waits_for_group && !idle) expect_more(*split);
    const bool pause = can_pause && (split->waits_for_group || split->retry.waits(now));
    if (pause == split->paused) continue;
    split->paused = pause;
    (pause ? to_pause_ : to_resume_).push_back(split->id);
    if (!pause && !idle) expect_more(*split);
  }
  if (to_pause_.empty() && to_resume_.empty()) return {};
  return reader->pause_or_resume_splits(to_pause_, to_resume_);
}

}  // namespace tidemark::core
