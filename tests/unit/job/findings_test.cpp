// SPDX-License-Identifier: Apache-2.0
//
// The words and places of findings about typical mistakes, letter by letter, and that one run shows all of them.
#include "config/job/check_columns.hpp"
#include "job_text.hpp"

namespace tidemark::config {
namespace {

using test::findings;
using test::load;
using test::smallest_job;
using test::with_line;
using test::with_watermark;

TEST(Finding, unknown_key_near_another) {
  EXPECT_EQ(findings(with_watermark("idle_timout = \"30s\"")),
            "job.toml:7:1: error[F003]: unknown key `idle_timout` in [sources.orders.watermark]\n"
            "    7 | idle_timout = \"30s\"\n"
            "      | ^^^^^^^^^^^ did you mean `idle_timeout`?\n"
            "\n"
            "1 error\n");
}

TEST(Finding, unknown_key_of_another_table) {
  EXPECT_EQ(findings(with_line("[aggregates.revenue]", "idle_timeout = \"30s\"")),
            "job.toml:8:1: error[F003]: unknown key `idle_timeout` in [aggregates.revenue]\n"
            "    8 | idle_timeout = \"30s\"\n"
            "      | ^^^^^^^^^^^^ `idle_timeout` belongs in [sources.orders.watermark]\n"
            "\n"
            "1 error\n");
}

TEST(Finding, word_of_another_tool) {
  EXPECT_EQ(findings(with_line("[aggregates.revenue]", "grace = \"5m\"")),
            "job.toml:8:1: error[F003]: unknown key `grace` in [aggregates.revenue]\n"
            "    8 | grace = \"5m\"\n"
            "      | ^^^^^ did you mean `allowed_lateness`?\n"
            "\n"
            "1 error\n");
  EXPECT_NE(findings(with_watermark("grace = \"5m\"")).find("`allowed_lateness` belongs in [aggregates.revenue]"),
            std::string::npos);
  EXPECT_NE(findings(with_watermark("emit-interval = \"1s\"")).find("did you mean `emit_interval`?"),
            std::string::npos);
  EXPECT_NE(findings(with_watermark("idleTimeout = \"1s\"")).find("did you mean `idle_timeout`?"), std::string::npos);
}

TEST(Finding, unknown_key_near_nothing_lists_the_keys) {
  EXPECT_EQ(findings(with_line("[job]", "zzz = 1")),
            "job.toml:2:1: error[F003]: unknown key `zzz` in [job]\n"
            "    2 | zzz = 1\n"
            "      | ^^^ a typo, or not in this version; there are: name, time_zone, parallelism\n"
            "\n"
            "1 error\n");
}

TEST(Finding, unknown_table) {
  EXPECT_EQ(findings(smallest_job() + "[source.x]\n"),
            "job.toml:17:2: error[F003]: unknown table [source]\n"
            "   17 | [source.x]\n"
            "      |  ^^^^^^ did you mean `sources`?\n"
            "\n"
            "1 error\n");
}

TEST(Finding, bare_number_as_duration) {
  EXPECT_EQ(findings(with_watermark("max_out_of_orderness = 10")),
            "job.toml:7:24: error[F008]: a duration needs a unit\n"
            "    7 | max_out_of_orderness = 10\n"
            "      |                        ^^ write \"10s\", \"500ms\" or \"2m\"\n"
            "\n"
            "1 error\n");
}

TEST(Finding, word_that_a_key_cannot_be) {
  EXPECT_EQ(findings(with_line("type = \"generator\"", "mode = \"upsert\"")),
            "job.toml:6:9: error[F006]: `mode` cannot be \"upsert\"\n"
            "    6 | mode = \"upsert\"\n"
            "      |         ^^^^^^ did you mean \"changelog\"? All values: \"append\", \"changelog\"\n"
            "\n"
            "1 error\n");
}

TEST(Finding, known_but_not_in_this_version) {
  EXPECT_EQ(findings(with_line("[aggregates.revenue]", "keep_closed = \"7d\"")),
            "job.toml:8:1: error[F014]: `keep_closed` is not supported yet\n"
            "    8 | keep_closed = \"7d\"\n"
            "      | ^^^^^^^^^^^ remove it for now\n"
            "\n"
            "1 error\n");
  const LoadResult result = load(smallest_job() + "[late]\nx = 1\n");
  ASSERT_EQ(result.diagnostics.error_count(), 1u);
  EXPECT_EQ(result.diagnostics.items().front().code, code::kNotSupportedYet);
}

// What is wrong with `window` or `emit` of the smallest job, as "code text | help".
std::string wrong_in_aggregate(const std::string& window, const std::string& more = {}) {
  std::string text = smallest_job();
  const size_t begin = text.find("{ type");
  text.replace(begin, text.find(" }", begin) + 2 - begin, "{ " + window + " }\n" + more);
  const LoadResult result = load(text);
  std::string out;
  for (const Diagnostic* finding : result.diagnostics.sorted()) {
    out += std::string(finding->code) + " " + finding->text + " | " + finding->help + "\n";
  }
  return out;
}

TEST(Finding, windows_have_the_keys_of_their_kind) {
  for (const char* good : {R"(type = "sliding", size = "5m", slide = "1m", offset = "-30s")",
                           R"(type = "hopping", size = "7s", slide = "3s")",
                           R"(type = "cumulative", max_size = "1d", step = "1h", time_zone = "Asia/Kolkata")",
                           R"(type = "session", gap = "30s", max_size = "1h")",
                           R"(type = "tumbling", size = "1m", time = "processing")"}) {
    EXPECT_EQ(wrong_in_aggregate(good), "") << good;
  }
  EXPECT_EQ(wrong_in_aggregate(R"(type = "sliding", size = "5m")"),
            "F004 [aggregates.revenue.window] lacks `slide` | such as window = { type = \"sliding\", size = \"10m\", "
            "slide = \"1m\" }\n");
  EXPECT_EQ(wrong_in_aggregate(R"(type = "session", gap = "1m", size = "5m")"),
            "F017 a session window has no `size` | write window = { type = \"session\", gap = \"30m\", max_size = "
            "\"12h\" }\n");
  EXPECT_EQ(
      wrong_in_aggregate(R"(type = "sliding", size = "5m", slide = "2m", time_zone = "Asia/Kolkata")"),
      "F017 in a time zone `size` must be a multiple of `slide`; 5m is none of 2m | windows then begin and end at "
      "the zone's own hours and days\n");
  EXPECT_EQ(wrong_in_aggregate(R"(type = "tumbling", size = "5m", offset = "5m")"),
            "F017 `offset` must be shorter than `size` | less than 5m, more than -5m\n");
  EXPECT_EQ(wrong_in_aggregate(R"(type = "sliding", size = "1000d", slide = "1ms")").substr(0, 4), "F007");
  EXPECT_EQ(wrong_in_aggregate(R"(type = "cumulative", max_size = "5m", step = "2m")").substr(0, 4), "F017");
}

TEST(Finding, windows_by_processing_time_read_inserts) {
  for (const char* window : {R"(type = "tumbling", size = "1m")", R"(type = "sliding", size = "5m", slide = "1m")",
                             R"(type = "session", gap = "30s")"}) {
    std::string text = with_line("[sources.orders]", R"(mode = "changelog")");
    const size_t begin = text.find("{ type");
    text.replace(begin, text.find(" }", begin) + 2 - begin, "{ " + std::string(window) + R"(, time = "processing" })");
    const std::string out = findings(text);
    EXPECT_NE(out.find("windows by processing time cannot take back rows"), std::string::npos) << out;
  }
}

TEST(Finding, rows_are_kept_to_take_them_back) {
  const std::string text = with_line("[sources.orders]", "on_truncate = \"apply\"\non_partial_image = \"complete\"");
  const std::string found = findings(text);
  EXPECT_NE(found.find("error[F017]: on_truncate = \"apply\" keeps the source's rows to take them back, and mode = "
                       "\"append\" takes nothing back\n"),
            std::string::npos)
      << found;
  EXPECT_NE(found.find("error[F017]: on_partial_image = \"complete\" keeps"), std::string::npos) << found;
  EXPECT_NE(found.find("set mode = \"changelog\""), std::string::npos) << found;
  EXPECT_EQ(findings(with_line("[sources.orders]", "on_truncate = \"ignore\"\non_partial_image = \"reject\"")), "");
  const std::string fitting = "on_truncate = \"apply\"\nmode = \"changelog\"\nwatermark = { field = \"created_at\" }";
  EXPECT_EQ(findings(with_line("[sources.orders]", fitting)), "");
}

TEST(Finding, emit_has_words_and_tables) {
  const auto emit = [](const std::string& value) {
    return wrong_in_aggregate(R"(type = "tumbling", size = "1m")", "emit = " + value + "\n");
  };
  for (const char* good :
       {R"("on_close")", R"("on_update")", R"({ every = "10s" })", R"({ every = "10s", time = "event" })",
        "{ count = 5 }", R"({ early = "1s", late = "never" })", R"({ late = { count = 2 }, purge = true })"}) {
    EXPECT_EQ(emit(good), "") << good;
  }
  EXPECT_EQ(emit("\"10s\""), "F006 `emit` cannot be \"10s\" | write emit = { every = \"10s\" }\n");
  for (const char* bad :
       {"5", R"("on_clos")", R"({ time = "event" })", R"({ every = "1s", count = 2 })", R"({ early = {} })",
        R"({ early = "often" })", R"({ every = "1s", early = "2s" })", "{ count = 0 }", "{ purge = 1 }"}) {
    EXPECT_NE(emit(bad), "") << bad;
  }
}

TEST(Finding, input_that_does_not_exist) {
  EXPECT_EQ(findings(with_line("[sinks.out]", "# sink\n")
                         .replace(with_line("[sinks.out]", "# sink\n").rfind("revenue"), 7, "revenu")),
            "job.toml:18:12: error[F011]: there is no aggregate `revenu`\n"
            "   18 | inputs = [\"revenu\"]\n"
            "      |            ^^^^^^ did you mean `revenue`?\n"
            "\n"
            "1 error\n");
}

TEST(Finding, missing_keys_and_tables) {
  EXPECT_EQ(findings("version = 1\n"),
            "job.toml: error[F004]: the job file lacks `job`\n"
            "   help: add [job] and name = \"...\": the name is part of the state's identity\n"
            "\n"
            "job.toml: error[F004]: the job has no source\n"
            "   help: add a table [sources.orders]\n"
            "\n"
            "job.toml: error[F004]: the job has no aggregate\n"
            "   help: add a table [aggregates.revenue]\n"
            "\n"
            "job.toml: error[F004]: the job has no sink\n"
            "   help: add a table [sinks.report]\n"
            "\n"
            "4 errors\n");
  EXPECT_EQ(findings("[job]\nname = \"a\"\n[sources.s]\ntype = \"generator\"\n[aggregates.a]\n[sinks.o]\n"),
            "job.toml:5:1: error[F004]: [aggregates.a] lacks `inputs`\n"
            "    5 | [aggregates.a]\n"
            "      | ^^^^^^^^^^^^^^ such as inputs = [\"s\"]\n"
            "\n"
            "job.toml:5:1: error[F004]: [aggregates.a] lacks `window`\n"
            "    5 | [aggregates.a]\n"
            "      | ^^^^^^^^^^^^^^ such as window = { type = \"tumbling\", size = \"1m\" }\n"
            "\n"
            "job.toml:5:1: error[F004]: aggregate `a` has no columns\n"
            "    5 | [aggregates.a]\n"
            "      | ^^^^^^^^^^^^^^ add a table [aggregates.a.columns], such as orders = \"count()\"\n"
            "\n"
            "job.toml:6:1: error[F004]: [sinks.o] lacks `inputs`\n"
            "    6 | [sinks.o]\n"
            "      | ^^^^^^^^^ such as inputs = [\"a\"]\n"
            "\n"
            "job.toml:6:1: error[F004]: [sinks.o] lacks `type`\n"
            "    6 | [sinks.o]\n"
            "      | ^^^^^^^^^ \"stdout\", \"file\" or \"mysql\"\n"
            "\n"
            "5 errors\n");
}

TEST(Finding, key_given_twice) {
  EXPECT_EQ(findings(with_line("name = \"small\"", "name = \"other\"")),
            "job.toml:3:1: error[F002]: key `name` is already defined\n"
            "    3 | name = \"other\"\n"
            "      | ^^^^ each may be given once; remove one of the two\n"
            "   note: first defined in line 2\n"
            "\n"
            "1 error\n");
}

TEST(Finding, inline_table_over_lines) {
  std::string text = smallest_job();
  text.replace(text.find("\"tumbling\", "), 12, "\"tumbling\",\n");
  EXPECT_EQ(
      findings(text),
      "job.toml:9:30: error[F002]: an inline table must stay on one line\n"
      "    9 | window = { type = \"tumbling\",\n"
      "      |                              ^ TOML 1.0 allows no line break between { and }: write it on one line, "
      "or as a table of its own\n"
      "\n"
      "1 error\n");
}

TEST(Finding, nesting_without_end_is_refused_before_the_stack_ends) {
  std::string header = "[a";
  for (int i = 0; i < 1'000'000; ++i) header += ".\"b\"";
  EXPECT_NE(findings(header + "]\n").find("job.toml:1:63: error[F002]: a key of too many parts"), std::string::npos);
  EXPECT_NE(findings("a = " + std::string(1'000'000, '[')).find("error[F002]"), std::string::npos);
  EXPECT_EQ(findings(smallest_job() + "# ....................\n"), "");
  EXPECT_EQ(findings(with_line("type = \"generator\"", "x = \"....................\"")), "");
}

TEST(Finding, bad_ids_and_names_taken_twice) {
  std::string text = smallest_job();
  text.replace(text.find("[sinks.out]"), 11, "[sinks.Out-File]");
  EXPECT_EQ(findings(text),
            "job.toml:14:8: error[F010]: `Out-File` cannot be an id of sinks\n"
            "   14 | [sinks.Out-File]\n"
            "      |        ^^^^^^^^ ids are lower snake case: `out_file`\n"
            "\n"
            "1 error\n");
  text.replace(text.find("[sinks.Out-File]"), 16, "[sinks.revenue]");
  EXPECT_NE(findings(text).find("the id `revenue` is taken by [aggregates.revenue]"), std::string::npos);
}

TEST(Finding, output_column_twice) {
  EXPECT_EQ(findings(with_line("[aggregates.revenue]", "key_by = [\"orders\"]")),
            "job.toml:13:1: error[F015]: output column `orders` is there twice: key_by has it too\n"
            "   13 | orders = \"count()\"\n"
            "      | ^^^^^^ give it another name\n"
            "\n"
            "1 error\n");
  EXPECT_NE(findings(with_line("orders = \"count()\"", "window_end = \"count()\"")).find("every result has it too"),
            std::string::npos);
}

TEST(Finding, address_to_listen_at) {
  const auto help = [](const std::string& value) {
    const LoadResult result = load(smallest_job() + "[http]\nlisten = " + value + "\n");
    return result.diagnostics.items().empty() ? "" : result.diagnostics.items().front().help;
  };
  for (const char* good : {"\"off\"", "\"127.0.0.1:0\"", "\"localhost:8686\"", "\"[::1]:8686\""})
    EXPECT_EQ(help(good), "");
  EXPECT_EQ(help("8686"), "write \"127.0.0.1:8686\"");
  EXPECT_EQ(help("\"8686\""), "write \"127.0.0.1:8686\"");
  EXPECT_EQ(help("\":8686\""), "write \"127.0.0.1:8686\"");
  EXPECT_EQ(help("\"http://127.0.0.1:8686\""), "write \"127.0.0.1:8686\"");
  EXPECT_EQ(help("\"https://[::1]:9/metrics\""), "write \"[::1]:9\"");
  EXPECT_EQ(help("false"), "write \"off\"");
  for (const char* other : {"\"localhost\"", "\"\"", "70000", "\"a b:1\"", "\"user@host:1\"", "[1]", "{}"}) {
    EXPECT_TRUE(help(other).starts_with("an address and port")) << other << ": " << help(other);
  }
}

TEST(Finding, columns_against_the_schema) {
  std::string text = smallest_job();
  text.replace(text.find("type = \"generator\"\n"), 0, "watermark.field = \"region\"\n");
  LoadResult result = load(text);
  ASSERT_EQ(render_text(result.diagnostics), "");
  check_columns(*result.spec,
                {{"orders",
                  {{"region", "VARCHAR(16)", ColumnKind::text},
                   {"amount", "DECIMAL(18,4)", ColumnKind::decimal},
                   {"ratio", "DOUBLE", ColumnKind::floating},
                   {"created_at", "DATETIME(3)", ColumnKind::time_point}}}},
                result.diagnostics);
  EXPECT_EQ(render_text(result.diagnostics),
            "job.toml:5:20: error[F023]: `region` is VARCHAR(16): an event time must be a DATETIME or TIMESTAMP\n"
            "    5 | watermark.field = \"region\"\n"
            "      |                    ^^^^^^ usable: created_at, or \"$commit_time\"\n"
            "\n"
            "1 error\n");
}

TEST(Finding, all_of_them_at_once_in_file_order) {
  const LoadResult result = load(R"x(version = 2
[job]
name = "Bad Name"
parallelism = "four"
[sources.orders]
mode = "changelog"
[sources.spare]
type = "generator"
[sources.orders.watermark]
idle_timeout = 5
max_out_of_orderness = "5 s"
[aggregates.revenue]
inputs = ["order"]
window = { type = "tumbling", size = "0s" }
late = "lost"
[aggregates.revenue.columns]
a = "sum()"
[sinks.file]
type = "file"
inputs = "revenue"
[log]
level = "loud"
)x");
  std::vector<std::string> lines;
  for (const Diagnostic* finding : result.diagnostics.sorted()) {
    lines.push_back(std::to_string(finding->span.line) + " " + finding->code);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"1 F007", "3 F010", "4 F005", "5 F004", "7 W001", "10 F008", "11 F008",
                                             "13 F011", "14 F007", "15 F006", "18 F004", "20 F005", "22 F006"}))
      << render_text(result.diagnostics);
}

}  // namespace
}  // namespace tidemark::config
