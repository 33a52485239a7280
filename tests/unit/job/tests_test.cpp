// SPDX-License-Identifier: Apache-2.0
//
// [[tests]] of a job file: what is read, and findings at their places.
#include <gtest/gtest.h>

#include "config/job/key_catalog.hpp"
#include "tests/unit/job/job_text.hpp"

namespace tidemark::config {
namespace {

using test::findings;
using test::load;
using test::smallest_job;

// The smallest job has the source `orders`, the aggregate `revenue` and the sink `out`.
std::string with_test(const std::string& lines) {
  return smallest_job() + "[[tests]]\n" + lines;
}

TEST(Tests, steps_and_expectations_are_read) {
  const LoadResult result = load(with_test(R"(name = "all kinds"
start = 2026-01-01T01:00:00+01:00
end = false
schema.orders = { amount = "bigint" }
steps = [
  { rows = [ { id = 1, "`op`" = "x", amount = 9.99, at = 2026-01-01T00:00:10Z, gone = {} } ] },
  { source = "orders", shard = "s1", rows = [ { op = "update", before = { id = 1 }, id = 0x10 }, { op = "delete" } ] },
  { silence = "40m" },
  { watermark = 2026-01-01T00:06:01Z, shard = "s1" },
  { idle = false },
  { end = true },
]
expect.revenue = [ { orders = 1 }, {} ]
expect.late = [ { aggregate = "revenue", reason = "too_late", lateness = "5m41s", count = 2 } ]
expect.warnings = []
)"));
  ASSERT_EQ(render_text(result.diagnostics), "");
  ASSERT_EQ(result.spec->tests.size(), 1u);
  const TestSpec& test = result.spec->tests.front();
  EXPECT_EQ(test.start_us, 1'767'225'600'000'000);
  EXPECT_FALSE(test.ends);
  ASSERT_EQ(test.schema.size(), 1u);
  EXPECT_EQ(test.schema[0].type.value, "bigint");
  ASSERT_EQ(test.steps.size(), 6u);
  const TestStep& rows = test.steps[0];
  EXPECT_EQ(rows.source.value, "orders");  // the only one
  ASSERT_EQ(rows.rows.size(), 1u);
  ASSERT_EQ(rows.rows[0].cells.size(), 5u);
  EXPECT_EQ(rows.rows[0].cells[1].column.value, "op");
  EXPECT_EQ(rows.rows[0].cells[2].value.text, "9.99");
  EXPECT_EQ(rows.rows[0].cells[3].value.time, (TomlTime{true, true, true, 1'767'225'610'000'000}));
  EXPECT_EQ(rows.rows[0].cells[4].value.kind, TestValue::Kind::null);
  EXPECT_EQ(test.steps[1].rows[0].op, TestOp::update);
  EXPECT_EQ(test.steps[1].rows[0].cells[0].value.text, "16");
  EXPECT_EQ(test.steps[1].rows[0].before.size(), 1u);
  EXPECT_EQ(test.steps[1].rows[1].op, TestOp::remove);
  EXPECT_EQ(test.steps[2].time_us, 2'400'000'000);
  EXPECT_EQ(test.steps[3].shard.value, "s1");
  EXPECT_FALSE(test.steps[4].idle);
  EXPECT_EQ(test.results.at(0).rows.size(), 2u);
  EXPECT_EQ(test.late->at(0).lateness_us.value, 341'000'000);
  EXPECT_TRUE(test.warnings && test.warnings->empty());
}

TEST(Tests, what_is_wrong_is_found_at_its_place) {
  const std::string text = findings(with_test(R"(name = "faults"
step = 1
steps = [
  { source = "order", rows = [ { id = [1] } ] },
  { rows = [ { op = "updat" } ] },
  { rows = [ { before = { id = 1 }, id = 2 } ] },
  { silence = 40 },
  { silence = "1s", watermark = 2026-01-01T00:00:00Z },
  { watermark = 2026-01-01T00:00:00 },
  { shard = "s1" },
]
expect.revenu = []
expect.late = [ { aggregat = "revenue", reason = "late" } ]
)"));
  for (const char* part :
       {"unknown key `step` in [tests]", "did you mean `steps`?", "there is no source `order`",
        "did you mean `orders`?", "`id` must be a value of a column, not a list", "`op` is not the kind of a change",
        "`before` goes with op = \"update\"", "a duration needs a unit",
        "a step does one thing: `watermark` is another", "`watermark` must be a date and time with an offset",
        "this step does nothing", "there is no aggregate or sink `revenu`", "did you mean `revenue`?",
        "unknown key `aggregat`", "there is no reason `late`"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  }
  EXPECT_NE(findings(smallest_job() + "[tests]\nname = \"x\"\n").find("[[tests]]"), std::string::npos);
  EXPECT_NE(findings(with_test("name = \"x\"\nsteps = []\n")).find("[tests] lacks `expect`"), std::string::npos);
  EXPECT_NE(findings(with_test("name = \"x\"\nsteps = []\nexpect.late = []\n[[tests]]\nname = \"x\"\nsteps = []\n"
                               "expect.late = []\n"))
                .find("two tests are named \"x\""),
            std::string::npos);
}

// A word of the tests is never the answer where the job itself is described.
TEST(Tests, their_keys_do_not_come_up_elsewhere) {
  EXPECT_EQ(suggest_key(TableKind::job, "steps", {}).find("[[tests]]"), std::string::npos);
  EXPECT_EQ(suggest_key(TableKind::test, "key_by", {}).find("aggregates"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::config
