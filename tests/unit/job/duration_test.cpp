// SPDX-License-Identifier: Apache-2.0
//
// Durations and sizes in job files: units are required, nothing is guessed, and what is refused is named.
#include "config/job/effective.hpp"
#include "config/job/units.hpp"
#include "job_text.hpp"

namespace tidemark::config {
namespace {

using test::findings;
using test::load;
using test::with_line;
using test::with_watermark;

struct Spelling {
  const char* written;
  int64_t micros;    // -1: refused
  const char* says;  // in the message when refused, in the effective values when taken
};

class DurationSpelling : public testing::TestWithParam<Spelling> {};

TEST_P(DurationSpelling, case_C02_units_are_required_and_effective_values_printed) {
  const Spelling& spelling = GetParam();
  const LoadResult result = load(with_watermark("idle_timeout = " + std::string(spelling.written)));
  ASSERT_TRUE(result.spec);
  const std::string text = render_text(result.diagnostics);
  if (spelling.micros < 0) {
    EXPECT_EQ(result.diagnostics.error_count(), 1u) << text;
    EXPECT_NE(text.find("job.toml:7:"), std::string::npos) << text;
    EXPECT_NE(text.find(spelling.says), std::string::npos) << text;
    EXPECT_NE(text.find("idle_timeout"), std::string::npos) << text;
    return;
  }
  EXPECT_EQ(text, "");
  EXPECT_EQ(result.spec->sources[0].watermark.idle_timeout_us.value, spelling.micros);
  EXPECT_NE(describe_effective(*result.spec).find(spelling.says), std::string::npos)
      << describe_effective(*result.spec);
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, DurationSpelling,
    testing::Values(Spelling{"5", -1, "a duration needs a unit"}, Spelling{"\"5\"", -1, "a duration needs a unit"},
                    Spelling{"\"5s\"", 5'000'000, "idle_timeout 5s,"},
                    Spelling{"\"5000ms\"", 5'000'000, "idle_timeout 5s,"}, Spelling{"\"5 s\"", -1, "write \"5s\""},
                    Spelling{"\"0.5s\"", 500'000, "idle_timeout 500ms,"},
                    Spelling{"\"5m\"", 300'000'000, "idle_timeout 5m,"},
                    Spelling{"\"-5s\"", -1, "`idle_timeout` = \"-5s\" is out of range"},
                    Spelling{"\"0\"", -1, "a duration needs a unit"}, Spelling{"\"0s\"", -1, "allowed: 1ms to 36500d"},
                    Spelling{"\"1h30m\"", 5'400'000'000, "idle_timeout 1h30m,"},
                    Spelling{"1e3", -1, "a duration needs a unit"}, Spelling{"\"1e3\"", -1, "a duration needs a unit"},
                    Spelling{"\"300y\"", -1, "unknown unit `y` in the duration of `idle_timeout`"},
                    Spelling{"\"300000d\"", -1, "`idle_timeout` = \"300000d\" is out of range"},
                    Spelling{"\"9999999999999999999d\"", -1, "is out of range"},
                    Spelling{"\"1ns\"", -1, "less than a microsecond"}, Spelling{"\"\"", -1, "is not a duration"},
                    Spelling{"\"5s later\"", -1, "is not a duration"}, Spelling{"\"1m5\"", -1, "needs a unit"},
                    Spelling{"[\"5s\"]", -1, "must be a duration, not a list"}));

TEST(Duration, case_C02_without_quotes_is_explained) {
  EXPECT_EQ(findings(with_watermark("idle_timeout = 5s")),
            "job.toml:7:16: error[F002]: `5s` without quotes: durations are quoted strings\n"
            "    7 | idle_timeout = 5s\n"
            "      |                ^^ write \"5s\"\n"
            "\n"
            "1 error\n");
}

TEST(Size, powers_of_1024_and_of_1000_differ) {
  EXPECT_EQ(read_size("64MiB").bytes, uint64_t{64} << 20);
  EXPECT_EQ(read_size("64MB").bytes, 64'000'000u);
  EXPECT_EQ(read_size("64Mb").problem, UnitProblem::unknown_unit);
  EXPECT_EQ(read_size("64").problem, UnitProblem::no_unit);
  EXPECT_EQ(read_size("64 MB").problem, UnitProblem::spaces);
  EXPECT_EQ(read_size("99999999999TiB").problem, UnitProblem::too_large);
  EXPECT_EQ(read_size("").problem, UnitProblem::malformed);
  EXPECT_EQ(read_size("-1B").problem, UnitProblem::malformed);
  EXPECT_EQ(format_size(uint64_t{3} << 30), "3GiB");
  EXPECT_EQ(format_size(1'500'000), "1500kB");
}

TEST(Size, integers_are_bytes_and_ranges_hold) {
  const std::string job = test::smallest_job();
  EXPECT_EQ(load(job + "[state]\nmemory = 33554432\n").spec->state.memory_bytes.value, uint64_t{32} << 20);
  EXPECT_EQ(findings(job + "[state]\nmemory = \"1KB\"\n"),
            "job.toml:18:11: error[F007]: `memory` = \"1KB\" is out of range\n"
            "   18 | memory = \"1KB\"\n"
            "      |           ^^^ allowed: 16MiB to 16TiB\n"
            "\n"
            "1 error\n");
  EXPECT_NE(findings(job + "[state]\nmemory = -1\n").find("`memory` = -1 is out of range"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::config
