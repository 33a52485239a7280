// SPDX-License-Identifier: Apache-2.0
//
// Plugins as the core's Source and Reader: the author's example end to end, plugins of other compilers, languages
// and ABI minors, and errors with their codes.
#include "core/plugin_host/plugin_source.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/plugin_host/plugin_run.hpp"
#include "tests/unit/plugin_host/temporary_folder.hpp"

namespace tidemark::core {
namespace {

using test::load_file;
using test::open_source;
using test::OpenedSource;
using test::SplitResult;
using test::TemporaryFolder;

const std::filesystem::path kPlugins = TIDEMARK_TEST_PLUGINS;

Status add_all(OpenedSource& opened, const std::string& position = {}) {
  const auto found = opened.source->discover();
  if (!found) return found.status();
  std::vector<SplitAssignment> splits;
  for (const FoundSplit& split : found->splits)
    splits.push_back({static_cast<SplitId>(splits.size()), split.id, position});
  if (Status status = opened.reader->add_splits(splits); !status) return status;
  return opened.reader->notify_no_more_splits();
}

void expect_csv_works(const std::filesystem::path& plugin) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.csv", "10,alice,5\n20,bob,-7\n30,,9223372036854775807\n");
  OpenedSource opened = open_source(load_file(plugin), {{"path", file.string()}});
  ASSERT_TRUE(add_all(opened).is_ok());
  EXPECT_TRUE(opened.source->can_pause_splits());
  EXPECT_TRUE(opened.source->is_bounded());
  ASSERT_TRUE(opened.poll_to_end().is_ok());
  const SplitResult& split = opened.output->splits[0];
  EXPECT_EQ(split.rows, (std::vector<std::string>{"alice,5", "bob,-7", ",9223372036854775807"}));
  EXPECT_EQ(split.sequences, (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(split.signals, "F");
}

TEST(PluginSource, TheAuthorsExampleRuns) {
  expect_csv_works(kPlugins / "csv.so");
}

#ifdef TIDEMARK_TEST_CLANG_PLUGIN
TEST(PluginSource, TheAuthorsExampleBuiltByClangRuns) {
  expect_csv_works(kPlugins / "csv_clang.so");
}
#endif

TEST(PluginSource, OnlyProjectedColumnsInTheJobsOrder) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.csv", "10,alice,5\n20,bob,-7\n");
  OpenedSource opened = open_source(load_file(kPlugins / "csv.so"), {{"path", file.string()}}, {1});
  ASSERT_TRUE(add_all(opened).is_ok());
  ASSERT_TRUE(opened.poll_to_end().is_ok());
  EXPECT_EQ(opened.output->splits[0].rows, (std::vector<std::string>{"5", "-7"}));
}

TEST(PluginSource, ResumesAtAPositionWithTheSameNumbers) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 10'000; ++i)
    lines += std::to_string(i) + ",k" + std::to_string(i) + "," + std::to_string(i) + "\n";
  const PluginOptions options = {{"path", folder.write("a.csv", lines).string()}};
  const auto plugin = load_file(kPlugins / "csv.so");
  OpenedSource whole = open_source(plugin, options);
  ASSERT_TRUE(add_all(whole).is_ok());
  ASSERT_TRUE(whole.poll_to_end().is_ok());

  OpenedSource first = open_source(plugin, options);
  ASSERT_TRUE(add_all(first).is_ok());
  ASSERT_TRUE(first.reader->poll_next(*first.output).is_ok());
  const auto position = first.reader->snapshot_split(0);
  ASSERT_TRUE(position.is_ok());
  const size_t rows_before = first.output->splits[0].rows.size();
  EXPECT_EQ(rows_before, kBatchRows);

  OpenedSource second = open_source(plugin, options);
  ASSERT_TRUE(add_all(second, *position).is_ok());
  ASSERT_TRUE(second.poll_to_end().is_ok());
  SplitResult joined = first.output->splits[0];
  const SplitResult& rest = second.output->splits[0];
  joined.rows.insert(joined.rows.end(), rest.rows.begin(), rest.rows.end());
  joined.sequences.insert(joined.sequences.end(), rest.sequences.begin(), rest.sequences.end());
  EXPECT_EQ(joined.rows, whole.output->splits[0].rows);
  EXPECT_EQ(joined.sequences, whole.output->splits[0].sequences);
}

TEST(PluginSource, ErrorsNamePluginAndSplit) {
  const TemporaryFolder folder;
  const auto plugin = load_file(kPlugins / "csv.so");
  const auto none = PluginSource::create(plugin, {});
  EXPECT_EQ(none.status().code(), Code::config);
  EXPECT_EQ(none.status().message(), "plugin csv: option is missing: 'path'; add it to the source");

  OpenedSource absent = open_source(plugin, {{"path", "/nowhere/a.csv"}});
  const Status status = add_all(absent);
  EXPECT_EQ(status.code(), Code::io);
  EXPECT_EQ(status.message(), "plugin csv, split /nowhere/a.csv: cannot open: '/nowhere/a.csv'");

  const auto file = folder.write("a.csv", "10,alice,5\nno commas\n");
  OpenedSource bad = open_source(plugin, {{"path", file.string()}});
  ASSERT_TRUE(add_all(bad).is_ok());
  const Status failed = bad.poll_to_end();
  EXPECT_EQ(failed.code(), Code::data);
  EXPECT_EQ(failed.message(), "plugin csv, split " + file.string() + ": not 3 fields: 'no commas' (after position 11)");
  EXPECT_EQ(bad.output->splits[0].rows.size(), 1u) << "the good row before it is not lost";
}

TEST(PluginSource, ATableOfAnOlderMinorInPlainCGetsStubs) {
  const auto plugin = load_file(kPlugins / "older.so");
  ASSERT_NE(plugin, nullptr);
  EXPECT_LT(plugin->api.struct_size, sizeof(tidemark_source_api));
  OpenedSource opened = open_source(plugin, {});
  ASSERT_TRUE(add_all(opened).is_ok()) << "an absent notify_no_more_splits is no error";
  EXPECT_TRUE(opened.source->is_bounded()) << "features of the table";
  ASSERT_TRUE(opened.poll_to_end().is_ok());
  EXPECT_EQ(opened.output->splits[0].rows, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  EXPECT_TRUE(opened.reader->notify_checkpoint_complete(3).is_ok());
  opened.reader->wake_up();
  const std::vector<SplitId> split = {0};
  const Status paused = opened.reader->pause_or_resume_splits(split, {});
  EXPECT_EQ(paused.code(), Code::unsupported);
  EXPECT_EQ(paused.message(), "plugin older: the plugin has no pause_or_resume_splits");
}

TEST(PluginSource, APluginWithoutExceptionsReportsErrors) {
  const auto plugin = load_file(kPlugins / "strict.so");
  OpenedSource good = open_source(plugin, {});
  ASSERT_TRUE(add_all(good).is_ok());
  EXPECT_TRUE(good.poll_to_end().is_ok());
  OpenedSource bad = open_source(plugin, {{"fails", "true"}});
  ASSERT_TRUE(add_all(bad).is_ok());
  const Status status = bad.poll_to_end();
  EXPECT_EQ(status.code(), Code::data);
  EXPECT_EQ(status.message(), "plugin strict, split a: row 3 is bad: '3' (after position 3)");
  EXPECT_EQ(bad.output->splits[0].rows.size(), 3u);
  const auto wrong = PluginSource::create(plugin, {{"fails", "perhaps"}});
  EXPECT_EQ(wrong.status().message(), "plugin strict: option 'fails' is not true or false: 'perhaps'");
}

TEST(PluginSource, LibrariesAreLoadedOnce) {
  EXPECT_EQ(load_file(kPlugins / "csv.so"), load_file(kPlugins / "csv.so"));
}

}  // namespace
}  // namespace tidemark::core
