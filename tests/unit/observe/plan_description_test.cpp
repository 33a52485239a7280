// SPDX-License-Identifier: Apache-2.0
//
// What `tidemark explain` says of a job: columns that are decoded, types, when results come, state; with a source that
// is not there; and what the formats do to names that mean something in them.
#include "core/observe/plan_description.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/job/load.hpp"
#include "config/job/render.hpp"
#include "core/observe/plan_rendering.hpp"
#include "core/plan/plan_builder.hpp"

namespace tidemark::core {
namespace {

class TwoShards final : public Source {
 public:
  Result<Schema> schema() override { return Status(Code::unsupported, "not asked here"); }
  Result<Discovery> discover() override {
    return Discovery{{{"shard-1", "shop_01.orders \"1\"\n\x1b[2J"}, {"shard-2", ""}}, true};
  }
  Result<std::unique_ptr<Reader>> open_reader(const Projection&, ReaderHost) override {
    return Status(Code::unsupported, "not read here");
  }
  bool can_pause_splits() const noexcept override { return true; }
  bool is_bounded() const noexcept override { return true; }
};

Schema orders() {
  const auto column = [](const char* name, ColumnType type, uint8_t precision = 0, uint8_t scale = 0) {
    return ColumnInfo{name, type, precision, scale, name != std::string("region"), "", nullptr};
  };
  return {{column("id", ColumnType::int64), column("region", ColumnType::text), column("status", ColumnType::text),
           column("amount", ColumnType::decimal64, 18, 4), column("note", ColumnType::text),
           column("created_at", ColumnType::datetime)}};
}

constexpr const char* kTransform = R"toml([transforms.paid]
type = "map"
inputs = ["orders"]
where = """status = 'paid "x"'
  and amount > 0"""
drop = ["note"]
[transforms.paid.set]
gross = "amount * 1.19"
unread = "upper(region)"
)toml";

struct Job {
  std::string transforms = kTransform;
  std::string input = "paid";
  std::string window = "type = \"tumbling\", size = \"1m\"";
  std::string aggregate = "key_by = [\"region\"]";
  std::string columns = "n = \"count()\"\ntotal = \"sum(gross)\"\nmean = \"sum(gross) / count()\"";
  std::string source = "mode = \"append\"";
  std::string watermark = "field = \"created_at\"\nmax_out_of_orderness = \"10m\"";
};

PlanDescription describe_text(const std::string& text, const SchemasById& schemas) {
  config::LoadOptions options;
  options.cpu_count = 1;
  config::LoadResult loaded = config::load_job_text("job.toml", text, "/jobs", options);
  if (!loaded.spec || loaded.diagnostics.has_errors()) {
    ADD_FAILURE() << config::render_text(loaded.diagnostics);
    return {};
  }
  JobSources sources;
  std::optional<JobPlan> plan;
  for (const config::SourceSpec& source : loaded.spec->sources) {
    const bool is_there = schemas.contains(source.id.value);
    sources.sources.push_back(is_there ? std::make_unique<TwoShards>() : nullptr);
    if (!is_there) loaded.diagnostics.warning("W003", source.span, "no file matches data/*");
  }
  sources.schemas = schemas;
  if (schemas.size() == loaded.spec->sources.size()) {
    auto built = build_plan(*loaded.spec, schemas, 1);
    EXPECT_TRUE(built) << built.status().message();
    if (built) plan = std::move(*built);
  }
  return describe_plan({*loaded.spec, plan ? &*plan : nullptr, sources, loaded.diagnostics});
}

PlanDescription describe(const Job& job, bool is_there = true) {
  const std::string text = "[job]\nname = \"j\"\n[sources.orders]\ntype = \"generator\"\n" + job.source +
                           "\n[sources.orders.watermark]\n" + job.watermark + "\n" + job.transforms +
                           "[aggregates.a]\ninputs = [\"" + job.input + "\"]\n" + job.aggregate + "\nwindow = { " +
                           job.window + " }\n[aggregates.a.columns]\n" + job.columns +
                           "\n[sinks.s]\ntype = \"file\"\npath = \"out.csv\"\nformat = \"csv\"\ninputs = [\"a\"]\n";
  return describe_text(text, is_there ? SchemasById{{"orders", orders()}} : SchemasById());
}

std::string names(const std::vector<DescribedColumn>& columns) {
  std::string out;
  for (const DescribedColumn& column : columns) {
    out += (out.empty() ? "" : ", ") + column.name + " " + column.type + (column.nullable ? "" : "!");
  }
  return out;
}

bool has(const std::vector<std::string>& sentences, std::string_view part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

TEST(PlanDescription, only_columns_that_the_job_reads_are_decoded) {
  const PlanDescription plan = describe({});
  const SourceDescription& source = plan.sources.at(0);
  ASSERT_TRUE(source.delivered);
  EXPECT_EQ(names(*source.delivered), "region text!, status text, amount decimal(18,4), created_at datetime");
  EXPECT_EQ(source.schema.size(), 6U);
  ASSERT_TRUE(source.splits);
  EXPECT_EQ(source.splits->size(), 2U);
  EXPECT_TRUE(source.unknown.empty());
}

TEST(PlanDescription, computed_columns_have_types_and_unread_ones_are_said) {
  const PlanDescription plan = describe({});
  const TransformDescription& transform = plan.transforms.at(0);
  ASSERT_EQ(transform.set.size(), 2U);
  EXPECT_EQ(transform.set[0].type, "decimal(21,6)");
  EXPECT_EQ(transform.set[0].note, "");
  EXPECT_EQ(transform.set[1].type, "text");
  EXPECT_NE(transform.set[1].note, "");
  ASSERT_EQ(transform.rows.size(), 1U);
  EXPECT_EQ(transform.rows[0].source, "");
  EXPECT_EQ(transform.rows[0].columns.size(), 7U);  // six, without note, with two more
}

TEST(PlanDescription, rows_of_several_sources_are_told_apart_where_they_differ) {
  const char* text = R"toml([job]
name = "j"
[sources.eu]
type = "generator"
[sources.us]
type = "generator"
[transforms.both]
type = "map"
inputs = ["eu", "us"]
[transforms.both.set]
twice = "amount * 2"
[aggregates.a]
inputs = ["both"]
window = { type = "tumbling", size = "1m" }
[aggregates.a.columns]
n = "count(twice)"
paid = "count() filter (where twice > 3)"
[sinks.s]
type = "stdout"
inputs = ["a"]
)toml";
  const PlanDescription alike = describe_text(text, {{"eu", orders()}, {"us", orders()}});
  ASSERT_EQ(alike.transforms.at(0).rows.size(), 1U);
  EXPECT_EQ(alike.sources.at(1).delivered->size(), 1U);
  EXPECT_TRUE(has(alike.aggregates.at(0).results, "every shard of eu that"));
  EXPECT_TRUE(has(alike.aggregates.at(0).results, "every shard of us that"));
  Schema more = orders();
  more.columns.push_back({"extra", ColumnType::int32, 0, 0, true, "", nullptr});
  const PlanDescription differ = describe_text(text, {{"eu", orders()}, {"us", more}});
  ASSERT_EQ(differ.transforms.at(0).rows.size(), 2U);
  EXPECT_EQ(differ.transforms[0].rows[1].source, "us");
  EXPECT_NE(schema_text(*find_schema(differ, "both")).find("  of rows from us:\n"), std::string::npos);
  const PlanDescription one = describe_text(text, {{"eu", orders()}});  // the other cannot be asked
  EXPECT_EQ(one.sources.at(0).schema.size(), 6U);
  EXPECT_FALSE(one.sources.at(0).delivered);
  EXPECT_TRUE(has(one.sources.at(0).unknown, "which of its columns are decoded"));
}

TEST(PlanDescription, aggregates_are_kept_or_computed) {
  const AggregateDescription a = describe({}).aggregates.at(0);
  EXPECT_EQ(names(a.output),
            "window_start timestamp!, window_end timestamp!, region text!, n int64!, total decimal(76,6), "
            "mean decimal(38,10)");
  ASSERT_EQ(a.kept.size(), 2U);  // mean is made of them
  EXPECT_EQ(a.kept[0].name, "n");
  EXPECT_EQ(a.kept[1].name, "total");
  EXPECT_TRUE(a.final_results);
  const AggregateDescription hidden = describe({.columns = "mean = \"sum(amount) / count()\""}).aggregates.at(0);
  ASSERT_EQ(hidden.kept.size(), 2U);
  EXPECT_EQ(hidden.kept[0].name, "");
  EXPECT_EQ(hidden.kept[0].call, "sum(amount decimal(18,4))");
}

TEST(PlanDescription, results_early_on_time_and_late) {
  const AggregateDescription a =
      describe({.aggregate = "emit = { early = { every = \"10s\" }, late = \"on_update\" }\nallowed_lateness = \"5m\""})
          .aggregates.at(0);
  EXPECT_FALSE(a.final_results);
  EXPECT_TRUE(has(a.results, "early: every 10s by the clock"));
  EXPECT_TRUE(has(a.results,
                  "on time: when event time has passed the window's end, that is when every shard of orders "
                  "that is not idle has shown a row more than 10m past that"));
  EXPECT_TRUE(has(a.results, "late: with every batch"));
  EXPECT_TRUE(has(a.late, "5m past its end"));
  EXPECT_TRUE(names(a.output).ends_with("kind text!, revision int64!")) << names(a.output);
}

TEST(StateEstimate, windows_open_reach_over_disorder_and_lateness) {
  const auto state = [](const Job& job) { return *describe(job).aggregates.at(0).state; };
  const StateEstimate tumbling = state({});
  EXPECT_EQ(tumbling.pieces, 11U);  // 10 minutes, and the one that is not whole
  EXPECT_EQ(tumbling.key_bytes, 3 + kAssumedTextBytes);
  EXPECT_GT(tumbling.group_bytes, 60U);
  EXPECT_LT(tumbling.group_bytes, 200U);
  EXPECT_EQ(tumbling.million_groups_bytes(), tumbling.group_bytes * 11 * 1'000'000);
  EXPECT_EQ(state({.aggregate = "key_by = [\"region\"]\nallowed_lateness = \"30s\""}).pieces, 12U);
  EXPECT_EQ(state({.window = "type = \"sliding\", size = \"5m\", slide = \"1m\""}).pieces, 16U);
  EXPECT_EQ(state({.window = "type = \"session\", gap = \"1m\""}).pieces, std::nullopt);
  const StateEstimate endless = state({.watermark = "field = \"created_at\"\nstrategy = \"none\""});
  EXPECT_EQ(endless.pieces, std::nullopt);
  EXPECT_TRUE(has(endless.words, "until the input ends"));
  const StateEstimate distinct = state({.columns = "x = \"count_distinct(status)\""});
  EXPECT_TRUE(has(distinct.words, "not known before the rows"));
  EXPECT_FALSE(has(tumbling.words, "not known before the rows"));
}

TEST(PlanDescription, what_grows_is_said_by_mode) {
  const Job append{.columns = "x = \"min(amount)\"\ny = \"count_distinct(status)\""};
  Job changelog = append;
  changelog.source = "mode = \"changelog\"";
  EXPECT_EQ(describe(append).aggregates.at(0).kept.at(0).growth, "");
  EXPECT_NE(describe(append).aggregates.at(0).kept.at(1).growth, "");
  EXPECT_NE(describe(changelog).aggregates.at(0).kept.at(0).growth, "");
}

TEST(PlanDescription, a_source_that_is_not_there_is_said_not_guessed) {
  const PlanDescription plan = describe({}, false);
  EXPECT_FALSE(plan.sources.at(0).splits);
  EXPECT_FALSE(plan.sources.at(0).delivered);
  EXPECT_TRUE(has(plan.sources.at(0).unknown, "no file matches data/*"));
  EXPECT_FALSE(plan.aggregates.at(0).state);
  EXPECT_TRUE(has(plan.aggregates.at(0).results, "10m past that"));  // settings are known
  EXPECT_NE(plan_text(plan).find("no file matches data/*"), std::string::npos);
  EXPECT_EQ(find_schema(plan, "a")->rows.size(), 0U);
  EXPECT_NE(schema_text(*find_schema(plan, "orders")).find("no file matches"), std::string::npos);
}

TEST(PlanRendering, text_shows_columns_and_no_control_characters) {
  const std::string text = plan_text(describe({}));
  EXPECT_NE(text.find("decoded: 4 of 6 columns: region, status, amount, created_at\n"), std::string::npos) << text;
  EXPECT_NE(text.find("gross   decimal(21,6) = amount * 1.19\n"), std::string::npos) << text;
  EXPECT_NE(text.find("sink s: of a, to /jobs/out.csv, as csv\n"), std::string::npos) << text;
  EXPECT_NE(text.find("where status = 'paid \"x\"'   and amount > 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    shard-1: shop_01.orders \"1\" \\x1b[2J\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(PlanRendering, json_has_the_same_facts) {
  const auto json = nlohmann::json::parse(plan_json(describe({})));
  EXPECT_EQ(json["sources"][0]["columns"], 6);
  EXPECT_EQ(json["sources"][0]["decoded"][2]["type"], "decimal(18,4)");
  EXPECT_EQ(json["sources"][0]["shards"][0]["note"], "shop_01.orders \"1\"\n\x1b[2J");
  EXPECT_EQ(json["aggregates"][0]["state"]["open"], 11);
  EXPECT_EQ(json["sinks"][0]["columns"].size(), 6U);
  const auto unknown = nlohmann::json::parse(plan_json(describe({}, false)));
  EXPECT_TRUE(unknown["sources"][0]["decoded"].is_null());
  EXPECT_TRUE(unknown["aggregates"][0]["state"].is_null());
  EXPECT_TRUE(unknown["aggregates"][0]["columns"][0]["type"].is_null());
}

TEST(PlanRendering, dot_escapes_quotes_backslashes_and_line_ends) {
  const std::string dot = plan_dot(describe({}));
  EXPECT_NE(dot.find("where status = 'paid \\\"x\\\"'\\l  and amount > 0\\l"), std::string::npos) << dot;
  EXPECT_NE(dot.find("  n0 -> n1;\n  n1 -> n2;\n  n2 -> n3;\n}\n"), std::string::npos) << dot;
  for (size_t begin = 0, end; begin < dot.size(); begin = end + 1) {  // no label runs over its line
    end = dot.find('\n', begin);
    size_t quotes = 0;
    for (size_t i = begin; i < end; ++i) {
      if (dot[i] == '\\') {
        ++i;
      } else if (dot[i] == '"') {
        ++quotes;
      }
    }
    EXPECT_EQ(quotes % 2, 0U) << dot.substr(begin, end - begin);
  }
}

TEST(PlanRendering, mermaid_escapes_what_is_markup) {
  const std::string mermaid = plan_mermaid(describe({}));
  EXPECT_TRUE(mermaid.starts_with("flowchart LR\n  n0[(\"source orders<br/>")) << mermaid;
  EXPECT_NE(mermaid.find("'paid #34;x#34;'<br/>  and amount #62; 0<br/>"), std::string::npos) << mermaid;
  EXPECT_NE(mermaid.find("  n0 --> n1\n  n1 --> n2\n  n2 --> n3\n"), std::string::npos) << mermaid;
}

TEST(PlanRendering, schemas_of_single_components) {
  const PlanDescription plan = describe({});
  EXPECT_NE(schema_text(*find_schema(plan, "paid")).find("gross       decimal(21,6) = amount * 1.19"),
            std::string::npos)
      << schema_text(*find_schema(plan, "paid"));
  EXPECT_EQ(find_schema(plan, "orders")->rows.at(0).columns.size(), 6U);
  EXPECT_EQ(names(find_schema(plan, "a")->rows.at(0).columns), names(plan.aggregates[0].output));
  EXPECT_EQ(nlohmann::json::parse(schema_json(*find_schema(plan, "a")))["gives"][0]["columns"][2]["name"], "region");
  EXPECT_FALSE(find_schema(plan, "s"));
}

}  // namespace
}  // namespace tidemark::core
