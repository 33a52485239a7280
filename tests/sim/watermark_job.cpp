// SPDX-License-Identifier: Apache-2.0
//
// See the header. Event times follow virtual time at a pace of the split's own, with disorder that may be larger
// than the bound, so that some rows are late.
#include "tests/sim/watermark_job.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "tests/sim/sim_random.hpp"

namespace tidemark::test {

using core::AggregateFunction;
using core::ColumnType;
using core::Micros;

namespace {

constexpr Micros kSecond = core::kMicrosPerSecond;
constexpr Micros kEpoch = 1'700'000'000 * kSecond;

struct Shape {
  Micros disorder_us = 0;
  Micros silence_us = 0;   // a typical long one
  bool all_there = false;  // every row can be read from the start
  Micros grid_us = 1;      // event times are multiples of it: splits often stand at the same watermark
  bool marks = false;      // the source marks splits idle and active, and knows progress
};

class SplitMaker {
 public:
  SplitMaker(SimRandom random, const Shape& shape) : random_(random), shape_(shape) {}

  SplitScript make(std::string id) {
    SplitScript out{std::move(id), {}, true, 0};
    if (random_.chance(15)) at_ = random_.between(0, 2 * shape_.silence_us);  // begins late
    if (random_.chance(20)) ahead_ = random_.between(-20, 60) * kSecond;
    const int64_t steps = random_.chance(12) ? 0 : random_.between(1, 9);
    for (int64_t i = 0; i < steps; ++i) act(out);
    if (random_.chance(6)) {
      const Micros from = random_.between(0, at_);
      out.outages.push_back({from, from + random_.between(1, shape_.silence_us)});
    }
    if (!shape_.all_there) out.ends_at_us = at_ + (random_.chance(60) ? 0 : random_.between(0, 2 * shape_.silence_us));
    return out;
  }

 private:
  void act(SplitScript& out) {
    if (!shape_.all_there) {
      at_ += random_.chance(20) ? random_.between(0, shape_.silence_us) : random_.between(0, kSecond);
    }
    event_ += random_.between(0, 4 * kSecond);
    ScriptStep step;
    step.available_us = shape_.all_there ? 0 : at_;
    step.time_us = core::floor_to(kEpoch + ahead_ + event_ - random_.between(0, shape_.disorder_us), shape_.grid_us);
    if (shape_.marks && random_.chance(35)) {
      using Kind = ScriptStep::Kind;
      static constexpr Kind kMarks[] = {Kind::idle,     Kind::idle,     Kind::active,       Kind::active,
                                        Kind::progress, Kind::progress, Kind::disconnected, Kind::connected};
      step.kind = kMarks[random_.below(8)];
    } else {
      if (random_.chance(3)) step.time_us = core::kNoTime;
      step.cells = {"key" + std::to_string(random_.below(3)), "1"};
    }
    out.steps.push_back(std::move(step));
  }

  SimRandom random_;
  const Shape& shape_;
  Micros at_ = 0;
  Micros event_ = 0;
  Micros ahead_ = 0;
};

void add_random_source(SimJob& job, SimRandom& random, const Shape& shape, uint64_t splits) {
  SourceScript script;
  script.columns = {column_of("k", ColumnType::text), column_of("v", ColumnType::int64)};
  for (uint64_t split = 0; split < splits; ++split) {
    script.splits.push_back(SplitMaker(random.fork(), shape).make("split" + std::to_string(split)));
  }
  const bool discovers = random.chance(25);
  for (SplitScript& split : script.splits) {
    if (discovers && random.chance(50)) split.appears_at_us = random.between(1, shape.silence_us);
  }
  script.can_pause = random.chance(60);
  script.names_failing = random.chance(60);
  const Micros bound = random.chance(50) ? 0 : random.between(0, shape.disorder_us + kSecond);
  const Micros timeout = random.chance(30) ? 0 : random.between(2, 6) * kSecond;
  const uint32_t source = add_source(job, std::move(script), false, bound, timeout);
  if (random.chance(50)) job.plan.sources[source].watermark.emit_interval_us = kSecond;
  if (random.chance(40)) {
    core::AlignmentPlan& plan = job.plan.sources[source].watermark.alignment.emplace();
    plan.group = random.chance(70) ? "all" : "some";
    plan.terms.max_drift_us = random.between(0, 30) * kSecond;
    plan.terms.update_interval_us = random.between(1, 10) * kSecond / 5;
    plan.terms.timeout_us = random.between(1, 10) * kSecond;
  }
  job.plan.sources[source].discover_interval_us = random.between(1, 5) * kSecond;
}

}  // namespace

SimJob watermark_job(uint64_t seed) {
  SimRandom random(seed);
  SimJob job;
  Shape shape;
  shape.disorder_us = random.chance(30) ? 0 : random.between(0, 20 * kSecond);
  shape.silence_us = random.between(2, 30) * kSecond;
  shape.all_there = random.chance(15);
  shape.marks = random.chance(50);
  if (random.chance(40)) shape.grid_us = 2 * kSecond;
  static constexpr Micros kIntervals[] = {kSecond / 5, kSecond, 5 * kSecond, 3600 * kSecond};
  job.plan.checkpoint_interval_us = kIntervals[random.below(4)];
  const int64_t sources = random.chance(60) ? 1 : random.between(2, 3);
  std::vector<uint32_t> all;
  for (int64_t source = 0; source < sources; ++source) {
    const uint64_t most = random.chance(70) ? 3 : 8;
    const bool none = source > 0 && random.chance(10);
    add_random_source(job, random, shape, none ? 0 : 1 + random.below(most));
    all.push_back(static_cast<uint32_t>(source));
  }
  const core::MergeOptions merging{random.chance(50) ? core::ResumeRule::hold : core::ResumeRule::catch_up,
                                   static_cast<core::AllIdlePolicy>(random.below(4))};
  const core::IdleAdvanceOptions advance{random.between(1, 10) * kSecond,
                                         SimClock().wall_us() - kEpoch - random.between(-10, 30) * kSecond, kSecond};
  for (core::SourcePlan& source : job.plan.sources) {
    source.watermark.merging = merging;
    source.watermark.advance = advance;
  }
  const Micros window = random.between(1, 20) * kSecond;
  add_aggregate(job, all, window, {"k"}, {{AggregateFunction::count_all}, {AggregateFunction::sum, "v"}});
  if (sources > 1 && random.chance(40)) {
    add_aggregate(job, {all.back()}, window, {}, {{AggregateFunction::count_all}});
  }
  return job;
}

SimOptions watermark_options(uint64_t seed) {
  SimRandom random(seed * 0x9e3779b97f4a7c15ULL);
  SimOptions options;
  options.seed = random.below(UINT64_MAX);
  options.limits.pool_bytes_min = size_t{1} << 19;
  options.step_cost_us_max = random.chance(60) ? 0 : random.between(1, random.chance(70) ? 2'000 : 100'000);
  options.batch_rows_max = random.chance(40) ? 1 : 4;
  options.one_batch_per_poll = random.chance(50);
  if (random.chance(30)) options.limits.lane_rows = 1 + random.below(100);
  if (random.chance(30)) options.limits.result_lane_rows = 1 + random.below(100);
  options.stalls = random.chance(30);
  options.cores = {static_cast<uint32_t>(random.chance(50) ? 1 : random.between(2, 5))};
  if (random.chance(40)) {
    options.crashes = static_cast<uint32_t>(random.below(4));
    options.stops = static_cast<uint32_t>(random.below(3));
    options.steps_to_restart = static_cast<uint32_t>(random.between(20, 600));
    for (uint32_t i = 0; i < options.crashes + options.stops; ++i) {
      options.cores.push_back(static_cast<uint32_t>(random.between(1, 4)));
    }
  }
  return options;
}

}  // namespace tidemark::test
