// SPDX-License-Identifier: Apache-2.0
//
// The oracle against results worked out by hand and against Flink's window vectors (semantics 2.6), so that a
// disagreement with the product is not the oracle's fault.
#include "tests/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

namespace tidemark::test {
namespace {

constexpr int64_t kEnd = INT64_MAX;
using F = OracleFunction;

OracleRow row(int64_t time, OracleCell key, OracleCell value, OracleOp op = OracleOp::insert) {
  return {0, 0, time, op, {std::move(key)}, {std::move(value)}};
}

OracleJob job(int64_t size, int64_t lateness, bool changelog, std::vector<OracleColumn> columns) {
  OracleJob out;
  out.window_size_us = size;
  out.allowed_lateness_us = lateness;
  out.changelog = changelog;
  out.columns = std::move(columns);
  return out;
}

const std::vector<OracleColumn> kAll = {{F::count_all, 0, 0},     {F::count, 0, 2}, {F::sum, 0, 2},
                                        {F::min, 0, 2},           {F::max, 0, 2},   {F::avg, 0, 2},
                                        {F::count_distinct, 0, 2}};

TEST(Oracle, every_aggregate_and_null) {
  const auto out = oracle_final(job(10, 0, false, kAll), {row(3, "b", "1.50"), row(9, "b", "-2"), row(0, "b", {}),
                                                          row(5, {}, {}), row(4, "b", "-2.00"), row(-1, "b", "0.01"),
                                                          row(INT64_MIN, "b", "7"), row(2, "b", "7", OracleOp::erase)});
  const std::vector<OracleResult> want = {
      {-10, 0, {"b"}, {"1", "1", "0.01", "0.01", "0.01", "0.010000", "1"}},
      {0, 10, {OracleCell{}}, {"1", "0", {}, {}, {}, {}, "0"}},
      {0, 10, {"b"}, {"4", "3", "-2.50", "-2.00", "1.50", "-0.833333", "2"}},
  };
  EXPECT_EQ(out.results, want);
  EXPECT_EQ(out.counts, (OracleCounts{6, 1, 1, 0}));
}

TEST(Oracle, averages_round_half_away_from_zero) {
  const auto average = [](const std::vector<std::string>& values, int scale) {
    std::vector<OracleRow> rows;
    for (const std::string& value : values) rows.push_back(row(0, "k", value));
    return *oracle_final(job(10, 0, false, {{F::avg, 0, scale}}), rows).results.at(0).values.at(0);
  };
  EXPECT_EQ(average({"2", "1", "1"}, 0), "1.3333");
  EXPECT_EQ(average({"2", "2", "1"}, 0), "1.6667");
  std::vector<std::string> halves(20000, "0");
  halves[0] = "1";  // 1 / 20000 = 0.00005
  EXPECT_EQ(average(halves, 0), "0.0001");
  halves[0] = "-1";
  EXPECT_EQ(average(halves, 0), "-0.0001");
  EXPECT_EQ(average({"99999999999999999999999999999999999999", "1"}, 0), "50000000000000000000000000000000000000.0000");
}

TEST(Oracle, changelog_takes_back_what_was_said) {
  const std::vector<OracleRow> rows = {
      row(1, "a", "5"),
      row(1, "a", "5"),
      row(2, "a", "9"),
      row(2, "a", "9", OracleOp::update_before),  // moves to b
      row(2, "b", "9", OracleOp::update_after),
      row(3, "c", "1"),
      row(3, "c", "1", OracleOp::erase),  // an empty group goes away
      row(4, "d", "1", OracleOp::erase),  // never seen before
      row(1, "a", "5", OracleOp::erase),
  };
  auto shuffled = rows;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  for (const auto& order : {rows, shuffled}) {
    const auto out =
        oracle_final(job(10, 0, true, {{F::count_all, 0, 0}, {F::max, 0, 0}, {F::count_distinct, 0, 0}}), order);
    EXPECT_EQ(out.results,
              (std::vector<OracleResult>{{0, 10, {"a"}, {"1", "5", "1"}}, {0, 10, {"b"}, {"1", "9", "1"}}}));
    EXPECT_EQ(out.groups_without_base, 1U);
  }
}

TEST(Oracle, texts_compare_by_bytes_and_bad_numbers_are_refused) {
  const auto texts = job(10, 0, false, {{F::min, 0, kOracleText}, {F::max, 0, kOracleText}});
  EXPECT_EQ(oracle_final(texts, {row(0, "k", "10"), row(0, "k", "9")}).results[0].values,
            (std::vector<OracleCell>{"10", "9"}));
  const auto sums = job(10, 0, false, {{F::sum, 0, 1}});
  for (const char* bad : {"", "-", "x", "1.25", "1e3", "1.2.3"}) {
    EXPECT_THROW(oracle_final(sums, {row(0, "k", bad)}), std::invalid_argument) << bad;
  }
  EXPECT_EQ(oracle_final(sums, {row(0, "k", "-0.5"), row(0, "k", "010")}).results[0].values[0], "9.5");
}

// Sums of one key as "{sum [start,end)}@watermark", late rows as step numbers.
struct Trace {
  std::vector<std::string> fired;
  std::vector<size_t> late;
  friend bool operator==(const Trace&, const Trace&) = default;
};

Trace trace(const OracleJob& of, const std::vector<OracleStep>& steps) {
  const OracleRun run = oracle_run(of, steps);
  Trace out;
  for (const OracleFiring& firing : run.firings) {
    const OracleResult& r = firing.result;
    out.fired.push_back((firing.removed ? "gone" : r.values.at(0).value_or("NULL")) + " [" +
                        std::to_string(r.window_start) + "," + std::to_string(r.window_end) + ")@" +
                        std::to_string(firing.watermark));
  }
  for (const OracleLate& late : run.late) out.late.push_back(late.step);
  return out;
}

OracleStep one(int64_t time) {
  return row(time, "k", "1");
}
const std::vector<OracleColumn> kSum = {{F::sum, 0, 0}};

TEST(Oracle, vec_W04) {
  EXPECT_EQ(trace(job(2000, 0, false, kSum), {one(1000), 1985, one(1980), 1999, one(1998), one(2001), 2999, 3999}),
            (Trace{{"2 [0,2000)@1999", "1 [2000,4000)@3999"}, {4}}));
}

TEST(Oracle, vec_W11) {
  EXPECT_EQ(trace(job(2000, 1, false, kSum), {one(1000), 1599, 1999, 2000, 5000}), (Trace{{"1 [0,2000)@1999"}, {}}));
}

TEST(Oracle, vec_W12) {
  EXPECT_EQ(trace(job(2000, 500, false, kSum), {one(100), 1998, 1999, one(50), 2498, one(60), 2499, one(70)}),
            (Trace{{"1 [0,2000)@1999", "2 [0,2000)@1999", "3 [0,2000)@2498"}, {7}}));
}

TEST(Oracle, vec_W15_and_W16) {
  EXPECT_EQ(trace(job(1000, kEnd, false, kSum), {one(10), 5000, one(20), one(30)}),
            (Trace{{"1 [0,1000)@5000", "2 [0,1000)@5000", "3 [0,1000)@5000"}, {}}));
  EXPECT_EQ(trace(job(1000, 500, false, kSum), {one(10), kEnd, one(20)}),
            (Trace{{"1 [0,1000)@" + std::to_string(kEnd)}, {2}}));
}

TEST(Oracle, a_watermark_never_falls_and_windows_near_the_ends_do_not_overflow) {
  EXPECT_EQ(trace(job(1000, 0, false, kSum), {one(10), 999, 5, one(20)}), (Trace{{"1 [0,1000)@999"}, {3}}));
  const OracleRun run = oracle_run(job(1000, 0, false, kSum), {one(kEnd - 1), one(INT64_MIN + 1), kEnd});
  ASSERT_EQ(run.firings.size(), 2U);
  EXPECT_EQ(run.firings[0].result.window_start, INT64_MIN);
  EXPECT_EQ(run.firings[1].result.window_end, kEnd);
}

TEST(Oracle, an_update_after_the_firing_is_one_step) {
  const auto before = [](int64_t time, const char* key, const char* value) -> OracleStep {
    return row(time, key, value, OracleOp::update_before);
  };
  const auto after = [](int64_t time, const char* key, const char* value) -> OracleStep {
    return row(time, key, value, OracleOp::update_after);
  };
  const std::vector<OracleStep> steps = {
      row(1, "a", "1"),
      row(2, "a", "2"),
      9,
      before(1, "a", "1"),
      after(1, "a", "5"),  // one firing
      before(2, "a", "2"),
      after(2, "b", "2"),  // a and b
      before(1, "a", "5"),
      after(12, "a", "5"),  // a is gone, its new window is open
      14,
      before(12, "a", "5"),
      after(3, "a", "6")  // the late half alone is late
  };
  EXPECT_EQ(trace(job(10, 5, true, kSum), steps),
            (Trace{{"3 [0,10)@9", "7 [0,10)@9", "5 [0,10)@9", "2 [0,10)@9", "gone [0,10)@9"}, {11}}));
}

// Whatever the order of rows and however the watermark moves below them, the last firing of each group is the
// final result.
TEST(Oracle, both_entry_points_agree_when_nothing_is_late) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    const OracleJob of = job(10, 0, true, kAll);
    std::vector<OracleRow> rows;
    std::vector<OracleStep> steps;
    for (int64_t i = 0; i < 200; ++i) {
      const bool takes_back = !rows.empty() && random() % 4 == 0;
      OracleRow next =
          row(i + static_cast<int64_t>(random() % 5), std::string(1, static_cast<char>('a' + random() % 3)),
              random() % 5 == 0 ? OracleCell{} : OracleCell{std::to_string(random() % 9)});
      if (takes_back && rows.back().op == OracleOp::insert) {
        next = rows.back();
        next.op = OracleOp::erase;
      }
      rows.push_back(next);
      steps.emplace_back(next);
      if (random() % 7 == 0) steps.emplace_back(i - 10);
    }
    steps.emplace_back(kEnd);
    const OracleRun run = oracle_run(of, steps);
    std::vector<OracleResult> last;
    for (const OracleFiring& firing : run.firings) last.push_back(firing.result);
    EXPECT_TRUE(run.late.empty());
    EXPECT_EQ(last, oracle_final(of, rows).results) << round;
  }
}

}  // namespace
}  // namespace tidemark::test
