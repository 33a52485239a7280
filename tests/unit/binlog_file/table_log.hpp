// SPDX-License-Identifier: Apache-2.0
// Binlogs with tables of any few columns, on top of BinlogBuilder: what tests of the binlog_file plugin read.
//
// Invariants: rows are written as MySQL does (v2 row events, FULL image, no optional metadata, so that names must come
// from the DDL in the log); each transaction is GTID, BEGIN, TABLE_MAP, rows, XID with its own commit time.
// One thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/binlog/binlog_builder.hpp"

namespace tidemark::test {

/// A value: NULL, an integer (INT or BIGINT by the table), or text.
struct Cell {
  Cell() = default;
  Cell(int64_t value) : is_null(false), number(value) {}                   // NOLINT: implicit by design
  Cell(const char* value) : is_null(false), is_text(true), text(value) {}  // NOLINT: implicit by design

  bool is_null = true;
  bool is_text = false;
  int64_t number = 0;
  std::string text;
};
using Cells = std::vector<Cell>;

/// A table as its TABLE_MAP shows it: one letter per column, i = INT, b = BIGINT, s = VARCHAR(20) utf8mb4,
/// t = TEXT, e = ENUM of up to 255 members (by number).
struct LogTable {
  std::string name;
  std::string types;
  std::string database = "db";
  uint64_t id = 7;
  uint8_t not_null = 0;  ///< bits of the first columns
};

/// First commit time; each transaction is one second later.
inline constexpr int64_t kFirstCommitUs = 1'700'000'000'000'000;

binlog::Bytes table_map_body(const LogTable& table);
binlog::Bytes rows_body(const LogTable& table, const std::vector<Cells>& rows, bool update);
/// The same for images that hold the columns of `present` (bit 0 is the first) alone: cells of the others are not
/// there. update: `rows` are before and after images in turn, the after images with the columns of `present_after`.
binlog::Bytes partial_rows_body(const LogTable& table, const std::vector<Cells>& rows, uint8_t present,
                                std::optional<uint8_t> present_after = std::nullopt);

class TableLog {
 public:
  explicit TableLog(binlog::BuilderOptions options = {}) : log(std::move(options)) {}

  /// A statement as a group of its own; gives its position.
  uint64_t ddl(std::string_view sql, std::string_view database = "db");
  /// A transaction; gives its position.
  uint64_t insert(const LogTable& table, const std::vector<Cells>& rows);
  /// `rows`: before and after images, in turn.
  uint64_t update(const LogTable& table, const std::vector<Cells>& rows);
  uint64_t remove(const LogTable& table, const std::vector<Cells>& rows);
  /// A transaction of one event with partial images.
  uint64_t partial(binlog::EventType type, const LogTable& table, const std::vector<Cells>& rows, uint8_t present,
                   std::optional<uint8_t> present_after = std::nullopt);
  uint64_t rotate(std::string_view next);
  uint64_t gtid();
  /// Commit time of the last transaction.
  int64_t commit_time_us() const { return kFirstCommitUs + static_cast<int64_t>(number_ - 1) * 1'000'000; }

  void write(const std::filesystem::path& file) const { log.write(file); }

  binlog::BinlogBuilder log;

 private:
  uint64_t change(binlog::EventType type, const LogTable& table, const std::vector<Cells>& rows);

  uint64_t number_ = 0;
};

}  // namespace tidemark::test
