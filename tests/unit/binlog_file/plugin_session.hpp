// SPDX-License-Identifier: Apache-2.0
// The binlog_file plugin, loaded from its .so and driven through the C ABI alone, with FakeHost as the host.
//
// Invariants: batches are small (8 rows), so that transactions and update pairs meet their ends; every error is text.
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/sdk/fake_host.hpp"

namespace tidemark::test {

using OptionList = std::vector<std::pair<std::string, std::string>>;

/// A row as the host got it.
struct GotRow {
  /// "+ a=1 b=NULL": + insert, - delete, < before, > after, ! unread, T truncate; "b=?": absent.
  std::string text;
  uint64_t sequence = 0;
  int64_t event_time_us = 0;
  std::string origin;   ///< "gtid file db.table position"
  std::string problem;  ///< why it is not to be counted; "" = it is
  size_t batch = 0;     ///< index of the batch it came in
};

class PluginSource {
 public:
  explicit PluginSource(const OptionList& options);
  ~PluginSource();
  PluginSource(const PluginSource&) = delete;
  PluginSource& operator=(const PluginSource&) = delete;

  struct ColumnInfo {
    std::string name;
    uint32_t type;
  };

  /// Of create(); "" = it worked.
  const std::string& error() const { return error_; }
  int32_t code() const { return code_; }
  /// Runs schema(); on failure gives "" and sets error().
  const std::vector<ColumnInfo>& schema();
  /// "name:type ..." with types of abi.h as numbers.
  std::string schema_text();
  /// "a, b", or why there is none.
  std::string key_text();
  /// (id, note).
  std::vector<std::pair<std::string, std::string>> splits();
  std::vector<std::string> logged() const { return log_.notes(); }

  const tidemark_source_api& api() const { return api_; }
  void* raw() const { return source_; }

 private:
  tidemark_source_api api_{};
  FakeHost log_{0};
  void* source_ = nullptr;
  std::string error_;
  int32_t code_ = TIDEMARK_OK;
  std::vector<ColumnInfo> columns_;
};

/// A reader with all columns of the schema.
class PluginReader {
 public:
  PluginReader(PluginSource& source, uint32_t row_capacity = 8, uint32_t event_time = TIDEMARK_COMMIT_TIME,
               uint32_t wants = 0);
  ~PluginReader();
  PluginReader(const PluginReader&) = delete;
  PluginReader& operator=(const PluginReader&) = delete;

  void add(uint32_t split, const std::string& id, const std::string& position = {});
  void no_more_splits();
  void pause(uint32_t split, bool paused);
  /// One poll; rows so far are in rows(split).
  int32_t poll();
  /// Polls until the end, an error, or a poll with nothing to read.
  int32_t run();
  std::string position(uint32_t split);

  const std::vector<GotRow>& rows(uint32_t split) { return rows_[split]; }
  std::vector<std::string> texts(uint32_t split);
  const std::string& error() const { return error_; }
  std::vector<std::string> logged() const { return host_.notes(); }
  FakeHost& host() { return host_; }

 private:
  void collect();
  std::string cell_text(const FakeBatch& batch, uint32_t column, uint32_t row) const;

  PluginSource& source_;
  FakeHost host_;
  void* reader_ = nullptr;
  std::string error_;
  std::map<uint32_t, std::vector<GotRow>> rows_;
  size_t batches_ = 0;
};

/// All rows of one split from the start, as text; an error is the last entry.
std::vector<std::string> read_all(const OptionList& options, const std::string& split_id);

}  // namespace tidemark::test
