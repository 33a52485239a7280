// SPDX-License-Identifier: Apache-2.0
// Keeps the rows of tables by their key, as a replica would: what MINIMAL images and partial JSON updates need to be
// compared with what a server selects. For tests alone; the product keeps no rows.
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "binlog/cell.hpp"
#include "binlog/row_images.hpp"
#include "binlog/table_schema.hpp"

namespace tidemark::binlog {

class TableApplier {
 public:
  /// By column name; nullopt = NULL.
  using Row = std::map<std::string, std::optional<std::string>>;

  /// Applies one rows event of a table whose key is its first column. Errors without file.
  Checked apply(const TableMap& map, const TableSchema& schema, const RowsEvent& rows);

  /// By key, with values as their texts.
  std::map<std::string, Row> rows() const;
  /// Rows as they were when they were inserted.
  const std::map<std::string, Row>& inserted() const { return inserted_; }

 private:
  // MySQL's JSON: a document and what was done to it since.
  struct Document {
    std::vector<uint8_t> base;
    std::vector<uint8_t> diffs;
  };
  struct Stored {
    Row cells;
    std::map<std::string, Document> documents;
  };

  Checked read(const TableMap& map, const std::vector<ColumnFacts>& facts, const RowImage& image, Stored& into) const;
  static Row finished(const Stored& row);

  std::map<std::string, Stored> rows_;
  std::map<std::string, Row> inserted_;
};

}  // namespace tidemark::binlog
