// SPDX-License-Identifier: Apache-2.0
//
// See the header. A split's event times follow a base that goes up; a row lies up to `disorder` behind it, and so
// do the rows that updates and deletes take away, so a bound above the disorder makes a punctual split.
#include "tests/sim/random_job.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "tests/sim/sim_random.hpp"

namespace tidemark::test {

using core::AggregateFunction;
using core::ColumnType;
using core::Micros;
using core::Op;

namespace {

constexpr Micros kSecond = core::kMicrosPerSecond;

struct Shape {
  bool punctual = true;
  bool changelog = false;
  bool source_marks = false;  // idle and active, progress
  Micros disorder_us = 0;
  Micros bound_us = 0;
  Micros idle_timeout_us = 0;
  Micros arrival_gap_us = 0;  // 0: everything is there from the start
  unsigned null_percent = 10;
  uint64_t keys = 5;
};

Shape random_shape(SimRandom& random) {
  Shape shape;
  shape.punctual = random.chance(60);
  shape.changelog = random.chance(50);
  shape.disorder_us = random.between(0, 30 * kSecond);
  shape.null_percent = random.chance(70) ? 10 : 40;
  shape.keys = random.chance(80) ? 5 : 200;
  if (shape.punctual) {
    shape.bound_us = shape.disorder_us + random.between(0, 5 * kSecond);
    if (random.chance(50)) shape.idle_timeout_us = random.between(1, 5) * kSecond;
    if (shape.idle_timeout_us == 0 && random.chance(50)) shape.arrival_gap_us = random.between(1, 2 * kSecond);
    shape.source_marks = random.chance(30);
  } else {
    shape.bound_us = random.chance(30) ? 0 : shape.disorder_us / 3;
    if (random.chance(70)) shape.idle_timeout_us = random.between(1, 5) * kSecond;
    if (random.chance(70)) shape.arrival_gap_us = random.between(1, 4 * kSecond);
    shape.source_marks = random.chance(40);
  }
  return shape;
}

OracleCell maybe(SimRandom& random, const Shape& shape, std::string text) {
  return random.chance(shape.null_percent) ? OracleCell() : OracleCell(std::move(text));
}

std::vector<core::ColumnInfo> columns() {
  return {column_of("k", ColumnType::text),
          column_of("g", ColumnType::int32),
          column_of("v", ColumnType::int64),
          column_of("t", ColumnType::int8),
          column_of("d", ColumnType::decimal64, 16, 2),
          column_of("w", ColumnType::decimal128, 38, 0),
          column_of("x", ColumnType::text)};
}

std::vector<OracleCell> random_cells(SimRandom& random, const Shape& shape) {
  const std::string wide(static_cast<size_t>(random.between(1, 38)), '9');
  const int64_t big = random.chance(10) ? INT64_MAX - random.between(0, 3) : random.between(-1000, 1000);
  const int64_t cents = random.between(-99, 99'999);
  std::string money = std::to_string(std::abs(cents) / 100) + (std::abs(cents) % 100 < 10 ? ".0" : ".") +
                      std::to_string(std::abs(cents) % 100);
  if (cents < 0) money.insert(0, "-");
  return {
      maybe(random, shape, "key" + std::to_string(random.below(shape.keys))),
      maybe(random, shape, std::to_string(random.between(-2, 2))),
      maybe(random, shape, std::to_string(big)),
      maybe(random, shape, std::to_string(random.between(-128, 127))),
      maybe(random, shape, std::move(money)),
      maybe(random, shape, random.chance(50) ? wide : "-" + wide),
      maybe(random, shape, std::string(static_cast<size_t>(random.below(30)), 'a') + std::to_string(random.below(4)))};
}

/// Makes the steps of one split.
class SplitMaker {
 public:
  SplitMaker(SimRandom random, const Shape& shape) : random_(random), shape_(shape) {}

  SplitScript make(std::string id) {
    SplitScript out;
    out.id = std::move(id);
    const int64_t actions = random_.chance(10) ? 0 : random_.between(1, 90);
    for (int64_t i = 0; i < actions; ++i) act(out);
    out.ends_at_us = shape_.arrival_gap_us == 0 ? 0 : available_ + random_.between(0, 10 * kSecond);
    return out;
  }

 private:
  void act(SplitScript& out) {
    base_ += random_.between(0, 6 * kSecond);
    available_ += shape_.arrival_gap_us == 0 ? 0 : random_.between(0, shape_.arrival_gap_us);
    if (!shape_.punctual && shape_.arrival_gap_us > 0 && random_.chance(4))
      available_ += random_.between(1, 20) * kSecond;
    const uint64_t what = random_.below(100);
    if (shape_.source_marks && what < 8) return mark(out);
    if (what < 40 && !live_.empty()) return change(out);
    ScriptStep row = new_row();
    if (row.time_us != core::kNoTime) live_.push_back(row);
    out.steps.push_back(std::move(row));
  }

  ScriptStep new_row() {
    ScriptStep row;
    row.available_us = available_;
    row.time_us = random_.chance(3) ? core::kNoTime : base_ - random_.between(0, shape_.disorder_us);
    row.cells = random_cells(random_, shape_);
    return row;
  }

  // An update or a delete of a row that is recent enough.
  void change(SplitScript& out) {
    const size_t which = random_.below(live_.size());
    ScriptStep before = live_[which];
    if (shape_.punctual && before.time_us < base_ - shape_.disorder_us) {
      live_.erase(live_.begin() + static_cast<ptrdiff_t>(which));  // too old to be touched again
      return;
    }
    before.available_us = available_;
    if (random_.chance(40)) {
      before.op = Op::remove;
      live_.erase(live_.begin() + static_cast<ptrdiff_t>(which));
      out.steps.push_back(std::move(before));
      return;
    }
    before.op = Op::update_before;
    ScriptStep after = new_row();
    if (random_.chance(60)) after.time_us = before.time_us;
    if (random_.chance(50)) after.cells[0] = before.cells[0];
    live_[which] = after;
    if (after.time_us == core::kNoTime) live_.erase(live_.begin() + static_cast<ptrdiff_t>(which));
    after.op = Op::update_after;
    out.steps.push_back(std::move(before));
    out.steps.push_back(std::move(after));
  }

  // What a punctual source says is true: no row before base - disorder is still to come.
  void mark(SplitScript& out) {
    ScriptStep step;
    step.available_us = available_;
    step.time_us = base_ - shape_.disorder_us + (shape_.punctual ? 0 : random_.between(0, shape_.disorder_us));
    step.kind = ScriptStep::Kind::progress;
    if (!shape_.punctual && random_.chance(50)) {
      step.kind = random_.chance(60) ? ScriptStep::Kind::idle : ScriptStep::Kind::active;
    }
    out.steps.push_back(std::move(step));
  }

  SimRandom random_;
  const Shape& shape_;
  Micros base_ = 1'700'000'000 * kSecond;
  Micros available_ = 0;
  std::vector<ScriptStep> live_;
};

/// Windows that overlap, and results before and after the end.
void random_windows(SimRandom& random, core::AggregateSpec& spec) {
  if (random.chance(40)) {
    spec.window.kind = random.chance(50) ? core::WindowKind::sliding : core::WindowKind::cumulative;
    spec.window.slide_us = spec.window.size_us;
    spec.window.size_us *= random.between(1, 4);
  }
  if (random.chance(30)) {
    static constexpr core::FiringRule kRules[] = {core::FiringRule::on_update, core::FiringRule::every,
                                                  core::FiringRule::every, core::FiringRule::count};
    const uint64_t rule = random.below(4);
    spec.emit.early = {kRules[rule], random.between(1, 20) * kSecond, rule == 1,
                       static_cast<uint32_t>(random.between(1, 5))};
  }
  if (spec.allowed_lateness_us > 0 && random.chance(30)) {
    const bool counts = random.chance(50);
    spec.emit.late = {counts ? core::FiringRule::count : core::FiringRule::every, random.between(1, 20) * kSecond,
                      random.chance(50), static_cast<uint32_t>(random.between(1, 5))};
  }
}

void add_random_aggregate(SimJob& job, SimRandom& random, std::vector<uint32_t> sources) {
  std::vector<std::string> keys;
  if (random.chance(70)) keys.emplace_back("k");
  if (random.chance(40)) keys.emplace_back("g");
  std::vector<SimColumn> columns{{AggregateFunction::count_all}};
  static const std::vector<SimColumn> kChoices{
      {AggregateFunction::count, "v"},         {AggregateFunction::sum, "v"}, {AggregateFunction::sum, "t"},
      {AggregateFunction::sum, "d"},           {AggregateFunction::sum, "w"}, {AggregateFunction::min, "v"},
      {AggregateFunction::max, "d"},           {AggregateFunction::avg, "d"}, {AggregateFunction::avg, "t"},
      {AggregateFunction::min, "x"},           {AggregateFunction::max, "w"}, {AggregateFunction::count_distinct, "x"},
      {AggregateFunction::count_distinct, "v"}};
  for (const SimColumn& choice : kChoices) {
    if (random.chance(30)) columns.push_back(choice);
  }
  const Micros window = random.between(1, 40) * kSecond;
  const Micros lateness = random.chance(40) ? random.between(1, 60) * kSecond : 0;
  const uint32_t number = add_aggregate(job, std::move(sources), window, keys, columns, lateness);
  random_windows(random, job.plan.aggregates[number].spec);
  if (random.chance(25)) add_sink(job, number);
}

}  // namespace

RandomJob random_job(uint64_t seed) {
  SimRandom random(seed);
  RandomJob out;
  const Shape shape = random_shape(random);
  out.punctual = shape.punctual;
  static constexpr Micros kIntervals[] = {1'000, 20'000, kSecond, 3600 * kSecond};
  out.job.plan.checkpoint_interval_us = kIntervals[random.below(4)];
  const uint64_t sources = random.chance(30) ? 2 : 1;
  std::vector<uint32_t> all;
  for (uint64_t source = 0; source < sources; ++source) {
    SourceScript script;
    script.columns = columns();
    const int64_t splits = random.between(1, 5);
    for (int64_t split = 0; split < splits; ++split) {
      script.splits.push_back(SplitMaker(random.fork(), shape).make("split" + std::to_string(split)));
    }
    all.push_back(add_source(out.job, std::move(script), shape.changelog, shape.bound_us, shape.idle_timeout_us));
  }
  const bool catches_up = !shape.punctual && random.chance(30);
  const uint64_t policy = shape.punctual ? 0 : random.below(3);
  for (core::SourcePlan& source : out.job.plan.sources) {
    if (catches_up) source.watermark.merging.on_resume = core::ResumeRule::catch_up;
    source.watermark.merging.all_idle = static_cast<core::AllIdlePolicy>(policy);
  }
  add_random_aggregate(out.job, random, all);
  if (random.chance(40)) add_random_aggregate(out.job, random, {all.back()});
  return out;
}

SimOptions random_options(uint64_t seed, uint32_t variant) {
  SimRandom random(seed * 0x9e3779b97f4a7c15ULL + variant);
  SimOptions options;
  options.seed = random.below(UINT64_MAX);
  options.limits.pool_bytes_min = static_cast<size_t>(random.between(1, 8)) << 19;
  options.step_cost_us_max = random.chance(50) ? 200 : random.between(1, 100'000);
  options.batch_rows_max = static_cast<uint32_t>(random.chance(30) ? 1 : random.between(2, 60));
  options.one_batch_per_poll = random.chance(50);
  if (random.chance(50)) options.limits.lane_rows = random.below(200) + 1;
  if (random.chance(50)) options.limits.result_lane_rows = random.below(200) + 1;
  if (random.chance(60)) options.panes_bytes_max = uint64_t{1} << random.between(1, 18);
  if (variant == 0) return options;
  options.stalls = random.chance(40);
  options.cores = {static_cast<uint32_t>(variant)};
  if (random.chance(70)) {
    options.crashes = static_cast<uint32_t>(random.below(6));
    options.stops = static_cast<uint32_t>(random.below(3));
    options.steps_to_restart = static_cast<uint32_t>(random.between(20, 1500));
    for (uint32_t i = 0; i < options.crashes + options.stops; ++i) {
      options.cores.push_back(static_cast<uint32_t>(random.between(1, 4)));
    }
    std::swap(options.cores.front(), options.cores.back());
  }
  return options;
}

}  // namespace tidemark::test
