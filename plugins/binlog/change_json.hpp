// SPDX-License-Identifier: Apache-2.0
// Row changes as JSON, one line each, for people and scripts (`tidemark binlog cat`).
//
// Spellings: integers beyond 2^53 and all decimals as strings; NULL as null; columns that are not in the row image
// left out; ENUM and SET as text (as numbers where the strings are not known); BIT and YEAR as numbers; dates and
// times as the server writes them, TIMESTAMP in UTC; bytes as "0x" and hex digits; MySQL's JSON documents as JSON, as
// the server prints them (MariaDB's JSON is text there and here). A document changed in part is shown whole where the
// before image has it, else as {"patch": [{"op": "replace", "path": "$.a", "value": 1}, ...]}, with "insert" and
// "remove" beside "replace". What is not decoded is shown as an object: {"undecoded": "0x..."} for a cell as it stands
// in the log, {"json_binary": "0x..."} for a damaged JSON document, {"not_utf8": "0x..."} for text that is not what its
// charset says.
// Invariant: each line is one valid JSON document in UTF-8.
// Thread: any; no state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/cell.hpp"
#include "binlog/row_images.hpp"
#include "binlog/transaction_reader.hpp"

namespace tidemark::binlog {

/// Appends "text" with JSON's escapes; `text` must be UTF-8.
void append_json_string(std::string& out, std::string_view text);
/// The same for any bytes: {"not_utf8": "0x..."} where they are not UTF-8.
void append_json_text(std::string& out, std::string_view text);
void append_json_value(std::string& out, const Value& value);

/// Microseconds since the epoch as "2026-03-29T00:00:00.000000Z".
std::string rfc3339_utc(int64_t time_us);

/// Where a change stands.
struct ChangePlace {
  std::string_view file;  ///< name of the file
  uint64_t position = 0;  ///< of the rows event; in a compressed transaction that of the whole
  const GroupInfo* group = nullptr;
};

/// Writes changes of one table version; keeps its decoding buffer.
class ChangeJson {
 public:
  ChangeJson(const TableMap& map, const TableSchema* schema) : map_(&map), facts_(column_facts(map, schema)) {}

  /// Appends one line with its line break. `after` is set for updates, with `image` as the before image. Gives what
  /// columns could not be decoded and were shown as they stand, empty = none.
  void append(std::string& out, const ChangePlace& place, const RowImage& image, const RowImage* after);

  /// "column note: ..." for each column that could not be decoded so far; taken once.
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  /// `before`: the before image of an update's after image.
  void append_image(std::string& out, std::string_view key, const RowImage& image, const RowImage* before);
  void append_cell(std::string& out, size_t column, const CellView& cell);
  void append_changed_json(std::string& out, size_t column, const CellView& cell, const CellView& base);
  void note(size_t column, const std::string& text);

  const TableMap* map_;
  std::vector<ColumnFacts> facts_;
  std::vector<bool> noted_ = std::vector<bool>(facts_.size());
  std::vector<std::string> notes_;
  Value value_;
};

}  // namespace tidemark::binlog
