// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/sim/epoch_audit.hpp"

#include <utility>

#include "core/late/late_reader.hpp"
#include "core/state/keys.hpp"
#include "tests/sim/sim_clock.hpp"

namespace tidemark::test {

using core::Family;
using core::Op;

namespace {

// Whether a row is set aside. Times that a future guard is to catch lie a quarter of a year ahead of the clock at
// least, others well below, so that jumps of the wall clock decide nothing.
bool is_set_aside(const core::SourcePlan& source, const ScriptStep& row) {
  constexpr core::Micros kQuarter = 90 * 86'400 * core::kMicrosPerSecond;
  const bool ahead = source.watermark.future.rule == core::FutureRule::set_aside && source.watermark.future.is_on() &&
                     row.time_us > SimClock().wall_us() + kQuarter;
  return row.time_us == core::kNoTime || ahead;
}

}  // namespace

EpochAudit::EpochAudit(const SimJob& job) : job_(job), operators_(job.plan.aggregates.size()) {
  for (size_t source = 0; source < job.scripts.size(); ++source) {
    std::vector<SplitState> states;
    for (const SplitScript& script : job.scripts[source].splits) {
      SplitState state;
      uint64_t rows = 0;
      uint64_t filtered = 0;
      uint64_t set_aside = 0;
      for (size_t i = 0; i <= script.steps.size(); ++i) {
        state.rows.push_back(rows);
        state.filtered.push_back(filtered);
        state.set_aside.push_back(set_aside);
        if (i < script.steps.size()) rows += script.steps[i].truncated;
        if (i == script.steps.size() || script.steps[i].kind != ScriptStep::Kind::row) continue;
        ++rows;
        if (!job.plan.sources[source].changelog && script.steps[i].op != Op::insert) {
          ++filtered;
        } else if (is_set_aside(job.plan.sources[source], script.steps[i])) {
          ++set_aside;
        }
      }
      states.push_back(std::move(state));
    }
    splits_.push_back(std::move(states));
  }
}

void EpochAudit::fail(const std::string& what) {
  if (violation_.empty()) violation_ = "epoch " + std::to_string(last_.epoch) + ": " + what;
}

void EpochAudit::expect_equal(uint64_t a, uint64_t b, const std::string& what) {
  if (a != b) fail(what + ": " + std::to_string(a) + " and " + std::to_string(b));
}

void EpochAudit::after_commit(core::EpochStore& store) {
  const auto stored = store.get(Family::meta, core::kMetaEpoch);
  if (!stored || !*stored) return;
  const auto record = core::decode_epoch_record(**stored);
  if (!record) return fail(record.status().message());
  const uint64_t before = last_.epoch;
  last_ = *record;
  expect_equal(last_.epoch, before + 1, "epochs go up by one");
  check_splits(store);
  check_operators(store, *record);
}

void EpochAudit::check_splits(core::EpochStore& store) {
  sums_.assign(job_.scripts.size(), {});
  for (size_t source = 0; source < job_.scripts.size(); ++source) {
    for (size_t split = 0; split < splits_[source].size(); ++split) {
      const std::string& name = job_.scripts[source].splits[split].id;
      const auto stored = store.get(Family::sources, core::source_key(job_.plan.sources[source].id, name));
      SplitState& state = splits_[source][split];
      const bool to_be_found = job_.scripts[source].splits[split].appears_at_us > 0 && !state.recorded;
      if (stored && !*stored && to_be_found) continue;
      if (!stored || !*stored) return fail("no record of split " + name);
      const auto record = core::decode_split_record(**stored);
      if (!record) return fail(record.status().message());
      state.recorded = true;
      const size_t position = std::stoull(record->position);
      if (position < state.position) fail("the position of split " + name + " went back");
      if (position >= state.rows.size()) return fail("the position of split " + name + " is past its end");
      state.position = position;
      uint64_t to_come = 0;  // of a truncation under way
      if (record->truncation) {
        to_come = job_.scripts[source].splits[split].steps[position - 1].truncated - record->truncation->rows;
      }
      expect_equal(record->rows_read + to_come, state.rows[position],
                   "rows read of split " + name + " and of its script");
      expect_equal(record->rows_filtered, state.filtered[position], "rows filtered of split " + name);
      expect_equal(record->rows_set_aside, state.set_aside[position], "rows set aside of split " + name);
      sums_[source].rows_read += record->rows_read;
      sums_[source].rows_filtered += record->rows_filtered;
      sums_[source].rows_set_aside += record->rows_set_aside;
    }
  }
}

void EpochAudit::check_operators(core::EpochStore& store, const core::EpochRecord& record) {
  uint64_t aggregated = 0;
  uint64_t late = 0;
  for (size_t i = 0; i < operators_.size(); ++i) {
    const auto stored = store.get(Family::meta, core::operator_key(static_cast<uint16_t>(i)));
    if (!stored || !*stored) return fail("no record of aggregate " + std::to_string(i));
    const auto now = core::decode_operator_record(**stored);
    if (!now) return fail(now.status().message());
    if (now->watermark < operators_[i].watermark) fail("the watermark of aggregate " + std::to_string(i) + " fell");
    operators_[i] = *now;
    uint64_t read = 0;
    uint64_t elsewhere = 0;
    for (const uint32_t source : job_.plan.aggregates[i].sources) {
      read += sums_[source].rows_read;
      elsewhere += sums_[source].rows_filtered + sums_[source].rows_set_aside;
    }
    if (!job_.plan.aggregates[i].upstream.empty()) {
      read = now->input.rows_in;
      elsewhere = now->input.rows_filtered + now->input.rows_set_aside;
    }
    expect_equal(read, now->counters.rows_aggregated + now->counters.rows_late + now->counters.rows_no_base + elsewhere,
                 "rows read, and aggregated + late + filtered + set aside of aggregate " + std::to_string(i));
    aggregated += now->counters.rows_aggregated;
    late += now->counters.rows_late;
  }
  core::SplitRecord sum;
  for (const core::SplitRecord& one : sums_) {
    sum.rows_read += one.rows_read;
    sum.rows_filtered += one.rows_filtered;
    sum.rows_set_aside += one.rows_set_aside;
  }
  expect_equal(record.rows_read, sum.rows_read, "rows read of the epoch and of its splits");
  expect_equal(record.rows_filtered, sum.rows_filtered, "rows filtered of the epoch and of its splits");
  expect_equal(record.rows_set_aside, sum.rows_set_aside, "rows set aside of the epoch and of its splits");
  expect_equal(record.rows_aggregated, aggregated, "rows aggregated of the epoch and of its aggregates");
  expect_equal(record.rows_late, late, "rows late of the epoch and of its aggregates");
}

void EpochAudit::check_late(core::EpochStore& store) {
  std::map<std::string, uint64_t> rows;
  std::set<std::tuple<std::string, std::string, std::string, uint64_t>> seen;
  for (const core::LateItem& item : late_items(store)) {
    ++rows[item.aggregate];
    if (!seen.insert({item.aggregate, item.source, item.split, item.sequence}).second) {
      fail("row " + std::to_string(item.sequence) + " of split " + item.split + " is in the late store twice");
    }
    const bool is_late = item.reason == core::LateReason::too_late || item.reason == core::LateReason::partly_late;
    const bool fits = item.aggregate.empty()
                          ? item.reason == core::LateReason::no_event_time
                          : is_late && item.pane_end - 1 <= item.watermark && item.event_time < item.pane_end;
    if (!fits) fail("row " + std::to_string(item.sequence) + " of split " + item.split + " is late without reason");
  }
  expect_equal(rows[""], last_.rows_set_aside, "rows set aside in the late store and in the epoch");
  for (size_t i = 0; i < operators_.size(); ++i) {
    const core::WindowCounters& counters = operators_[i].counters;
    expect_equal(rows[job_.plan.aggregates[i].spec.id],
                 counters.rows_late + counters.rows_partly_late + counters.rows_no_base,
                 "rows in the late store and late rows of aggregate " + std::to_string(i));
  }
}

std::vector<core::LateItem> late_items(core::EpochStore& store) {
  std::vector<core::LateItem> out;
  core::Status status = store.scan(Family::late, "", [&out](std::string_view key, std::string_view value) {
    core::Status read = core::visit_late_page(key, value, {}, [&out](const core::LateItem& item) {
      out.push_back(item);
      return true;
    });
    TIDEMARK_CHECK(read.is_ok());
    return true;
  });
  TIDEMARK_CHECK(status.is_ok());
  return out;
}

}  // namespace tidemark::test
