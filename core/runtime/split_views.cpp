// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/split_views.hpp"

#include <utility>

namespace tidemark::core {
namespace {

// "alignment group shop: 2m14s ahead of split s07 of source orders (max_drift 1m)".
std::string pause_reason(const SplitSurroundings& around, const AlignmentView& standing) {
  std::string out = "alignment group " + standing.group + ": " +
                    format_duration(floor_to(standing.drift_us, kMicrosPerMilli)) + " ahead of ";
  if (standing.holder < around.splits.size()) {
    const SplitInfo& slowest = around.splits[standing.holder];
    out += "split " + slowest.name + " of source " + around.plan.sources[slowest.source].id;
  } else {
    out += "its slowest member";
  }
  if (standing.minimum == kEndOfTime || standing.ceiling == kEndOfTime) return out;
  return out + " (max_drift " + format_duration(saturating_sub(standing.ceiling, standing.minimum)) + ")";
}

const char* strategy_word(WatermarkStrategyKind kind) noexcept {
  switch (kind) {
    case WatermarkStrategyKind::bounded_out_of_orderness:
      return "bounded_out_of_orderness";
    case WatermarkStrategyKind::ascending:
      return "ascending";
    case WatermarkStrategyKind::none:
      return "none";
    case WatermarkStrategyKind::source_watermarks:
      return "source";
    case WatermarkStrategyKind::punctuated:
      return "punctuated";
    case WatermarkStrategyKind::plugin:
      return "plugin";
  }
  return "";
}

SplitView view_of(const SplitSurroundings& around, const SourceReader& reader, const SplitSlot& split, Micros now) {
  SplitView view;
  view.source = around.plan.sources[reader.source].id;
  view.name = around.splits[split.id].name;
  view.core = around.core;
  view.status = split.progress.status(now);
  view.rows_read = split.rows_read;
  view.rows_set_aside = split.rows_set_aside;
  view.rows_filtered = split.rows_filtered;
  view.rows_truncated = split.rows_truncated;
  view.rows_ahead = split.rows_ahead;
  view.terms = terms_of(around.plan.sources[reader.source].watermark);
  if (view.status.state == SplitState::blocked) {
    view.status.reason = reader.pool->has_credit()
                             ? "the queues of the workers are full"
                             : "its batches are still in use by the workers, up to the memory limit";
  }
  const auto standing = around.alignment != nullptr ? around.alignment->view(split.id, now) : std::nullopt;
  if (!standing) return view;
  view.alignment_group = standing->group;
  view.drift_us = standing->drift_us;
  if (view.status.state == SplitState::paused) view.status.reason = pause_reason(around, *standing);
  return view;
}

}  // namespace

WatermarkTerms terms_of(const WatermarkPlan& plan) {
  WatermarkTerms out;
  out.strategy = strategy_word(plan.strategy.kind);
  out.emit_interval_us = plan.emit_interval_us;
  out.max_future_us = plan.future.max_future_us;
  out.catch_up = plan.merging.on_resume == ResumeRule::catch_up;
  if (plan.merging.all_idle == AllIdlePolicy::advance) {
    out.advance_after_us = plan.advance.after_us;
    out.advance_lag_us = plan.advance.lag_us;
  }
  return out;
}

std::vector<SplitView> split_views(const SplitSurroundings& around,
                                   const std::vector<std::unique_ptr<SourceReader>>& readers, Micros now) {
  std::vector<SplitView> out;
  for (const auto& reader : readers) {
    for (const auto& split : reader->splits) out.push_back(view_of(around, *reader, *split, now));
  }
  return out;
}

}  // namespace tidemark::core
