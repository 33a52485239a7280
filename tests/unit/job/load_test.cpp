// SPDX-License-Identifier: Apache-2.0
//
// What a valid job file becomes: values, defaults, paths, order; and the shipped examples.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "config/job/effective.hpp"
#include "config/job/key_catalog.hpp"
#include "job_text.hpp"

namespace tidemark::config {
namespace {

using test::findings;
using test::load;
using test::with_line;
using test::with_watermark;

TEST(Load, case_C10_smallest_job_works_and_defaults_are_printed) {
  const LoadResult result = load(test::smallest_job());
  ASSERT_EQ(render_text(result.diagnostics), "");
  EXPECT_EQ(
      describe_effective(*result.spec),
      "job small: parallelism 3 (default), time_zone UTC (default)\n"
      "source orders: generator, mode append (default), event time $commit_time (default), strategy "
      "bounded_out_of_orderness (default), max_out_of_orderness 10s (default), idle_timeout 1m (default), "
      "emit_interval 200ms (default), all_idle hold (default), on_resume hold (default)\n"
      "aggregate revenue: orders, window tumbling 1m, key_by nothing (one group), emit on_close (default), "
      "allowed_lateness 0s (default), late store (default); a result comes when event time is 10s past its "
      "window's end\n"
      "sink out: stdout of revenue (at least once: a crash repeats what no epoch has)\n"
      "state: path /jobs/small.state (default), memory 512MiB (default)\n"
      "checkpoint: interval 10s (default), timeout 2m (default), retain 2 (default) at least 10m (default) apart in "
      "/jobs/small.state/checkpoints (default), on_damage fail (default)\n"
      "http: listen 127.0.0.1:8686 (default)\n"
      "log: level info (default)\n");
}

TEST(Load, case_C10_bad_values_are_refused_by_name_with_the_range) {
  const auto window = [](std::string_view size) {
    std::string text = test::smallest_job();
    text.replace(text.find("\"1m\""), 4, size);
    return findings(std::move(text));
  };
  EXPECT_EQ(window("\"0s\""),
            "job.toml:9:39: error[F007]: `size` = \"0s\" is out of range\n"
            "    9 | window = { type = \"tumbling\", size = \"0s\" }\n"
            "      |                                       ^^ allowed: 1ms to 36500d\n"
            "\n"
            "1 error\n");
  EXPECT_NE(window("\"-1m\"").find("`size` = \"-1m\" is out of range"), std::string::npos);
  EXPECT_NE(window("0").find("a duration needs a unit"), std::string::npos);
  EXPECT_EQ(findings(with_line("[job]", "time_zone = \"Europe/Berlni\"")),
            "job.toml:2:14: error[F016]: `time_zone`: there is no time zone \"Europe/Berlni\"\n"
            "    2 | time_zone = \"Europe/Berlni\"\n"
            "      |              ^^^^^^^^^^^^^ did you mean \"Europe/Berlin\"?\n"
            "\n"
            "1 error\n");
  EXPECT_NE(findings(with_line("[job]", "parallelism = 0")).find("`parallelism` = 0 is out of range"),
            std::string::npos);
  EXPECT_NE(findings(with_watermark("max_out_of_orderness = \"-1s\"")).find("allowed: 0s to 36500d"),
            std::string::npos);
}

TEST(Load, keeps_columns_keys_and_options_in_file_order) {
  std::string text = with_line("orders = \"count()\"",
                               "zulu = \"SUM( amount )\"\nalpha = \"count(*)\"\nmike = \"count_distinct(`odd name`)\"");
  text = text.replace(text.find("type = \"generator\"\n"), 0, "zz = [1, \"x\"]\naa = true\n");
  const LoadResult result = load(text);
  ASSERT_EQ(render_text(result.diagnostics), "");
  const std::vector<ColumnSpec>& columns = result.spec->aggregates[0].columns;
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0].name.value, "orders");
  EXPECT_EQ(columns[1].name.value, "zulu");
  EXPECT_EQ(columns[1].expression.value, "SUM( amount )");
  EXPECT_EQ(columns[1].expression.span.column, 9u);
  EXPECT_EQ(columns[3].expression.value, "count_distinct(`odd name`)");
  const std::vector<PluginOption>& options = result.spec->sources[0].options;
  ASSERT_EQ(options.size(), 2u);
  EXPECT_EQ(options[0].name, "zz");
  ASSERT_EQ(options[0].values.size(), 2u);
  EXPECT_EQ(options[0].values[0].value, "1");
  EXPECT_EQ(options[0].values[1].value, "x");
  EXPECT_EQ(options[1].values[0].value, "true");
}

TEST(Load, relative_paths_start_at_the_folder_of_the_job) {
  const LoadResult result = load(test::smallest_job() + R"([sinks.report]
type = "file"
inputs = ["revenue"]
path = "../out/r.csv"
format = "csv"
[state]
path = "/var/lib/small"
[plugins]
paths = ["./plugins"]
)");
  ASSERT_EQ(render_text(result.diagnostics), "");
  EXPECT_EQ(result.spec->sinks[1].path.value, "/out/r.csv");
  EXPECT_EQ(result.spec->sinks[1].format.value, FileFormat::csv);
  EXPECT_EQ(result.spec->state.path.value, "/var/lib/small");
  EXPECT_EQ(result.spec->plugin_paths[0].value, "/jobs/plugins");
}

TEST(Load, all_idle_takes_a_word_or_a_table) {
  EXPECT_EQ(load(with_watermark("all_idle = \"end_of_time\"")).spec->sources[0].watermark.all_idle.value,
            AllIdle::end_of_time);
  const LoadResult result = load(with_watermark("all_idle = { advance_after = \"5m\", lag = \"1m\" }"));
  EXPECT_EQ(render_text(result.diagnostics), "");
  EXPECT_EQ(result.spec->sources[0].watermark.all_idle.value, AllIdle::advance_after);
  EXPECT_EQ(result.spec->sources[0].watermark.advance_after_us, 300'000'000);
  EXPECT_EQ(result.spec->sources[0].watermark.lag_us, 60'000'000);
}

TEST(Load, watermark_settings_are_read) {
  const LoadResult result = load(
      with_watermark("strategy = \"plugin:percentile\"\nstrategy_options = { share = 0.99 }\nidle_timeout = \"never\"\n"
                     "max_future = \"1m\"\non_future = \"set_aside\"\n"
                     "alignment = { group = \"shop\", max_drift = \"1m\" }"));
  ASSERT_EQ(render_text(result.diagnostics), "");
  const WatermarkSpec& watermark = result.spec->sources[0].watermark;
  EXPECT_EQ(watermark.strategy.value, WatermarkStrategy::plugin);
  EXPECT_EQ(watermark.generator.value, "percentile");
  ASSERT_EQ(watermark.generator_options.size(), 1U);
  EXPECT_EQ(watermark.generator_options[0].name, "share");
  EXPECT_EQ(watermark.idle_timeout_us.value, 0);
  EXPECT_EQ(watermark.max_future_us.value, 60'000'000);
  EXPECT_EQ(watermark.on_future.value, OnFuture::set_aside);
  EXPECT_EQ(watermark.alignment.group.value, "shop");
  EXPECT_EQ(watermark.alignment.max_drift_us.value, 60'000'000);
  EXPECT_EQ(watermark.alignment.update_interval_us.value, 1'000'000);
  EXPECT_EQ(watermark.alignment.timeout_us.value, 10'000'000);
}

TEST(Load, watermark_settings_that_do_nothing_are_warned_of) {
  const auto findings = [](const std::string& lines) { return render_text(load(with_watermark(lines)).diagnostics); };
  EXPECT_NE(findings("idle_timeout = \"0s\"").find("error[F007]"), std::string::npos);
  EXPECT_NE(findings("strategy = \"punctuated\"").find("error[F004]"), std::string::npos);
  EXPECT_NE(findings("marker = \"TRUE\"").find("warning[W002]"), std::string::npos);
  EXPECT_NE(findings("on_future = \"fail\"").find("warning[W002]"), std::string::npos);
  EXPECT_NE(findings("strategy_options = { a = 1 }").find("warning[W002]"), std::string::npos);
  EXPECT_NE(findings("alignment = { group = \"g\", max_drift = \"1s\" }").find("warning[W004]"), std::string::npos);
  EXPECT_NE(findings("alignment = { group = \"g\" }").find("error[F004]"), std::string::npos);
  EXPECT_NE(findings("field = \"$clock\"").find("error[F006]"), std::string::npos);
}

TEST(Load, parts_of_files_end_by_size_or_time) {
  const auto loaded = [](const std::string& roll, const std::string& type = "file\"\npath = \"a.csv") {
    return load(
        "[job]\nname = \"j\"\n[sources.o]\ntype = \"generator\"\n[aggregates.a]\ninputs = [\"o\"]\nwindow = { type = "
        "\"tumbling\", size = \"1m\" }\n[aggregates.a.columns]\nn = \"count()\"\n[sinks.s]\ninputs = [\"a\"]\ntype = "
        "\"" +
        type + "\"\n" + roll);
  };
  const LoadResult both = loaded("roll = { size = \"64MiB\", every = \"1h\" }\n");
  ASSERT_TRUE(both.spec) << render_text(both.diagnostics);
  EXPECT_EQ(both.spec->sinks[0].roll_bytes.value, uint64_t{64} << 20);
  EXPECT_EQ(both.spec->sinks[0].roll_every_us.value, 3600 * core::kMicrosPerSecond);
  EXPECT_EQ(loaded("").spec->sinks[0].roll_bytes.value, 0U);
  EXPECT_NE(render_text(loaded("roll = {}\n").diagnostics).find("neither `size` nor `every`"), std::string::npos);
  EXPECT_NE(render_text(loaded("roll = { size = 0 }\n").diagnostics).find("error"), std::string::npos);
  EXPECT_NE(render_text(loaded("roll = { every = \"1h\" }\n", "stdout").diagnostics).find("has no `roll`"),
            std::string::npos);
}

TEST(Load, changes_at_a_time_of_their_own_are_warned_of) {
  const auto findings = [](const std::string& field, const std::string& mode, const std::string& window) {
    return render_text(load("[job]\nname = \"j\"\n[sources.o]\ntype = \"generator\"\nmode = \"" + mode +
                            "\"\n[sources.o.watermark]\n" + field + "[aggregates.a]\ninputs = [\"o\"]\nwindow = { " +
                            window +
                            " }\n[aggregates.a.columns]\nn = \"count()\"\n[sinks.s]\ntype = \"stdout\"\n"
                            "inputs = [\"a\"]\n")
                           .diagnostics);
  };
  const std::string tumbling = "type = \"tumbling\", size = \"1m\"";
  const std::string text = findings("field = \"$commit_time\"\n", "changelog", tumbling);
  EXPECT_NE(text.find(":7:10: warning[W004]: updates and deletes of `o` take rows back at the time of the change"),
            std::string::npos)
      << text;
  EXPECT_NE(findings("", "changelog", tumbling).find(":5:8: warning[W004]"), std::string::npos) << "by default, too";
  EXPECT_EQ(findings("field = \"created_at\"\n", "changelog", tumbling), "");
  EXPECT_EQ(findings("", "changelog\"\non_truncate = \"apply", tumbling), "") << "rows are kept with their times";
  EXPECT_EQ(findings("", "append", tumbling), "");
  EXPECT_EQ(findings("", "changelog", "type = \"global\"").find("at the time of the change"), std::string::npos);
}

TEST(Load, a_folder_has_a_name) {
  for (const char* table : {"[state]", "[checkpoint]"}) {
    const std::string text =
        render_text(load("[job]\nname = \"j\"\n" + std::string(table) + "\npath = \"\"\n").diagnostics);
    EXPECT_NE(text.find(":4:8: error[F006]: `path` is empty"), std::string::npos) << text;
  }
}

TEST(Load, keys_without_effect_are_refused) {
  const std::string text = render_text(load("[job]\nname = \"j\"\n[log]\nformat = \"json\"\n").diagnostics);
  EXPECT_NE(text.find("a log format other than text is not supported yet"), std::string::npos) << text;
}

TEST(Load, bound_counts_only_with_its_strategy) {
  const LoadResult ascending = load(with_watermark("strategy = \"ascending\""));
  ASSERT_EQ(render_text(ascending.diagnostics), "");
  EXPECT_EQ(ascending.spec->sources[0].watermark.max_out_of_orderness_us.value, 0);
  const LoadResult both = load(with_watermark("strategy = \"ascending\"\nmax_out_of_orderness = \"5s\""));
  EXPECT_FALSE(both.diagnostics.has_errors());
  EXPECT_EQ(both.diagnostics.warning_count(), 1u);
}

TEST(Load, shipped_examples_are_valid) {
  for (const char* name : {"orders.toml", "generator.toml", "watermarks.toml", "windows.toml", "tests.toml"}) {
    const LoadResult result = load_job(std::string(TIDEMARK_SOURCE_DIR "/config/examples/") + name, {});
    EXPECT_EQ(render_text(result.diagnostics), "") << name;
    ASSERT_TRUE(result.spec);
    EXPECT_TRUE(result.spec->base_dir.is_absolute());
  }
}

TEST(Load, the_example_of_watermarks_has_every_key) {
  std::ifstream in(TIDEMARK_SOURCE_DIR "/config/examples/watermarks.toml", std::ios::binary);
  // Its words: "key = value" stands as "key", "=" and so on, also in comments and in inline tables.
  const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  const auto has_key = [&words](std::string_view key) {
    const auto next = std::adjacent_find(words.begin(), words.end(), [key](const std::string& a, const std::string& b) {
      return b == "=" && (a == key || a == "#" + std::string(key));
    });
    return next != words.end();
  };
  for (const TableKind kind : {TableKind::watermark, TableKind::all_idle, TableKind::alignment, TableKind::http,
                               TableKind::log, TableKind::plugins}) {
    for (const std::string_view key : keys_of(kind)) {
      EXPECT_TRUE(has_key(key)) << key;
    }
  }
}

TEST(Load, unreadable_files_are_findings) {
  EXPECT_EQ(render_text(load_job("/nowhere/job.toml", {}).diagnostics),
            "/nowhere/job.toml: error[F001]: there is no such file\n"
            "   help: name a job file (TOML)\n"
            "\n"
            "1 error\n");
  EXPECT_NE(render_text(load_job("/", {}).diagnostics).find("this is a directory"), std::string::npos);
}

// Whatever the bytes are, loading ends with findings: every prefix of a job file, and each byte of it replaced.
TEST(Load, damaged_files_never_crash) {
  std::ifstream in(TIDEMARK_SOURCE_DIR "/config/examples/orders.toml", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(whole.size(), 1000u);
  for (size_t size = 0; size < whole.size(); size += 7) {
    const LoadResult result = load(whole.substr(0, size));
    EXPECT_TRUE(result.diagnostics.has_errors() || size > whole.find("[sinks")) << size;
    EXPECT_FALSE(render_json(result.diagnostics).empty());
  }
  const std::string bytes = std::string("\0\x80\xff\"'[]{}\\\n$#=.", 16);
  for (size_t at = 0; at < whole.size(); at += 5) {
    std::string damaged = whole;
    damaged[at] = bytes[at % bytes.size()];
    const LoadResult result = load(damaged);
    EXPECT_EQ(render_text(result.diagnostics).empty(), result.diagnostics.items().empty());
  }
}

}  // namespace
}  // namespace tidemark::config
