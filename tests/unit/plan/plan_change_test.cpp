// SPDX-License-Identifier: Apache-2.0
//
// What a refusal says of a changed component: each field that differs, with its old and new value, and no other.
#include "core/plan/plan_change.hpp"

#include <gtest/gtest.h>

namespace tidemark::core {
namespace {

constexpr std::string_view kTotals =
    "tumbling window of 1m, lateness 0s, mode append, where (region in ('eu', 'us; x')); keys region, columns count(), "
    "sum(amount decimal(18,4))";

std::string changed(std::string_view from, std::string_view to) {
  std::string now(kTotals);
  now.replace(now.find(from), from.size(), to);
  return describe_change(kTotals, now);
}

TEST(PlanChange, names_the_field_with_its_old_and_new_value) {
  EXPECT_EQ(changed("of 1m", "of 2m"), "window was \"tumbling window of 1m\", it is \"tumbling window of 2m\"");
  EXPECT_EQ(changed("of 1m", "of 1m, offset 5s"),
            "window was \"tumbling window of 1m\", it is \"tumbling window of 1m, offset 5s\"");
  EXPECT_EQ(changed("keys region", "keys region, status"), "key_by was \"region\", it is \"region, status\"");
  EXPECT_EQ(changed("mode append", "mode changelog"), "mode was \"append\", it is \"changelog\"");
  EXPECT_EQ(changed("sum(", "max("),
            "columns was \"count(), sum(amount decimal(18,4))\", it is \"count(), "
            "max(amount decimal(18,4))\"");
  EXPECT_EQ(changed("'us; x'", "'us, x'"),
            "where was \"(region in ('eu', 'us; x'))\", it is \"(region in ('eu', 'us, x'))\"");
  EXPECT_EQ(changed(", where (region in ('eu', 'us; x'))", ""),
            "where was \"(region in ('eu', 'us; x'))\", it is not there");
}

TEST(PlanChange, names_all_that_differ) {
  EXPECT_EQ(describe_change("binlog_file, mode append, event time created_at datetime",
                            "generator, mode changelog, event time $commit_time"),
            "type was \"binlog_file\", it is \"generator\"; mode was \"append\", it is \"changelog\"; event time was "
            "\"created_at datetime\", it is \"$commit_time\"");
  EXPECT_EQ(describe_change("csv of totals; columns region, orders", "ndjson of totals; columns region, orders"),
            "type was \"csv of totals\", it is \"ndjson of totals\"");
}

TEST(PlanChange, texts_of_any_shape_are_told_whole) {
  EXPECT_EQ(describe_change("a", "b"), "type was \"a\", it is \"b\"");
  EXPECT_EQ(describe_change("", "b"), "type was \"\", it is \"b\"");
  EXPECT_EQ(describe_change("x, ", "x,"), "type was \"x, \", it is \"x,\"");
}

}  // namespace
}  // namespace tidemark::core
