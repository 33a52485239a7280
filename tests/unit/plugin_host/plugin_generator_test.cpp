// SPDX-License-Identifier: Apache-2.0
//
// Watermark generators of plugins: the author's example, the bad fixture with each of its faults, and a library that
// claims a generator and lacks it. What a generator says wrongly ends in one error with plugin and split, or in a
// watermark that stays where it was.
#include "core/plugin_host/plugin_generator.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "core/event_time/split_progress.hpp"
#include "core/plugin_host/plugin_catalog.hpp"
#include "core/plugin_host/plugin_source.hpp"
#include "tests/unit/plugin_host/plugin_run.hpp"

namespace tidemark::core {
namespace {

using test::load_file;

const std::filesystem::path kPlugins = TIDEMARK_TEST_PLUGINS;

Result<std::unique_ptr<WatermarkGenerator>> make(const char* plugin, const PluginOptions& options) {
  return PluginGenerator::create(load_file(kPlugins / plugin), options, "shard-1");
}

std::unique_ptr<WatermarkGenerator> bad(const std::string& does) {
  auto made = make("bad_generator.so", {{"does", does}});
  EXPECT_TRUE(made.is_ok()) << made.status().message();
  return *std::move(made);
}

Micros feed(WatermarkGenerator& generator, const std::vector<Micros>& times, const std::vector<uint8_t>& markers = {}) {
  generator.on_batch({times, markers});
  return generator.periodic();
}

TEST(PluginGenerator, TheAuthorsExampleLearnsItsBound) {
  auto made = make("percentile_watermark.so", {{"percentile", "50"}, {"rows", "4"}});
  ASSERT_TRUE(made.is_ok()) << made.status().message();
  WatermarkGenerator& generator = **made;
  EXPECT_EQ(generator.periodic(), kNoTime);
  EXPECT_EQ(feed(generator, {kNoTime}), kNoTime);
  EXPECT_EQ(feed(generator, {100}), 99);
  EXPECT_EQ(feed(generator, {90, 80, 100}), 99) << "delays 0 10 20 0: the median of four is the lower of the middle";
  EXPECT_EQ(feed(generator, {70, 60}), 79) << "delays 30 40 20 0";

  auto other = make("percentile_watermark.so", {{"percentile", "50"}, {"rows", "4"}});
  (*other)->restore(generator.snapshot());
  EXPECT_EQ((*other)->periodic(), 79);
  EXPECT_EQ(feed(**other, {100}), feed(generator, {100}));
  EXPECT_EQ((*other)->snapshot(), generator.snapshot());

  auto smaller = make("percentile_watermark.so", {{"percentile", "50"}, {"rows", "2"}});
  (*smaller)->restore(generator.snapshot());
  EXPECT_TRUE((*smaller)->failure().is_ok());
  EXPECT_EQ((*smaller)->periodic(), 99);
  EXPECT_EQ(feed(**smaller, {95, 90}), 94) << "delays 5 and 10: the last two rows";
}

TEST(PluginGenerator, OptionsThatThePluginRefusesAreItsOwnWords) {
  const auto made = make("percentile_watermark.so", {{"percentile", "0"}});
  EXPECT_EQ(made.status().code(), Code::config);
  EXPECT_EQ(made.status().message(),
            "plugin percentile_watermark, split shard-1: option 'percentile' is not above 0 and at most 100: '0'");
  EXPECT_EQ(make("bad_generator.so", {{"does", "none"}}).status().code(), Code::config);
}

TEST(PluginGenerator, MarkersReachIt) {
  const auto generator = bad("good");
  EXPECT_EQ(feed(*generator, {5, 6, 7}), kNoTime);
  EXPECT_EQ(feed(*generator, {5, 6, 7}, {0, 1, 0}), 6);
}

TEST(PluginGenerator, AnErrorIsKeptWithPluginAndSplitAndNothingIsCalledAfterIt) {
  const auto generator = bad("throws");
  feed(*generator, {5});
  EXPECT_EQ(generator->failure().code(), Code::plugin);
  EXPECT_EQ(generator->failure().message(), "plugin bad_generator, split shard-1: it had enough of rows");
  feed(*generator, {9});
  generator->on_tick(7);
  EXPECT_EQ(generator->snapshot(), "");
  EXPECT_EQ(generator->periodic(), kNoTime);

  const auto tick = bad("tick");
  tick->on_tick(7);
  EXPECT_EQ(tick->failure().message(), "plugin bad_generator, split shard-1: no time: '7'; wait");
  const auto no_snapshot = bad("no_snapshot");
  no_snapshot->snapshot();
  EXPECT_NE(no_snapshot->failure().message().find("not a std::exception"), std::string::npos);
  const auto no_restore = bad("no_restore");
  no_restore->restore(bad("good")->snapshot());
  EXPECT_EQ(no_restore->failure().code(), Code::state);
}

TEST(PluginGenerator, WithoutExceptionsToo) {
  auto made = make("strict_generator.so", {{"most", "10"}});
  ASSERT_TRUE(made.is_ok()) << made.status().message();
  EXPECT_EQ(feed(**made, {7}), 7);
  EXPECT_EQ(feed(**made, {11}), 7);
  EXPECT_EQ((*made)->failure().message(), "plugin strict_generator, split shard-1: too far: '11'");
  EXPECT_EQ(make("strict_generator.so", {}).status().code(), Code::config);
}

TEST(PluginGenerator, AWatermarkThatStepsBackMovesNothing) {
  SplitProgress split(0, {}, bad("back"), 0);
  const auto rows = [&](Micros time) { return split.on_batch({std::span(&time, 1)}, 0); };
  EXPECT_EQ(rows(20)->watermark, 20);
  EXPECT_FALSE(rows(10));
  EXPECT_EQ(rows(kEndOfTime)->watermark, kEndOfTime - 1) << "only finishing is the end";
  EXPECT_FALSE(rows(30));
}

TEST(PluginGenerator, StateOfAnotherGeneratorIsLeftAlone) {
  const auto generator = bad("no_restore");
  for (const std::string& state : {std::string(), encode_time(GeneratorState::rows, 5), std::string("p"),
                                   (*make("strict_generator.so", {{"most", "1"}}))->snapshot()}) {
    generator->restore(state);
    EXPECT_TRUE(generator->failure().is_ok());
    EXPECT_EQ(generator->periodic(), kNoTime);
  }
}

TEST(PluginGenerator, WhatALibraryProvidesIsKnownWithoutLoading) {
  const std::vector<PluginPlace> places = {{kPlugins, "the test", false}};
  const PluginCatalog catalog = PluginCatalog::scan(places);
  const PluginInfo& both = **catalog.find("bad_generator");
  EXPECT_TRUE(both.provides(PluginKind::source) && both.provides(PluginKind::generator));
  EXPECT_TRUE(both.find_option("does")->is_of(PluginKind::generator));
  EXPECT_FALSE(both.find_option("does")->is_of(PluginKind::source));
  EXPECT_FALSE((*catalog.find("percentile_watermark"))->provides(PluginKind::source));
  EXPECT_FALSE((*catalog.find("older"))->provides(PluginKind::generator)) << "an older info is a source's";
  EXPECT_NE(std::string(catalog.find("older", PluginKind::generator).status().message())
                .find("provides no watermark generator; watermark generators here: bad_generator percentile_watermark"),
            std::string::npos)
      << catalog.find("older", PluginKind::generator).status().message();
  EXPECT_NE(catalog.find("strict_generator", PluginKind::source).status().message().find("provides no source"),
            std::string::npos);
}

int32_t empty_entry(const tidemark_host*, tidemark_source_api*, tidemark_error*) {
  return TIDEMARK_OK;
}

int32_t half_entry(const tidemark_host*, tidemark_source_api* api, tidemark_error*) {
  static tidemark_generator_api table{};
  table.struct_size = offsetof(tidemark_generator_api, snapshot);
  table.create = [](const tidemark_host*, tidemark_str, const tidemark_option*, uint64_t, tidemark_error*) -> void* {
    return nullptr;
  };
  table.destroy = [](void*) {};
  table.on_batch = [](void*, const tidemark_row_times*, int64_t*, tidemark_error*) -> int32_t { return TIDEMARK_OK; };
  api->generator = &table;
  return TIDEMARK_OK;
}

// One that gives NULL without a word is an error as well.
int32_t mute_entry(const tidemark_host*, tidemark_source_api* api, tidemark_error* error) {
  static tidemark_generator_api table{};
  half_entry(nullptr, api, error);
  table = *api->generator;
  table.struct_size = sizeof table;
  table.snapshot = [](void*, tidemark_bytes_out, tidemark_error*) -> int32_t { return TIDEMARK_OK; };
  table.restore = [](void*, tidemark_str, tidemark_error*) -> int32_t { return TIDEMARK_OK; };
  api->generator = &table;
  return TIDEMARK_OK;
}

TEST(PluginGenerator, ALibraryThatLacksWhatItClaimsIsRefused) {
  PluginInfo info;
  info.name = "hollow";
  info.kinds = static_cast<uint32_t>(PluginKind::generator);
  EXPECT_NE(negotiate(info, empty_entry).status().message().find("it lacks generator.create, generator.destroy"),
            std::string::npos);
  EXPECT_NE(negotiate(info, half_entry).status().message().find("it lacks generator.snapshot, generator.restore"),
            std::string::npos);
  const auto mute = negotiate(info, mute_entry);
  ASSERT_TRUE(mute.is_ok()) << mute.status().message();
  const auto made = PluginGenerator::create(*mute, {}, "s");
  EXPECT_EQ(made.status().message(), "plugin hollow, split s: it gave no reason");
}

}  // namespace
}  // namespace tidemark::core
