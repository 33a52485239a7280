// SPDX-License-Identifier: Apache-2.0
//
// Transforms, conditions, keys and output columns of a job: faults at their places inside the file's strings, what a
// source must deliver, and where keys and arguments stand.
#include "core/plan/job_inputs.hpp"

#include <gtest/gtest.h>

#include "config/job/load.hpp"
#include "config/job/render.hpp"
#include "core/plan/check_expressions.hpp"
#include "core/plan/plan_builder.hpp"

namespace tidemark::core {
namespace {

ColumnInfo column(const char* name, ColumnType type, uint8_t precision = 0, uint8_t scale = 0) {
  return {name, type, precision, scale, true, ""};
}

Schema orders() {
  return {{column("id", ColumnType::int64), column("region", ColumnType::text),
           column("amount", ColumnType::decimal64, 18, 4), column("ratio", ColumnType::float64),
           column("qty", ColumnType::int32), column("paid", ColumnType::boolean),
           column("created_at", ColumnType::datetime)}};
}

struct Job {
  std::string transforms;
  std::string aggregate = "key_by = [\"region\"]";
  std::string columns = "n = \"count()\"";
  std::string inputs = "orders";
  std::string mode = "append";
};

config::LoadResult load(const Job& job) {
  config::LoadOptions options;
  options.cpu_count = 1;
  const std::string text = "[job]\nname = \"j\"\n[sources.orders]\ntype = \"generator\"\nmode = \"" + job.mode +
                           "\"\n[sources.other]\ntype = \"generator\"\nmode = \"" + job.mode + "\"\n" + job.transforms +
                           "[aggregates.a]\ninputs = [\"" + job.inputs + "\"]\n" + job.aggregate +
                           "\nwindow = { type = \"tumbling\", size = \"1m\" }\n[aggregates.a.columns]\n" + job.columns +
                           "\n[sinks.s]\ntype = \"stdout\"\ninputs = [\"a\"]\n";
  return config::load_job_text("job.toml", text, "/jobs", options);
}

// "line:column+length code: text | help" of each error, or warning.
std::string findings(const Job& job, const SchemasById& schemas = {{"orders", orders()}, {"other", orders()}},
                     config::Severity severity = config::Severity::error) {
  config::LoadResult loaded = load(job);
  if (!loaded.spec) return config::render_text(loaded.diagnostics);
  check_expressions(*loaded.spec, schemas, loaded.diagnostics);
  std::string out;
  for (const config::Diagnostic* finding : loaded.diagnostics.sorted()) {
    if (finding->severity != severity) continue;
    out += std::to_string(finding->span.line) + ":" + std::to_string(finding->span.column) + "+" +
           std::to_string(finding->span.length) + " " + finding->code + ": " + finding->text + " | " + finding->help +
           "\n";
  }
  return out;
}

std::string of_column(const std::string& expression) {
  return findings({.transforms = {}, .columns = "x = '" + expression + "'"});
}

JobPlan plan(const Job& job, const SchemasById& schemas = {{"orders", orders()}, {"other", orders()}}) {
  const config::LoadResult loaded = load(job);
  auto built = build_plan(*loaded.spec, schemas, 1);
  EXPECT_TRUE(built) << built.status().message();
  return built ? std::move(*built) : JobPlan();
}

TEST(JobInputs, columns_are_checked_at_their_places) {
  EXPECT_EQ(of_column("max(qty) / count()"), "");
  EXPECT_EQ(of_column("sum(ammount)"),
            "14:10+7 F021: no column `ammount` in input `orders` | did you mean `amount`?\n");
  EXPECT_EQ(of_column("sun(amount)"), "14:6+3 F022: no function `sun` | did you mean `sum`?\n");
  EXPECT_EQ(of_column("sum(lenght(region) + amonut + timestampdiff(second, created_at, creatd_at))"),
            "14:10+6 F022: no function `lenght` | did you mean `length`?\n"
            "14:27+6 F021: no column `amonut` in input `orders` | did you mean `amount`?\n"
            "14:70+9 F021: no column `creatd_at` in input `orders` | did you mean `created_at`?\n")
      << "all names at once";
  EXPECT_EQ(of_column("window_strat"),
            "14:6+12 F020: `window_strat` is not an aggregate | did you mean `window_start`?\n");
  EXPECT_EQ(
      of_column("sum(region)"),
      "14:10+6 F023: `sum(region)` cannot be computed on text | only numbers have one; use count, count_distinct, "
      "min or max\n");
  EXPECT_EQ(of_column("sum()"), "14:6+3 F023: `sum` needs a column | write sum(x)\n");
  EXPECT_EQ(of_column("sum(*)"), "14:6+6 F023: `sum` needs a column, not `*` | only count(*) counts rows\n");
  EXPECT_EQ(
      of_column("amount"),
      "14:6+6 F020: `amount` is not an aggregate | write \"sum(amount)\", \"max(amount)\", …; columns to group by "
      "stand in key_by\n");
  EXPECT_EQ(of_column("quantile(amount)"), "14:6+16 F023: `quantile` has 1 argument | write quantile(x, 0.95)\n");
  EXPECT_EQ(of_column("sum(amount) filter (where regoin = 1)"),
            "14:32+6 F021: no column `regoin` in input `orders` | did you mean `region`?\n");
  for (const char* bad : {"", "sum(", "sum(a", "sum(a,b)", "sum(``)", "sum(`a)", "sum(a))", "é(", "sum(sum(qty))"}) {
    EXPECT_NE(of_column(bad), "") << bad;
    EXPECT_EQ(of_column(bad).substr(0, 3), "14:") << bad;
  }
  for (const char* good : {"count(*)", "count(distinct region)", "SUM( amount * 1.19 )", "count(1)", "max(`qty`)",
                           "avg(ratio)", "median(qty)", "top_k(region, 2)", "string_agg(region)", "max(qty) - min(qty)",
                           "CASE WHEN count() > 1 THEN region END"}) {
    EXPECT_EQ(of_column(good), "") << good;
  }
}

TEST(JobInputs, an_unknown_schema_leaves_the_syntax) {
  EXPECT_EQ(findings({.transforms = {}, .columns = "x = \"sum(whatever)\""}, {}), "");
  EXPECT_EQ(
      findings({.transforms = {}, .aggregate = "where = \"a +\"", .columns = "x = \"sum(b *)\""}, {}).substr(0, 5),
      "11:12");
}

TEST(JobInputs, names_of_transforms_replace_those_before_and_drops_hide) {
  const std::string transform =
      "[transforms.t]\ntype = \"map\"\ninputs = [\"orders\"]\nwhere = \"qty > 0\"\n"
      "set = { amount = \"amount * 2\", twice = \"amount\", day = \"DATE(created_at)\" }\ndrop = [\"qty\"]\n";
  EXPECT_EQ(findings({.transforms = transform,
                      .aggregate = "key_by = [\"day\"]",
                      .columns = "x = \"sum(amount)\"",
                      .inputs = "t"}),
            "");
  EXPECT_EQ(findings({.transforms = transform, .columns = "x = \"sum(qty)\"", .inputs = "t"}),
            "20:10+3 F021: no column `qty` in input `t` | \n");
  const JobPlan built = plan(
      {.transforms = transform, .aggregate = "key_by = [\"twice\"]", .columns = "x = \"sum(amount)\"", .inputs = "t"});
  const SourcePlan& source = built.sources[0];
  ASSERT_EQ(source.projection.size(), 2u);  // amount, qty
  EXPECT_EQ(source.program.selections[0].conditions.size(), 1u);
  const AggregateSpec& spec = built.aggregates[0].spec;
  EXPECT_EQ(source.layout.columns[static_cast<size_t>(spec.columns[0].input)].scale, 4);
  EXPECT_NE(spec.key_columns[0], static_cast<uint32_t>(spec.columns[0].input));
  EXPECT_EQ(built.aggregates[0].keys[0], "amount decimal(18,4)");
  EXPECT_NE(built.aggregates[0].arguments[0].find("2"), std::string::npos);
}

TEST(JobInputs, only_what_is_read_is_delivered) {
  const JobPlan one = plan({.transforms = {}, .columns = "x = \"sum(amount)\""});
  EXPECT_EQ(one.sources[0].projection, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(one.sources[0].layout.computed, 0u);
  EXPECT_TRUE(one.sources[0].program.columns.empty());
  EXPECT_TRUE(one.sources[1].projection.empty());
}

TEST(JobInputs, sources_that_meet_have_keys_and_arguments_in_the_same_places) {
  Schema other;
  other.columns = {column("amount", ColumnType::decimal64, 18, 4), column("region", ColumnType::text)};
  const Job job{.transforms = {},
                .aggregate = "key_by = [\"region\", \"$shard\"]",
                .columns = "x = \"sum(amount)\"",
                .inputs = "orders\", \"other"};
  const JobPlan built = plan(job, {{"orders", orders()}, {"other", other}});
  const AggregateSpec& spec = built.aggregates[0].spec;
  for (const SourcePlan& source : built.sources) {
    EXPECT_EQ(source.layout.columns[spec.key_columns[0]].type, ColumnType::text);
    EXPECT_EQ(source.layout.columns[static_cast<size_t>(spec.columns[0].input)].type, ColumnType::decimal64);
    EXPECT_EQ(source.layout.delivered(), 2u);
  }
  EXPECT_EQ(spec.key_names, (std::vector<std::string>{"region", "shard"}));
  other.columns[0].scale = 2;
  EXPECT_EQ(findings(job, {{"orders", orders()}, {"other", other}}),
            "14:10+6 F017: `amount` is decimal(18,4) in `orders` and decimal(18,2) in `other` | make them alike with "
            "CAST in a transform, or aggregate them apart\n");
}

TEST(JobInputs, a_source_by_two_ways_is_refused) {
  const std::string transform = "[transforms.t]\ntype = \"map\"\ninputs = [\"orders\"]\nwhere = \"qty > 0\"\n";
  EXPECT_EQ(findings({.transforms = transform, .inputs = "orders\", \"t"}),
            "13:13+1 F017: aggregate `a` reads source `orders` twice, through `orders` and `t` | rows must not count "
            "twice: use one transform whose `where` takes both kinds of rows\n");
}

TEST(JobInputs, columns_over_aggregates_keep_each_call_once) {
  const JobPlan built = plan({.transforms = {},
                              .aggregate = "having = \"count() > 2 AND n < 5\"",
                              .columns = "n = \"count()\"\nmean = \"max(qty) / count()\"\ntop = \"max(qty)\""});
  const AggregateSpec& spec = built.aggregates[0].spec;
  ASSERT_EQ(spec.columns.size(), 2u);
  EXPECT_EQ(spec.columns[0].name, "n");
  EXPECT_EQ(spec.columns[1].name, "top");
  ASSERT_EQ(spec.results.size(), 3u);
  EXPECT_EQ(spec.results[1].expression, "`top` / `n`");
  EXPECT_EQ(spec.having, "`n` > 2 AND n < 5");
}

// Over the results of one aggregate of orders.
Job reader(const std::string& columns, const std::string& aggregate = "", const std::string& first = "") {
  return {.transforms =
              "[aggregates.first]\ninputs = [\"orders\"]\nkey_by = [\"region\", \"id % 2 AS odd\"]\n"
              "window = { type = \"tumbling\", size = \"1m\" }\n" +
              first +
              "[aggregates.first.columns]\norders = \"count()\"\namount = \"sum(amount)\"\n"
              "mean = \"avg(qty)\"\nratio = \"max(ratio)\"\nlast_at = \"max(created_at)\"\n"
              "any_paid = \"bool_or(paid)\"\nmost = \"top_k(region, 1)\"\ndouble = \"count() * 2\"\n",
          .aggregate = aggregate,
          .columns = columns,
          .inputs = "first"};
}

std::string layout_text(const BatchLayout& layout) {
  std::string out;
  for (const ColumnInfo& one : layout.columns) {
    out += one.name + " " + type_text(one) + (one.nullable ? "" : " NOT NULL") + "\n";
  }
  return out;
}

TEST(JobInputs, results_as_rows_have_the_types_of_the_results) {
  const JobPlan built = plan(reader(
      "a = \"max(window_end)\"\nb = \"sum(orders)\"\nc = \"sum(amount)\"\nd = \"max(mean)\"\ne = \"max(ratio)\"\n"
      "f = \"max(last_at)\"\ng = \"bool_and(any_paid)\"\nh = \"count(most)\"\ni = \"sum(double)\"\nj = \"min(odd)\"",
      "key_by = [\"region\", \"window_start AS opened\"]"));
  ASSERT_EQ(built.aggregates.size(), 2u);
  ASSERT_TRUE(built.aggregates[0].results);
  EXPECT_FALSE(built.aggregates[1].results);
  EXPECT_EQ(built.aggregates[1].upstream, std::vector<uint32_t>{0});
  EXPECT_TRUE(built.aggregates[0].spec.is_read);
  EXPECT_EQ(layout_text(built.aggregates[0].results->layout),
            "window_start timestamp NOT NULL\nwindow_end timestamp NOT NULL\nregion text\nodd int64\norders int64 NOT "
            "NULL\namount decimal(76,4)\nmean decimal(76,4)\nratio float64\nlast_at datetime\nany_paid bool\nmost "
            "json\ndouble int64\n");
  EXPECT_EQ(built.depth(), 1u);
}

TEST(JobInputs, readers_of_results_that_are_replaced_take_them_back) {
  const std::string again = "allowed_lateness = \"1m\"\n";
  for (const std::string& first : {std::string(), again, "emit = { early = { count = 2 }, purge = true }\n" + again}) {
    const JobPlan built = plan(reader("n = \"count()\"", again, first));
    EXPECT_EQ(built.aggregates[1].spec.changelog, first == again) << first;
  }
  EXPECT_EQ(findings(reader("n = \"approx_count_distinct(orders)\"", again)), "");
  EXPECT_EQ(
      findings(reader("n = \"approx_count_distinct(orders)\"", again, again)),
      "29:28+6 F023: `approx_count_distinct(orders)` cannot be computed on int64 | a value cannot be taken back from "
      "it, and rows of this aggregate are updated and deleted; use count_distinct, which is exact and can\n");
}

TEST(JobInputs, results_have_no_place_and_say_what_they_have) {
  EXPECT_EQ(findings(reader("n = \"sum(order)\"")),
            "27:10+5 F021: no column `order` in input `first` | did you mean `orders`?\n");
  EXPECT_EQ(findings(reader("n = \"count()\"", "key_by = [\"$shard\"]")),
            "24:12+6 F021: no column `$shard` in input `first` | \n");
  EXPECT_EQ(findings(reader("n = \"count()\"", "key_by = [\"database\"]")),
            "24:12+8 F021: no column `database` in input `first` | \n");
  EXPECT_EQ(findings(reader("n = \"max(kind)\"", "", "allowed_lateness = \"1m\"\n")),
            "28:10+4 F021: no column `kind` in input `first` | \n");
  EXPECT_EQ(findings(reader("n = \"sum(qty)\"")), "27:10+3 F021: no column `qty` in input `first` | \n");
  EXPECT_EQ(findings(reader("n = \"max(most)\"")),
            "27:10+4 F023: `max(most)` cannot be computed on json | JSON values have no order; use count, first or "
            "last\n");
}

TEST(JobInputs, conditions_on_the_kind_of_row_are_doubted_where_rows_are_taken_back) {
  const auto warnings = [](const Job& job) { return findings(job, {{"orders", orders()}}, config::Severity::warning); };
  const std::string again = "allowed_lateness = \"1m\"\n";
  const std::string where = "where = \"op = 'insert'\"\n";
  EXPECT_EQ(warnings(reader("n = \"count()\"", where)).find("`op`"), std::string::npos);
  EXPECT_NE(
      warnings(reader("n = \"count()\"", where + again, again))
          .find("25:10+2 W004: a condition on `op` parts results of `first` from those that replace them | results "
                "that replace others come as updates: leave them to the aggregates\n"),
      std::string::npos)
      << warnings(reader("n = \"count()\"", where + again, again));
}

TEST(JobInputs, state_knows_by_which_names_results_are_read) {
  const auto fingerprint = [](const std::string& first) {
    Job job = reader("n = \"sum(many)\"");
    job.transforms =
        "[aggregates.first]\ninputs = [\"orders\"]\nwindow = { type = \"tumbling\", size = \"1m\" }\n" + first;
    return fingerprints(plan(job))[0].second;
  };
  const std::string columns = "[aggregates.first.columns]\n";
  EXPECT_NE(fingerprint(columns + "many = \"count()\"\nfew = \"count(qty)\"\n"),
            fingerprint(columns + "few = \"count()\"\nmany = \"count(qty)\"\n"));
  const std::string few = columns + "few = \"count()\"\n";
  EXPECT_NE(fingerprint("key_by = [\"qty AS many\", \"qty + 1 AS more\"]\n" + few),
            fingerprint("key_by = [\"qty AS more\", \"qty + 1 AS many\"]\n" + few));
}

TEST(JobInputs, a_mistake_in_what_is_read_is_reported_once) {
  Job job = reader("n = \"sum(amount)\"");
  job.transforms.replace(job.transforms.find("sum(amount)"), 11, "sum(ammount)");
  EXPECT_EQ(findings(job), "15:15+7 F021: no column `ammount` in input `orders` | did you mean `amount`?\n");
}

TEST(JobInputs, two_aggregates_that_are_read_together_must_agree) {
  Job job = reader("n = \"sum(amount)\"");
  job.transforms +=
      "[aggregates.other_one]\ninputs = [\"other\"]\nwindow = { type = \"tumbling\", size = \"1h\" }\n"
      "[aggregates.other_one.columns]\namount = \"sum(amount)\"\n";
  job.inputs = "first\", \"other_one";
  const JobPlan built = plan(job);
  EXPECT_EQ(built.aggregates[2].upstream, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(layout_text(built.aggregates[0].results->layout), layout_text(built.aggregates[1].results->layout));
  job.transforms.replace(job.transforms.rfind("sum(amount)"), 11, "max(amount)");
  EXPECT_EQ(
      findings(job),
      "32:10+6 F017: `amount` is decimal(76,4) in `first` and decimal(18,4) in `other_one` | make them alike with "
      "CAST in a transform, or aggregate them apart\n");
  job.transforms += "[transforms.t]\ntype = \"map\"\ninputs = [\"first\"]\nwhere = \"orders > 1\"\n";
  job.inputs = "first\", \"t";
  EXPECT_TRUE(
      findings(job).starts_with("31:13+1 F017: aggregate `a` reads aggregate `first` twice, through `first` and `t`"));
}

}  // namespace
}  // namespace tidemark::core
