// SPDX-License-Identifier: Apache-2.0
//
// See the header. Watermarks are those of a bounded out-of-orderness (semantics 1.4.4) and of known progress.
#include "tests/sim/script_facts.hpp"

#include <algorithm>

namespace tidemark::test {

using core::Micros;

ScriptFacts::ScriptFacts(const SimJob& job) : job_(job) {
  for (size_t source = 0; source < job.scripts.size(); ++source) {
    const core::WatermarkPlan& plan = job.plan.sources[source].watermark;
    const bool bounded = plan.strategy.kind == core::WatermarkStrategyKind::bounded_out_of_orderness &&
                         !plan.future.is_on() && job.plan.sources[source].event_time_column == 0;
    auto& splits = splits_.emplace_back();
    for (const SplitScript& script : job.scripts[source].splits) {
      Split& split = splits[script.id];
      split.script = &script;
      Micros watermark = core::kNoTime;
      bool idle = false;
      for (size_t step = 0; step <= script.steps.size(); ++step) {
        if (bounded) split.watermarks.push_back(watermark);
        split.marked_idle.push_back(idle);
        if (step == script.steps.size()) continue;
        const ScriptStep& next = script.steps[step];
        using Kind = ScriptStep::Kind;
        if (next.kind == Kind::idle) idle = true;
        if (next.kind == Kind::row || next.kind == Kind::active) idle = false;
        const Micros behind = next.kind == Kind::progress ? 1 : plan.strategy.max_out_of_orderness_us + 1;
        const bool moves = next.kind == Kind::row || next.kind == Kind::progress;
        if (moves && next.time_us != core::kNoTime) {
          watermark = std::max(watermark, core::saturating_sub(next.time_us, behind));
        }
      }
    }
  }
}

SplitTruth ScriptFacts::of(uint32_t source, const std::string& name, const ReadingFacts& reading, Micros now) const {
  const Split& split = splits_.at(source).at(name);
  SplitTruth truth;
  truth.name = name;
  if (!split.watermarks.empty()) truth.watermarks = std::span(split.watermarks).first(reading.steps + 1);
  truth.idle_timeout_us = job_.plan.sources[source].watermark.idle_timeout_us;
  truth.all_handed_on = reading.steps == split.script->steps.size() && reading.finished;
  truth.marked_idle = split.marked_idle[reading.steps];
  if (reading.active_us) {
    truth.silent_us = now - *reading.active_us;
    if (reading.unread_since_us) truth.unread_after_us = *reading.unread_since_us - *reading.active_us;
  }
  return truth;
}

}  // namespace tidemark::test
