// SPDX-License-Identifier: Apache-2.0
//
// Field case C04: whatever a plugin path names, there is one clear error with the cause, the full path and where
// the path was given; the other plugins go on; and it is never in doubt which copy is in use.
#include "core/plugin_host/plugin_catalog.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.hpp"
#include "core/plugin_host/plugin_loader.hpp"
#include "tests/unit/plugin_host/temporary_folder.hpp"

namespace tidemark::core {
namespace {

using test::TemporaryFolder;

const std::filesystem::path kPlugins = TIDEMARK_TEST_PLUGINS;

/// Gives up root's right to read everything, for as long as it lives.
class WithoutRoot {
 public:
  WithoutRoot() : was_root_(::geteuid() == 0) {
    if (was_root_) {
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  WithoutRoot(const WithoutRoot&) = delete;
  WithoutRoot& operator=(const WithoutRoot&) = delete;
  ~WithoutRoot() {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }

 private:
  bool was_root_;
};

PluginCatalog scan(const std::vector<PluginPlace>& places) {
  return PluginCatalog::scan(places);
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(PluginCatalog, case_C04_each_bad_file_is_one_error_and_the_others_go_on) {
  const TemporaryFolder folder;
  folder.copy(kPlugins / "csv.so", "a.so");
  folder.write("b_text.so", "hello, not a library");
  std::filesystem::create_directories(folder.path() / "c_folder.so");
  folder.copy(kPlugins / "not_a_plugin.so", "d_other.so");
  folder.write("e_cut.so", test::content_of(kPlugins / "older.so").substr(0, 3000));
  const auto locked = folder.copy(kPlugins / "older.so", "f_locked.so");
  ::chmod(locked.c_str(), 0);
  ::chmod(folder.path().c_str(), 0755);
  ASSERT_EQ(::mkfifo((folder.path() / "g_pipe.so").c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere.so", folder.path() / "h_link.so");
  folder.write("README.txt", "not looked at");
  folder.copy(kPlugins / "strict.so", "z.so");

  const WithoutRoot user;
  const PluginCatalog catalog = scan({{folder.path(), "job.toml:7:10", false}});
  ASSERT_EQ(catalog.plugins().size(), 2u);
  EXPECT_EQ(catalog.plugins()[0].name, "csv");
  EXPECT_EQ(catalog.plugins()[1].name, "strict");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"b_text.so", "not a shared library (no ELF header)"},
      {"c_folder.so", "it is a directory"},
      {"d_other.so", "not a tidemark plugin"},
      {"e_cut.so", "cut off or damaged"},
      {"f_locked.so", "Permission denied"},
      {"g_pipe.so", "not a regular file"},
      {"h_link.so", "no such file"}};
  ASSERT_EQ(catalog.problems().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const PluginProblem& problem = catalog.problems()[i];
    expect_parts(problem.status.message(),
                 {expected[i].second, (folder.path() / expected[i].first).string(), "(given by job.toml:7:10)"});
    EXPECT_EQ(problem.status.code(), Code::plugin);
  }
}

TEST(PluginCatalog, case_C04_a_path_may_be_a_file_and_starts_at_the_job_file) {
  const TemporaryFolder folder;
  folder.copy(kPlugins / "csv.so", "job/plugins/csv.so");
  const auto places = plugin_places({{"plugins/csv.so", "job.toml:3:9", false}, {"nowhere", "job.toml:3:27", false}},
                                    folder.path() / "job", "", folder.path() / "not_installed");
  const PluginCatalog catalog = scan(places);
  ASSERT_EQ(catalog.plugins().size(), 1u);
  EXPECT_EQ(catalog.plugins()[0].path, folder.path() / "job/plugins/csv.so");
  ASSERT_EQ(catalog.problems().size(), 1u) << "an absent install folder is no problem";
  expect_parts(catalog.problems()[0].status.message(),
               {"no plugin or plugin folder", (folder.path() / "job/nowhere").string(), "job.toml:3:27"});
}

TEST(PluginCatalog, case_C04_first_place_wins_and_says_so) {
  const TemporaryFolder folder;
  folder.copy(kPlugins / "csv.so", "new/csv.so");
  folder.copy(kPlugins / "csv.so", "old/csv_0_0_9.so");
  const auto places = plugin_places({{"new", "job.toml:3:9", false}}, folder.path(),
                                    (folder.path() / "old").string() + "::" + (folder.path() / "new").string(), {});
  const PluginCatalog catalog = scan(places);
  ASSERT_EQ(catalog.plugins().size(), 1u);
  EXPECT_EQ(catalog.plugins()[0].path, folder.path() / "new/csv.so");
  ASSERT_EQ(catalog.shadowed().size(), 1u) << "the same file found twice is not shadowed";
  EXPECT_EQ(catalog.shadowed()[0].info.path, folder.path() / "old/csv_0_0_9.so");
  EXPECT_EQ(catalog.shadowed()[0].used, folder.path() / "new/csv.so");

  set_log_level(LogLevel::info);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(load_plugin(catalog.plugins()[0]).is_ok());
  const std::string log = ::testing::internal::GetCapturedStderr();
  set_log_level(LogLevel::warning);
  expect_parts(log, {"plugin csv 0.1.0 in use: " + (folder.path() / "new/csv.so").string()});
}

TEST(PluginCatalog, case_C04_two_of_one_name_in_one_folder_are_an_error_for_that_name) {
  const TemporaryFolder folder;
  folder.copy(kPlugins / "csv.so", "one/csv.so");
  folder.copy(kPlugins / "csv.so", "one/csv_copy.so");
  folder.copy(kPlugins / "older.so", "one/older.so");
  folder.copy(kPlugins / "csv.so", "two/csv.so");
  const PluginCatalog catalog = scan({{folder.path() / "one", "here", false}, {folder.path() / "two", "there", false}});
  ASSERT_EQ(catalog.plugins().size(), 1u) << "a later place does not quietly stand in";
  EXPECT_EQ(catalog.plugins()[0].name, "older");
  ASSERT_EQ(catalog.problems().size(), 1u);
  expect_parts(catalog.problems()[0].status.message(),
               {"'csv' is twice in one folder", (folder.path() / "one/csv.so").string(),
                (folder.path() / "one/csv_copy.so").string(), "remove or rename"});
  const auto found = catalog.find("csv");
  expect_parts(found.status().message(), {"no usable plugin 'csv'", "twice in one folder", "plugins here: older"});
}

TEST(PluginCatalog, case_C04_a_missing_dependency_is_named_by_the_loader) {
  const auto info = read_plugin_info(kPlugins / "needy.so");
  ASSERT_TRUE(info.is_ok()) << "metadata needs no loading: " << info.status().message();
  const auto plugin = load_plugin(*info);
  ASSERT_FALSE(plugin.is_ok());
  expect_parts(plugin.status().message(),
               {"cannot load plugin needy", (kPlugins / "needy.so").string(), "libtidemark_test_absent.so",
                "cannot open shared object file: No such file or directory", "install the library"});
}

TEST(PluginCatalog, UnknownNamesListWhatThereIs) {
  const TemporaryFolder folder;
  folder.copy(kPlugins / "csv.so", "csv.so");
  folder.write("tsv.so", "text");
  const PluginCatalog catalog = scan({{folder.path(), "job.toml:3:9", false}});
  const auto found = catalog.find("tsv");
  EXPECT_EQ(found.status().code(), Code::config);
  expect_parts(found.status().message(), {"no usable plugin 'tsv'", "not a shared library", "plugins here: csv",
                                          "searched: " + folder.path().string(), "[plugins] paths"});
  ASSERT_TRUE(catalog.find("csv").is_ok());
}

}  // namespace
}  // namespace tidemark::core
