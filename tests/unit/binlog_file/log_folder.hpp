// SPDX-License-Identifier: Apache-2.0
// The fixture of the binlog_file tests: a fresh folder of binlogs that is read through the plugin, and what several of
// them ask of texts, files and readers.
//
// Invariant: waiting ends, after two seconds at most.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/corpora_files.hpp"
#include "tests/unit/binlog_file/plugin_session.hpp"
#include "tests/unit/binlog_file/table_log.hpp"

namespace tidemark::test {

using Texts = std::vector<std::string>;
inline const LogTable kT{"t", "ii"};
inline const binlog::BuilderOptions kInUse{"8.4.3", true, true, 0};
inline const binlog::BuilderOptions kServerStart{"8.4.3", true, false, 1'000'000'000};

bool contains(const std::string& text, std::string_view part);
bool any_contains(const Texts& texts, std::string_view part);
/// The same file with another time in its first event, as after a RESET or of a restored server; put in by a rename.
void write_with_other_first_event(const std::string& file);
/// Polls a following reader until it has so many rows, or fails, or two seconds are over.
size_t wait_for_rows(PluginReader& reader, size_t rows);
/// Polls a following reader until it fails: the error, "" if it does not within two seconds.
std::string wait_for_error(PluginReader& reader);
/// Two files: DDL in between, a transaction larger than a batch, update pairs, a table that does not match, an empty
/// transaction.
void write_resume_log(const std::filesystem::path& folder);

class BinlogFile : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Options for all files of the folder as one shard.
  OptionList options(OptionList more = {}) const {
    more.emplace_back("shards", folder_.string());
    return more;
  }
  Texts read(OptionList more = {}) const { return read_all(options(std::move(more)), folder_.string()); }

  std::filesystem::path folder_ =
      fresh_folder(std::string("binlog_file_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

}  // namespace tidemark::test
