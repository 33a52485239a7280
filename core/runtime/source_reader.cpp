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

void SourceReader::settle_pause(SplitSlot& split, Micros now) {
  const bool pause = can_pause && (split.waits_for_group || split.retry.waits(now));
  if (split.finished() || pause == split.paused) return;
  split.paused = pause;
  (pause ? to_pause_ : to_resume_).push_back(split.id);
  if (!pause) note_resumed(split);
}

// One that is idle was so before it was held: nothing says that there is more of it now.
void SourceReader::note_resumed(SplitSlot& split) noexcept {
  if (!split.finished() && split.progress.current().state != SplitState::idle) expect_more(split);
}

Status SourceReader::pause_and_resume(Micros now) {
  const bool waited = waits_for_group;
  const std::span<const SplitId> flipped = alignment ? alignment->judge(*this, now) : std::span<const SplitId>();
  to_pause_.clear();
  to_resume_.clear();
  if (waited && !waits_for_group) {
    for (const auto& split : splits) note_resumed(*split);
  }
  if (splits_failing > 0) {  // pauses of retries begin and end by the clock
    for (const auto& split : splits) settle_pause(*split, now);
  } else {
    for (const SplitId split : flipped) settle_pause(*find(split), now);
  }
  if (to_pause_.empty() && to_resume_.empty()) return {};
  return reader->pause_or_resume_splits(to_pause_, to_resume_);
}

}  // namespace tidemark::core
