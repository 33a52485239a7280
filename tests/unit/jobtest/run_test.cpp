// SPDX-License-Identifier: Apache-2.0
//
// [[tests]] as they run: time, silence, watermarks, late rows and failures through the real components; and what is
// said when expectations are not met.
#include <gtest/gtest.h>

#include "tests/unit/jobtest/tested_job.hpp"

namespace tidemark::test {
namespace {

// A row of region eu at so many seconds into 2026.
std::string row(int second, const std::string& more = "amount = 1") {
  char time[32];
  std::snprintf(time, sizeof time, "%02d:%02d:%02d", second / 3600, second / 60 % 60, second % 60);
  return "{ at = 2026-01-01T" + std::string(time) + "Z, region = \"eu\", " + more + " }";
}
std::string rows(const std::string& shard, const std::string& list) {
  return "{ shard = \"" + shard + "\", rows = [ " + list + " ] },\n";
}

TEST(RunTests, case_tests_reach_from_a_source_to_aggregate_sink_and_late_store) {
  const std::string steps =
      rows("a", row(10, "amount = 10")) + "{ watermark = 2026-01-01T00:06:01Z },\n" + rows("a", row(20, "amount = 5"));
  EXPECT_EQ(run_tests(one_test(steps,
                               "expect.totals = [ { region = \"eu\", window_start = 2026-01-01T00:00:00Z, orders = 1, "
                               "total = 10.0 } ]\nexpect.out = [ { orders = 1 } ]\n"
                               "expect.late = [ { aggregate = \"totals\", count = 1, lateness = \"5m41s\" } ]\n"
                               "expect.warnings = []\n")),
            "");
}

TEST(RunTests, a_silent_shard_holds_until_it_is_idle) {
  const std::string two = rows("a", row(10)) + rows("b", row(10));
  const std::string later = rows("a", row(3600));
  EXPECT_EQ(run_tests(one_test(two + later, "end = false\nexpect.totals = []\n")), "");
  EXPECT_EQ(run_tests(one_test(two + later + "{ silence = \"29s\" },\n", "end = false\nexpect.totals = []\n")), "");
  EXPECT_EQ(run_tests(one_test(two + "{ silence = \"40m\" },\n" + later,
                               "end = false\nexpect.totals = [ { orders = 2 } ]\n")),
            "");
  EXPECT_EQ(run_tests(one_test(two + "{ shard = \"b\", idle = true },\n" + later,
                               "end = false\nexpect.totals = [ { orders = 2 } ]\n")),
            "");
  EXPECT_EQ(run_tests(one_test(two + "{ shard = \"b\", end = true },\n" + later,
                               "end = false\nexpect.totals = [ { orders = 2 } ]\n")),
            "");
}

TEST(RunTests, late_results_come_within_the_allowed_lateness) {
  TestedJob job;
  job.source = "mode = \"changelog\"";
  job.aggregate += "\nallowed_lateness = \"5m\"";
  const std::string steps = rows("a", row(10, "amount = 10")) + "{ watermark = 2026-01-01T00:02:00Z },\n" +
                            rows("a", row(10, "op = \"update\", before = { amount = 10 }, amount = 7")) +
                            rows("a", row(10, "op = \"delete\", amount = 7"));
  EXPECT_EQ(run_tests(one_test(steps,
                               "expect.totals = [ { revision = 1, kind = \"on_time\", total = 10 }, { revision = 2, "
                               "kind = \"late\", total = 7 }, { revision = 3, kind = \"retraction\" } ]\n"),
                      job),
            "");
}

TEST(RunTests, the_clock_fires_early_results_and_closes_windows) {
  TestedJob job;
  job.aggregate += "\nemit = { every = \"10s\" }";
  EXPECT_EQ(run_tests(one_test(rows("a", row(10)) + "{ silence = \"10s\" },\n" + rows("a", row(11)) +
                                   "{ silence = \"9s\" },\n",
                               "end = false\nstart = 2026-01-01T00:00:00Z\n"
                               "expect.totals = [ { kind = \"early\", orders = 1 } ]\n"),
                      job),
            "");
  job.aggregate = "window = { type = \"tumbling\", size = \"1m\", time = \"processing\" }";
  EXPECT_EQ(run_tests(one_test(rows("a", row(10)) + "{ silence = \"1m\" },\n" + rows("a", row(11)),
                               "end = false\nstart = 2026-01-01T12:00:30Z\n"
                               "expect.totals = [ { window_start = 2026-01-01T12:00:00Z, orders = 1 } ]\n"),
                      job),
            "");
}

TEST(RunTests, the_clock_starts_where_no_row_is_in_the_future) {
  TestedJob job;
  job.watermark += "\nmax_future = \"1m\"\non_future = \"fail\"";
  const std::string steps = rows("a", row(10)) + rows("a", row(3600));
  EXPECT_EQ(run_tests(one_test(steps, "expect.warnings = []\n"), job), "");
  EXPECT_EQ(run_tests(one_test(steps, "start = 2026-01-01T00:00:00Z\nexpect.error = \"ahead of the clock\"\n"), job),
            "");
  const std::string failed = run_tests(one_test(steps, "start = 2026-01-01T00:00:00Z\nexpect.totals = []\n"), job);
  EXPECT_NE(failed.find("error[T004]: the job fails in this test"), std::string::npos) << failed;
  EXPECT_NE(run_tests(one_test(steps, "expect.error = \"x\"\n"), job).find("the job did not fail"), std::string::npos);
}

TEST(RunTests, aligned_shards_wait_for_each_other_and_end) {
  TestedJob job;
  job.watermark = "max_out_of_orderness = \"0s\"\nalignment = { group = \"g\", max_drift = \"1m\" }";
  EXPECT_EQ(
      run_tests(one_test(rows("a", row(10)) + rows("b", row(3600)) + "{ silence = \"5s\" },\n" + rows("b", row(3700)) +
                             rows("a", row(20)),
                         "expect.totals = [ { orders = 2 }, { orders = 1 }, { orders = 1 } ]\nexpect.late = []\n"),
                job),
      "");
}

TEST(RunTests, what_differs_is_told_column_by_column) {
  EXPECT_EQ(run_tests(one_test(rows("a", row(10) + ", " + row(70)),
                               "expect.totals = [ { orders = 1, total = 2 }, { orders = 1 } ]\nexpect.late = []\n"
                               "expect.warnings = [ \"odd\" ]\n")),
            "job.toml:25:19: error[T001]: `totals` has no such result\n"
            "   25 | expect.totals = [ { orders = 1, total = 2 }, { orders = 1 } ]\n"
            "      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "   note: expected: orders = 1, total = 2\n"
            "   note: nearest: window_start = 2026-01-01T00:01:00Z, window_end = 2026-01-01T00:02:00Z, region = eu, "
            "orders = 1, total = 1\n"
            "   note: total: expected 2, is 1\n"
            "\n"
            "job.toml:27:22: error[T003]: no warning says this\n"
            "   27 | expect.warnings = [ \"odd\" ]\n"
            "      |                      ^^^\n"
            "\n"
            "2 errors\n");
}

// Rows that leave columns open may fit several results: some way to pair them all is enough.
TEST(RunTests, expected_rows_are_paired_in_any_order) {
  const std::string steps = rows("a", row(10) + ", " + row(11) + ", " + row(70));
  EXPECT_EQ(run_tests(one_test(steps, "expect.totals = [ {}, { orders = 2 } ]\n")), "");
  EXPECT_EQ(run_tests(one_test(steps, "expect.totals = [ { orders = 2 }, {} ]\n")), "");
  EXPECT_NE(run_tests(one_test(steps, "expect.totals = [ {} ]\n")), "");
}

TEST(RunTests, numbers_with_a_fraction_count_as_far_as_they_are_written) {
  TestedJob job;
  job.columns = "deviation = \"stddev_pop(amount)\"";
  const std::string steps =
      rows("a", row(10, "amount = 1") + ", " + row(10, "amount = 2") + ", " + row(10, "amount = 4"));
  EXPECT_EQ(run_tests(one_test(steps, "expect.totals = [ { deviation = 1.25 } ]\n"), job), "");
  EXPECT_NE(run_tests(one_test(steps, "expect.totals = [ { deviation = 1.26 } ]\n"), job), "");
}

TEST(RunTests, late_rows_and_warnings_that_nobody_expected_fail) {
  TestedJob job;
  job.watermark += "\nmax_future = \"1s\"";
  const std::string steps = rows("a", row(10)) + "{ watermark = 2026-01-01T00:06:01Z },\n" + rows("a", row(20));
  const std::string text =
      run_tests(one_test(steps, "start = 2026-01-01T00:00:00Z\nexpect.late = []\nexpect.warnings = []\n"), job);
  EXPECT_NE(text.find("error[T002]: the late store has 1 row that was not expected"), std::string::npos) << text;
  EXPECT_NE(text.find("too_late, aggregate totals, source orders, shard a, event time 2026-01-01T00:00:20Z, late by "
                      "5m41s"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("error[T003]: a warning that was not expected"), std::string::npos) << text;
  EXPECT_NE(text.find("2 rows were further ahead of the clock than max_future"), std::string::npos) << text;
}

TEST(RunTests, a_delete_that_the_source_passes_over_is_warned_of) {
  const std::string taken =
      "{ rows = [ { op = \"delete\", at = 2026-01-01T00:00:20Z, region = \"eu\", amount = 1 } ] },\n";
  const std::string test =
      one_test(rows("s0", row(10)) + taken, "schema.orders = { amount = \"bigint\" }\nexpect.late = []\n");
  const std::string text = run_tests(test);
  EXPECT_NE(
      text.find("warning[W004]: source `orders` counts inserts alone (mode = \"append\"), so a delete changes nothing"),
      std::string::npos)
      << text;
  EXPECT_EQ(run_tests(test, {.source = "mode = \"changelog\""}).find("counts inserts alone"), std::string::npos);
}

TEST(RunTests, wrong_tests_are_found_before_they_run) {
  const std::string text = run_tests(one_test(
      rows("a", row(10) + ", " + row(20, "amuont = 1") + ", " + row(30, "amount = true")),
      "schema.orders = { amount = \"bigint\", amuont = \"varchat\" }\nexpect.totals = [ { ordres = 1 }, { orders "
      "= \"x\" }, { kind = \"early\" } ]\n"));
  EXPECT_NE(text.find("there is no column type \"varchat\""), std::string::npos) << text;
  const std::string more = run_tests(one_test(
      rows("a", row(10) + ", " + row(30, "amount = 1.5")) + "{ shard = \"a\", end = true },\n" + rows("a", row(40)),
      "schema.orders = { amount = \"bigint\" }\nexpect.totals = [ { ordres = 1 }, { orders = \"x\" }, "
      "{ kind = \"early\" } ]\n"));
  for (const char* part : {"`amount` is int64, which 1.5 cannot be", "results of `totals` have no column `ordres`",
                           "did you mean `orders`?", "`orders` of `totals` is int64, which \"x\" cannot be",
                           "windows that can fire more than once", "those it means have ended"}) {
    EXPECT_NE(more.find(part), std::string::npos) << part << " in:\n" << more;
  }
  const std::string missing =
      run_tests(one_test("{ rows = [ { at = 2026-01-01T00:00:10Z } ] },\n", "expect.late = []\n"));
  EXPECT_NE(missing.find("no column `region`"), std::string::npos) << missing;
  EXPECT_NE(missing.find("schema.<source>"), std::string::npos) << missing;
}

}  // namespace
}  // namespace tidemark::test
