// SPDX-License-Identifier: Apache-2.0
//
// Options: typed reading, defaults of the declaration, and errors that name the option.
#include <gtest/gtest.h>
#include <tidemark/export.hpp>

namespace tidemark {
namespace {

constinit const tidemark_plugin_info kInfo =
    detail::make_info(TIDEMARK_PROVIDES_SOURCE, "demo", "1.0",
                      {{"path", "text", "", "File", kRequired}, {"wait", "duration", "5s", "Wait"}});

std::string failure_of(const auto& body) {
  try {
    body();
  } catch (const SourceError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Options, GivenValuesBeatDefaultsAndListsRepeat) {
  const tidemark_option given[] = {{detail::str_of("shards"), detail::str_of("a")},
                                   {detail::str_of("shards"), detail::str_of("b")}};
  const Options options(given, 2, &kInfo);
  EXPECT_EQ(options.list("shards"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.duration_us("wait"), 5'000'000);
  EXPECT_FALSE(options.has("wait"));
  EXPECT_EQ(options.text("other", "x"), "x");
  EXPECT_EQ(failure_of([&] { options.text("path"); }), "option is missing: 'path'; add it to the source");
}

TEST(Options, MalformedValuesNameOptionAndForm) {
  const Options options{{"n", "12x"}, {"d", "5"}, {"b", "yes"}, {"s", "3 MB"}, {"t", "2026-02-30T00:00:00Z"}};
  EXPECT_EQ(failure_of([&] { options.integer("n"); }), "option 'n' is not a whole number: '12x'");
  EXPECT_NE(failure_of([&] { options.duration_us("d"); }).find("'d' is not a length of time"), std::string::npos);
  EXPECT_NE(failure_of([&] { options.boolean("b"); }).find("true or false"), std::string::npos);
  EXPECT_NE(failure_of([&] { options.size_bytes("s"); }).find("64MiB"), std::string::npos);
  EXPECT_NE(failure_of([&] { options.timestamp_us("t"); }).find("2026-01-31T12:00:00Z"), std::string::npos);
}

TEST(Options, UnitsAndTimes) {
  EXPECT_EQ(parse_duration_us("1m30s"), 90'000'000);
  EXPECT_EQ(parse_duration_us("0.5s"), 500'000);
  EXPECT_EQ(parse_duration_us("500"), std::nullopt);
  EXPECT_EQ(parse_duration_us(""), std::nullopt);
  EXPECT_EQ(parse_duration_us("s"), std::nullopt);
  EXPECT_EQ(parse_timestamp_us("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_timestamp_us("1969-12-31T23:59:59.5Z"), -500'000);
  EXPECT_EQ(parse_timestamp_us("2026-03-29T02:00:00.25+02:00"), 1'774'742'400'250'000);
  EXPECT_EQ(parse_timestamp_us("2024-02-29T00:00:00Z"), 1'709'164'800'000'000);
  EXPECT_EQ(parse_timestamp_us("2026-03-29T00:00:00"), std::nullopt);
  EXPECT_EQ((Options{{"s", "64MiB"}}.size_bytes("s")), 64u << 20);
  EXPECT_EQ((Options{{"s", "10kB"}}.size_bytes("s")), 10'000u);
}

TEST(Options, MetadataIsPlainDataOfCompileTime) {
  EXPECT_STREQ(kInfo.name, "demo");
  EXPECT_EQ(kInfo.option_count, 2u);
  EXPECT_EQ(kInfo.options[0].required, 1u);
  EXPECT_STREQ(kInfo.options[1].default_value, "5s");
}

}  // namespace
}  // namespace tidemark
