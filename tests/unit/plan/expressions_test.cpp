// SPDX-License-Identifier: Apache-2.0
//
// Expressions of a job: found faults at their places, also without a schema; the columns that a source must deliver;
// and what a restart compares.
#include <gtest/gtest.h>

#include "config/job/load.hpp"
#include "config/job/render.hpp"
#include "core/plan/check_expressions.hpp"
#include "core/plan/plan_builder.hpp"

namespace tidemark::core {
namespace {

Schema orders() {
  return {{{"id", ColumnType::int64, 0, 0, true, ""},
           {"region", ColumnType::text, 0, 0, true, ""},
           {"created_ms", ColumnType::int64, 0, 0, true, ""},
           {"created at", ColumnType::datetime, 0, 0, true, ""}}};
}

config::LoadResult job_with(const std::string& watermark, const std::string& source = {}) {
  config::LoadOptions options;
  options.cpu_count = 1;
  options.environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "FIELD") return "id +";
    return std::nullopt;
  };
  const std::string text = "[job]\nname = \"j\"\n[sources.orders]\ntype = \"generator\"\n" + source +
                           "[sources.orders.watermark]\n" + watermark +
                           "\n[aggregates.a]\ninputs = [\"orders\"]\nkey_by = [\"region\"]\nwindow = { type = "
                           "\"tumbling\", size = \"1m\" }\n[aggregates.a.columns]\nn = \"count()\"\n[sinks.s]\n"
                           "type = \"stdout\"\ninputs = [\"a\"]\n";
  return config::load_job_text("job.toml", text, "/jobs", options);
}

// "line:column+length code: text" of each finding.
std::string findings(const std::string& watermark, const SchemasById& schemas) {
  config::LoadResult job = job_with(watermark);
  if (!job.spec) return config::render_text(job.diagnostics);
  check_expressions(*job.spec, schemas, job.diagnostics);
  std::string out;
  for (const config::Diagnostic* finding : job.diagnostics.sorted()) {
    out += std::to_string(finding->span.line) + ":" + std::to_string(finding->span.column) + "+" +
           std::to_string(finding->span.length) + " " + finding->code + ": " + finding->text + "\n";
  }
  return out;
}

TEST(CheckExpressions, places_are_those_in_the_file) {
  const SchemasById schemas = {{"orders", orders()}};
  EXPECT_EQ(findings("field = \"FROM_UNIXTIME(created_ms / 1000)\"", schemas), "");
  EXPECT_EQ(findings("field = \"`created at`\"", schemas), "");
  EXPECT_EQ(findings("field = \"FROM_UNIXTIME(creatd_ms / 1000)\"", schemas),
            "6:24+9 F021: no column `creatd_ms` in input `orders`\n");
  EXPECT_EQ(findings("field = '''\n  FROM_UNIXTIME(id) +\n  region'''", schemas),
            "7:3+17 F023: `+` needs numbers, `FROM_UNIXTIME(id)` is timestamp\n");
  EXPECT_EQ(findings("field = \"\\u0022created at\\u0022 + INTERVAL 1 SECON\"", schemas),
            "6:46+5 F022: no unit `SECON`\n");
  EXPECT_EQ(findings("field = \"$commit_time\"\nstrategy = \"punctuated\"\nmarker = \"region\"", schemas),
            "8:11+6 F023: a condition is expected, `region` is text\n");
  EXPECT_EQ(findings("field = \"${FIELD}\"", schemas), "6:9+10 F020: the expression ends where a value is expected\n");
}

TEST(CheckExpressions, a_field_that_reads_no_column_is_doubtful) {
  EXPECT_EQ(findings("field = \"FROM_UNIXTIME(1767225600)\"", {{"orders", orders()}}),
            "6:10+25 W004: `field` reads no column: event time does not follow the rows\n");
}

TEST(CheckExpressions, syntax_needs_no_schema) {
  EXPECT_EQ(findings("field = \"FROM_UNIXTIME(nobody_knows / 1000)\"", {}), "");
  EXPECT_EQ(findings("field = \"FROM_UNIXTIME(nobody_knows / 1000\"", {}), "6:23+1 F020: the closing `)` is missing\n");
}

TEST(PlanBuilder, expressions_read_their_columns_and_are_part_of_the_state) {
  const auto planned = [](const std::string& watermark, const Schema& schema) {
    const config::LoadResult job = job_with(watermark);
    return build_plan(*job.spec, {{"orders", schema}}, 1);
  };
  const auto plan = planned("field = \"FROM_UNIXTIME(created_ms/1000)\"", orders());
  ASSERT_TRUE(plan.is_ok()) << plan.status().message();
  const SourcePlan& source = plan->sources.front();
  EXPECT_EQ(source.projection, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(source.event_time_expression, "FROM_UNIXTIME(created_ms/1000)");
  EXPECT_EQ(source.event_time_column, -1);
  const auto text_of = [](const JobPlan& of) {
    for (const auto& [name, text] : fingerprints(of)) {
      if (name == "source orders") return text;
    }
    return std::string();
  };
  EXPECT_EQ(text_of(*plan),
            "generator, mode append, event time FROM_UNIXTIME ( created_ms / 1000 ) of created_ms int64");
  EXPECT_EQ(text_of(*planned("field = \" FROM_UNIXTIME( created_ms / 1000 )\"", orders())), text_of(*plan));
  Schema decimals = orders();
  decimals.columns[2] = {"created_ms", ColumnType::decimal64, 18, 3, true, ""};
  EXPECT_NE(text_of(*planned("field = \"FROM_UNIXTIME(created_ms/1000)\"", decimals)), text_of(*plan));
}

TEST(PlanBuilder, kept_rows_have_their_key_and_are_part_of_the_state) {
  Schema keyed = orders();
  keyed.key = {0};
  const auto planned = [&](const std::string& source) {
    return *build_plan(*job_with("field = \"$commit_time\"", "mode = \"changelog\"\n" + source).spec,
                       {{"orders", keyed}}, 1);
  };
  const JobPlan plain = planned("");
  EXPECT_FALSE(plain.sources.front().keeps.any());
  EXPECT_EQ(plain.sources.front().projection, (std::vector<uint32_t>{1}));
  const JobPlan applies = planned("on_truncate = \"apply\"\n");
  EXPECT_EQ(applies.sources.front().projection, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(applies.sources.front().keeps.key, (std::vector<uint32_t>{0}));
  EXPECT_FALSE(applies.sources.front().layout.partial);
  const JobPlan completes = planned("on_partial_image = \"complete\"\n");
  EXPECT_TRUE(completes.sources.front().layout.partial);
  const auto text_of = [](const JobPlan& plan) { return fingerprints(plan).at(1).second; };
  EXPECT_EQ(text_of(applies),
            "generator, mode changelog, event time $commit_time, keeps rows by id: id int64, region text; "
            "applies truncates");
  EXPECT_NE(text_of(completes), text_of(applies));
}

}  // namespace
}  // namespace tidemark::core
