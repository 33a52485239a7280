// SPDX-License-Identifier: Apache-2.0
//
// What an explanation says is true: of splits without a watermark, behind it, ahead of the clock, of jobs that are at
// the end of time or stopped; and what it recommends does no harm. Each over a status, sentence by sentence.
#include <gtest/gtest.h>

#include <initializer_list>

#include "core/observe/explanation.hpp"
#include "core/observe/status_json.hpp"
#include "tests/unit/observe/sample_status.hpp"

namespace tidemark::core::test {
namespace {

std::string text_of(const JobStatus& job) {
  return explanation_text(job, explain(job));
}

void expect_says(const JobStatus& job, std::initializer_list<const char*> parts) {
  const std::string text = text_of(job);
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

void expect_silent_on(const JobStatus& job, std::initializer_list<const char*> parts) {
  const std::string text = text_of(job);
  for (const char* part : parts) EXPECT_EQ(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

// Shard 1 holds, and has just been heard of.
JobStatus lively_status() {
  JobStatus job = sample_status();
  job.splits[1].status.last_activity_age_us = 19'000;
  job.splits[1].rows_read = 12;
  return job;
}

JobStatus without_watermark(const char* strategy) {
  JobStatus job = lively_status();
  job.aggregates[0].watermark = kNoTime;
  job.splits[1].status.watermark = kNoTime;
  job.splits[1].terms.strategy = strategy;
  return job;
}

JobStatus all_idle_status() {
  JobStatus job = sample_status();
  for (SplitView& split : job.splits) split.status.state = split.status.times.state = SplitState::idle;
  job.splits[0].status.times.stay_us = 90 * kSecond;
  job.aggregates[0].holder.reset();
  job.aggregates[0].all_idle = true;
  return job;
}

TEST(Explanation, no_watermark_ever_is_told_by_strategy) {
  const JobStatus none = without_watermark("none");
  EXPECT_EQ(explain(none).aggregates[0].verdict, Verdict::not_begun);
  expect_says(none, {"never gives a watermark", "watermark.strategy = \"bounded_out_of_orderness\""});
  expect_says(without_watermark("source"), {"its plugin has not said a watermark yet (12 rows read)"});
  expect_says(without_watermark("punctuated"), {"no row has matched the marker in 12 rows"});
  expect_says(without_watermark("ascending"), {"It has not given a watermark yet."});
  JobStatus timeless = without_watermark("bounded_out_of_orderness");
  timeless.splits[1].rows_set_aside = 12;
  expect_says(timeless, {"12 rows have come from it, and all were set aside: none has an event time", "late ls"});
  timeless.splits[1].status.last_activity_age_us = 60 * kSecond;
  expect_says(timeless, {"none has an event time", "no idle_timeout: the job waits"});
  for (const char* strategy : {"none", "source", "punctuated", "ascending", ""}) {
    expect_silent_on(without_watermark(strategy), {"sets the pace", "has just sent"});
  }
}

TEST(Explanation, strategy_and_its_neighbours_go_through_json) {
  JobStatus job = sample_status();
  job.as_of_epoch = true;
  job.splits[1].terms = {"punctuated", 200'000, 60 * kSecond, true, 300 * kSecond, 7 * kSecond};
  const auto back = status_from_json(status_to_json(job));
  ASSERT_TRUE(back.is_ok());
  EXPECT_TRUE(back->as_of_epoch);
  EXPECT_EQ(back->splits[0].terms.max_future_us, kEndOfTime);
  const WatermarkTerms& terms = back->splits[1].terms;
  EXPECT_EQ(terms.strategy, "punctuated");
  EXPECT_EQ(terms.emit_interval_us, 200'000);
  EXPECT_EQ(terms.max_future_us, 60 * kSecond);
  EXPECT_TRUE(terms.catch_up);
  EXPECT_EQ(terms.advance_after_us, 300 * kSecond);
  EXPECT_EQ(terms.advance_lag_us, 7 * kSecond);
}

TEST(Explanation, a_holder_behind_the_watermark_has_late_rows_until_it_has_passed_it) {
  JobStatus job = lively_status();
  job.aggregates[0].watermark = kNow - 10 * kSecond;
  expect_says(job, {"the watermark stands at 2026-03-28T23:59:50Z until split shard-1 of source orders, at "
                    "2026-03-28T23:56:50Z, has passed it",
                    "Its rows below 2026-03-28T23:59:50Z are late until then (the aggregate has had 4 late rows"});
  expect_silent_on(job, {"sets the watermark", "sets the pace"});
  job.splits[1].status.watermark = kNoTime;  // found late
  expect_says(job, {"until split shard-1 of source orders, which has given none yet, has passed it"});
}

TEST(Explanation, who_catches_up_is_not_waited_for) {
  JobStatus job = lively_status();
  job.aggregates[0].holder = 0;
  job.aggregates[0].watermark = job.splits[0].status.watermark;
  job.aggregates[0].catching_up = 1;
  expect_says(job, {"shard-0 of source orders sets the watermark",
                    "shard-1 of source orders, at 2026-03-28T23:56:50Z, is not waited for (on_resume = \"catch_up\"): "
                    "its rows below 2026-03-28T23:59:59Z are late until it has caught up"});
}

TEST(Explanation, the_end_of_time_is_not_the_end_of_the_input) {
  JobStatus job = all_idle_status();
  job.aggregates[0].all_idle_policy = AllIdlePolicy::end_of_time;
  job.aggregates[0].watermark = kEndOfTime;
  expect_says(job, {"all_idle = \"end_of_time\" has closed everything", "every further row is late"});
  expect_silent_on(job, {"the input has ended"});
  job.aggregates[0].holder = 1;  // it woke up
  job.splits[1].status.state = SplitState::active;
  EXPECT_EQ(explain(job).aggregates[0].verdict, Verdict::closed);
  for (SplitView& split : job.splits) split.status.state = SplitState::finished;
  expect_says(job, {"the input has ended"});
}

TEST(Explanation, rows_ahead_of_the_clock_are_a_reason_and_max_future_is_not_recommended_twice) {
  JobStatus job = lively_status();
  job.splits[1].rows_ahead = 11;
  job.splits[1].terms.max_future_us = 60 * kSecond;
  expect_says(job,
              {"11 of its rows are further ahead of the clock than max_future (1m) and do not move its watermark"});
  expect_silent_on(job, {"sets the pace", "max_future ="});
  job.splits[1].rows_ahead = 0;
  job.splits[1].terms.max_future_us = 7200 * kSecond;
  job.splits[1].status.max_event_time = kNow + 3600 * kSecond;
  expect_says(job, {"its max_future of 2h lets it through"});
  expect_silent_on(job, {"max_future ="});
  job.splits[1].terms.max_future_us = kEndOfTime;
  expect_says(job, {"watermark.max_future = \"1m\""});
}

TEST(Explanation, gaps_of_a_backlog_give_no_timeout) {
  JobStatus job = sample_status();
  job.splits[1].status.arrivals = {100'000, 0, 0, 0, kSecond};
  job.splits[0].status.arrivals = {200, 12 * kSecond, 9, 20 * kSecond, 45 * kSecond};
  expect_says(job, {"watermark.idle_timeout would take it out", "came from a backlog, so the gaps between them say"});
  expect_silent_on(job, {"idle_timeout = \""});
  job.splits[1].status.arrivals.suggested_idle_timeout_us = 20 * kSecond;
  job.splits[1].terms.emit_interval_us = 3 * kSecond;
  expect_silent_on(job, {"idle_timeout = \""});
  job.splits[1].terms.emit_interval_us = 2 * kSecond;
  expect_says(job, {"idle_timeout = \"20s\""});
  job.splits[1].status.flapping = true;
  job.splits[1].status.idle_timeout_us = kSecond / 10;
  job.splits[1].status.arrivals.suggested_idle_timeout_us = kSecond;
  expect_silent_on(job, {"idle_timeout = \""});
}

TEST(Explanation, what_is_set_already_is_not_recommended) {
  JobStatus job = sample_status();
  job.splits[1].status.idle_timeout_us = 30 * kSecond;  // its gaps ask for 45s
  EXPECT_TRUE(explain(job).aggregates[0].remedies.empty());
  job.splits[1].status.arrivals = {};
  EXPECT_TRUE(explain(job).aggregates[0].remedies.empty());
  job.splits[1].status.reason = "has data to read";
  expect_says(job, {"watermark.alignment keeps the others"});
  job.splits[1].alignment_group = "shop";
  EXPECT_TRUE(explain(job).aggregates[0].remedies.empty());
}

TEST(Explanation, all_idle_says_since_when_and_what_its_policy_does) {
  JobStatus job = all_idle_status();
  expect_says(job, {"none of 3 holds it back, since 40s", "all_idle = \"flush\" would move"});
  for (SplitView& split : job.splits) split.status.watermark = kNoTime;
  job.aggregates[0].watermark = kNoTime;
  expect_silent_on(job, {"all_idle = \"flush\"", "to none"});
  job.aggregates[0].all_idle_policy = AllIdlePolicy::advance;
  job.splits[0].terms.advance_after_us = 10 * kSecond;
  job.splits[0].terms.advance_lag_us = 60 * kSecond;
  expect_says(job, {"the watermark follows the clock, 1m behind, since 2026-03-28T23:59:30Z"});
  job.splits[0].terms.advance_after_us = 50 * kSecond;
  expect_says(job, {"the watermark will follow the clock, 1m behind, from 2026-03-29T00:00:10Z"});
  for (SplitView& split : job.splits) split.status.state = SplitState::active;  // between two answers
  expect_silent_on(job, {"unlimited"});
}

TEST(Explanation, of_a_stopped_job_it_speaks_of_moments) {
  JobStatus job = lively_status();
  job.running = false;
  job.as_of_epoch = true;
  expect_says(job, {"as of the last epoch, 2026-03-29T00:00:00Z", "sets the watermark, since 2026-03-28T23:56:56Z"});
  expect_silent_on(job, {"has just sent", "since 3m", "19ms"});
  job.splits[1].status.last_activity_age_us = 185 * kSecond;
  expect_says(job, {"As of the last epoch, 2026-03-29T00:00:00Z, no rows had come from it for 3m5s"});
}

TEST(Explanation, an_aggregate_of_aggregates_points_to_what_it_reads) {
  JobStatus job = lively_status();
  AggregateView hours = job.aggregates[0];
  hours.id = "hours";
  hours.sources.clear();
  hours.upstream = {job.aggregates[0].id};
  hours.holder.reset();
  hours.held_by = job.aggregates[0].id;
  job.aggregates.push_back(hours);
  EXPECT_EQ(explain(job).aggregates[1].verdict, Verdict::held);
  expect_says(job, {("the results of aggregate " + hours.held_by + " set the watermark").c_str(), "see there"});
  const auto back = status_from_json(status_to_json(job));
  ASSERT_TRUE(back.is_ok());
  EXPECT_EQ(back->aggregates[1].upstream, hours.upstream);
  EXPECT_EQ(back->aggregates[1].held_by, hours.held_by);
  EXPECT_EQ(back->aggregates[1].holder, std::nullopt);
  job.aggregates[1].held_by.clear();
  EXPECT_EQ(explain(job).aggregates[1].verdict, Verdict::all_idle);
  job.aggregates[1].watermark = kEndOfTime;
  EXPECT_EQ(explain(job).aggregates[1].verdict, Verdict::ended);
}

}  // namespace
}  // namespace tidemark::core::test
