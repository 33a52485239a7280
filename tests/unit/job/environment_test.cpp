// SPDX-License-Identifier: Apache-2.0
//
// Environment variables in string values: after parsing, once, never in keys or numbers' text.
#include "config/job/environment.hpp"

#include "job_text.hpp"

namespace tidemark::config {
namespace {

using test::load;
using test::with_line;

std::optional<std::string> look_up(const std::string& name) {
  if (name == "X") return "value";
  if (name == "EMPTY") return "";
  if (name == "TRICK") return "${X} $$ \"]";
  return std::nullopt;
}

TEST(Environment, references_defaults_and_dollars) {
  const auto text_of = [](std::string_view text) { return substitute(text, look_up, false).text; };
  EXPECT_EQ(text_of("a ${X} b"), "a value b");
  EXPECT_EQ(text_of("${UNSET:-d e}"), "d e");
  EXPECT_EQ(text_of("${EMPTY:-d}"), "d");
  EXPECT_EQ(text_of("<${EMPTY}>"), "<>");
  EXPECT_EQ(text_of("${X:-d}${X:?m}"), "valuevalue");
  EXPECT_EQ(text_of("$${X} $commit_time /a$/ $"), "${X} $commit_time /a$/ $");
  EXPECT_EQ(text_of("${TRICK}"), "${X} $$ \"]") << "what a variable holds is not substituted again";
  EXPECT_TRUE(substitute("${X}", look_up, false).whole);
  EXPECT_FALSE(substitute("${X}s", look_up, false).whole);
  for (const char* bad : {"${", "${}", "${1X}", "${X", "${X:}", "${X:+y}", "${X Y}", "${X:-${Y}}"}) {
    EXPECT_EQ(substitute(bad, look_up, false).problems.size(), 1u) << bad;
  }
}

TEST(Environment, unset_variable_is_an_error_at_its_place) {
  const LoadResult result = load(with_line("type = \"generator\"", "password = \"é ${DB_PASSWORD:?ask the team}\""));
  EXPECT_EQ(render_text(result.diagnostics),
            "job.toml:6:15: error[F012]: the environment variable `DB_PASSWORD` is not set: ask the team\n"
            "    6 | password = ********************************\n"
            "      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ set it, give a default as in ${DB_PASSWORD:-value}, "
            "or check "
            "with --allow-missing-env\n"
            "\n"
            "1 error\n");
}

TEST(Environment, whole_reference_fills_numbers_durations_and_sizes) {
  const std::string job = with_line("[job]", "parallelism = \"${N}\"") +
                          "[state]\nmemory = \"${BYTES}\"\n[checkpoint]\ninterval = \"${EVERY}\"\n";
  const LoadResult good = load(job, {{"N", "7"}, {"BYTES", "33554432"}, {"EVERY", "20ms"}});
  ASSERT_EQ(render_text(good.diagnostics), "");
  EXPECT_EQ(good.spec->parallelism.value, 7);
  EXPECT_EQ(good.spec->state.memory_bytes.value, uint64_t{32} << 20);
  EXPECT_EQ(good.spec->checkpoint.interval_us.value, 20'000);
  const LoadResult bad = load(job, {{"N", "many"}, {"BYTES", "1"}, {"EVERY", "20"}});
  EXPECT_EQ(bad.diagnostics.error_count(), 3u) << render_text(bad.diagnostics);
  EXPECT_FALSE(load(with_line("[job]", "parallelism = \"7\"")).diagnostics.items().empty())
      << "a quoted number is a text";
}

TEST(Environment, missing_ones_may_be_allowed) {
  const std::string job = with_line("[job]", "parallelism = \"${N}\"") +
                          "[checkpoint]\ninterval = \"${EVERY}\"\n[log]\nlevel = \"${LEVEL}\"\n";
  EXPECT_EQ(load(job).diagnostics.error_count(), 3u);
  const LoadResult allowed = load(job, {}, true);
  EXPECT_EQ(render_text(allowed.diagnostics), "");
}

}  // namespace
}  // namespace tidemark::config
