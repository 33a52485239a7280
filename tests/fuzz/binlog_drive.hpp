// SPDX-License-Identifier: Apache-2.0
// Reads binlog bytes in every way the product does, for the fuzz targets: transactions, schemas from the log,
// row images, column programs, JSON lines. Ends the process where two ways disagree.
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "binlog/cell.hpp"
#include "binlog/column_program.hpp"
#include "binlog/rows_event.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/table_map.hpp"

namespace tidemark::fuzz {

/// A file in memory, with a path that FileReader can open. Rewritten for each input.
class MemoryFile {
 public:
  MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  void write(std::span<const uint8_t> bytes);
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

/// The file as transactions, then as statements, then as JSON lines.
void read_binlog(const std::string& path);

/// Reads rows events of one TABLE_MAP: row images with their cells decoded, and a column program with small outputs.
/// Both must find the same number of images; and the program finds them too where it may set rows aside.
class RowsReader {
 public:
  /// `schema` may be null.
  RowsReader(std::shared_ptr<const binlog::TableMap> map, std::shared_ptr<const binlog::TableSchema> schema);

  const std::shared_ptr<const binlog::TableMap>& map() const { return map_; }
  void read(const binlog::RowsEvent& rows);

 private:
  std::optional<uint64_t> count_images(const binlog::RowsEvent& rows) const;
  std::optional<uint64_t> decode_all(const binlog::RowsEvent& rows, std::vector<binlog::RowProblem>* problems);

  std::shared_ptr<const binlog::TableMap> map_;
  std::vector<binlog::ColumnFacts> facts_;
  std::vector<binlog::TargetType> types_;
  std::optional<binlog::ColumnProgram> program_;
};

}  // namespace tidemark::fuzz
