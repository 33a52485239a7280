// SPDX-License-Identifier: Apache-2.0
//
// Plugin options against a plugin's schema: findings look like all others and point at the option.
#include "config/job/option_schema.hpp"

#include "job_text.hpp"

namespace tidemark::config {
namespace {

using test::load;
using test::with_line;

std::vector<OptionSchema> schema() {
  return {{"shards", OptionType::list, "", true, "files or folders of binlogs, one shard each"},
          {"tables", OptionType::list, "*", false, "patterns of [database.]table"},
          {"follow", OptionType::boolean, "false", false, ""},
          {"poll", OptionType::duration, "100ms", false, ""},
          {"buffer", OptionType::size, "1MiB", false, ""},
          {"rows", OptionType::integer, "", false, ""}};
}

std::string check(const std::string& lines) {
  LoadResult result = load(with_line("type = \"generator\"", lines));
  EXPECT_EQ(render_text(result.diagnostics), "");
  const std::vector<OptionSchema> options = schema();
  check_plugin_options(options_of_source(result.spec->sources[0]), options, result.diagnostics);
  return render_text(result.diagnostics);
}

TEST(PluginOptions, good_ones_pass) {
  EXPECT_EQ(check("shards = [\"a\", \"b\"]\nfollow = true\npoll = \"5ms\"\nbuffer = \"2MiB\"\nrows = 5"), "");
  EXPECT_EQ(check("shards = \"a\""), "");
}

TEST(PluginOptions, unknown_ones_get_the_nearest_name) {
  EXPECT_EQ(check("shrads = [\"a\"]\nshards = [\"a\"]"),
            "job.toml:6:1: error[F003]: unknown key `shrads` in [sources.orders]\n"
            "    6 | shrads = [\"a\"]\n"
            "      | ^^^^^^ did you mean `shards`?\n"
            "   note: tidemark plugin info generator lists its options\n"
            "\n"
            "1 error\n");
  EXPECT_NE(check("idle_timeout = \"5s\"\nshards = \"a\"").find("`idle_timeout` belongs in [sources.orders.watermark]"),
            std::string::npos);
  EXPECT_NE(check("on_schema_change = \"fail\"\nshards = \"a\"").find("error[F014]"), std::string::npos);
}

TEST(PluginOptions, wrong_types_and_missing_ones) {
  EXPECT_EQ(check("poll = 5\nfollow = \"yes\"\nrows = \"x\"\nbuffer = \"2\""),
            "job.toml:4:1: error[F004]: [sources.orders] lacks `shards`, which type \"generator\" needs\n"
            "    4 | [sources.orders]\n"
            "      | ^^^^^^^^^^^^^^^^ files or folders of binlogs, one shard each\n"
            "\n"
            "job.toml:6:8: error[F008]: a duration needs a unit\n"
            "    6 | poll = 5\n"
            "      |        ^ write \"10s\", \"500ms\" or \"2m\"\n"
            "\n"
            "job.toml:7:11: error[F005]: `follow` must be true or false\n"
            "    7 | follow = \"yes\"\n"
            "      |           ^^^ write true or false, without quotes\n"
            "\n"
            "job.toml:8:9: error[F005]: `rows` must be an integer\n"
            "    8 | rows = \"x\"\n"
            "      |         ^ such as 10\n"
            "\n"
            "job.toml:9:11: error[F009]: `buffer` must be a size\n"
            "    9 | buffer = \"2\"\n"
            "      |           ^ write \"64MiB\" or \"64MB\"\n"
            "\n"
            "5 errors\n");
  EXPECT_NE(check("shards = { a = 1 }").find("`shards` must be a list of texts"), std::string::npos);
  EXPECT_NE(check("shards = []").find("`shards` is empty"), std::string::npos);
}

TEST(PluginOptions, case_A06_wrong_pattern_is_reported_at_the_option) {
  LoadResult result = load(with_line("type = \"generator\"", "tables = [\"order_*\", \"/[/\"]"));
  report_option(options_of_source(result.spec->sources[0]), "tables", "/[/", "not a regular expression: missing ]",
                result.diagnostics)
      .with_help("write it as in \"/order_[0-9]+/\"");
  EXPECT_EQ(render_text(result.diagnostics),
            "job.toml:6:23: error[F031]: not a regular expression: missing ]\n"
            "    6 | tables = [\"order_*\", \"/[/\"]\n"
            "      |                       ^^^ write it as in \"/order_[0-9]+/\"\n"
            "\n"
            "1 error\n");
}

TEST(PluginOptions, effective_ones_are_given_then_defaults) {
  const LoadResult result = load(with_line("type = \"generator\"", "rows = 5\nshards = [\"b\", \"a\"]"));
  const std::vector<OptionSchema> options = schema();
  std::string text;
  for (const OptionValue& option : effective_options(options_of_source(result.spec->sources[0]), options)) {
    text += option.name + "=" + option.value + " ";
  }
  EXPECT_EQ(text, "rows=5 shards=b shards=a tables=* follow=false poll=100ms buffer=1048576 ");
}

TEST(PluginOptions, type_names_are_those_of_the_abi) {
  for (const char* name : {"text", "int", "bool", "duration", "size", "list", "float"}) {
    EXPECT_TRUE(option_type_from(name)) << name;
  }
  EXPECT_FALSE(option_type_from("number"));
}

}  // namespace
}  // namespace tidemark::config
