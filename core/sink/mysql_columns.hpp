// SPDX-License-Identifier: Apache-2.0
//
// The columns and indexes of a target table, and whether results can be written to it by key and kept as they are:
// every result column has one that holds its values unchanged, the key is exactly one unique index, and no other index
// could make an upsert hit the row of another key. Pure: what the server says of the table is handed in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

/// A column as information_schema describes it.
struct TableColumn {
  std::string name;
  std::string type;       ///< "bigint", "varchar", ...: without length and the like
  std::string full_type;  ///< "bigint(20) unsigned"
  bool nullable = true;
  bool has_default = false;
  bool auto_increment = false;
  bool generated = false;
  std::optional<unsigned> precision;  ///< of numbers
  std::optional<unsigned> scale;
  std::optional<unsigned> fraction;  ///< digits of seconds
  std::string charset;               ///< of texts
  std::string collation;
  bool tells_apart = true;  ///< of texts: the collation does not take different letters for the same
  bool pads = false;        ///< of texts: it takes spaces at the end for nothing
};

struct TableIndex {
  struct Part {
    std::string column;   ///< empty: an expression
    bool prefix = false;  ///< of its first letters only
  };
  std::string name;
  bool unique = false;
  std::vector<Part> parts;
};

struct TableShape {
  std::string name;
  std::string engine;
  bool transactional = true;
  std::vector<TableColumn> columns;
  std::vector<TableIndex> indexes;
};

/// A result column that is written, and to which column of the table.
struct ColumnLink {
  uint32_t column = 0;  ///< of the results
  TableColumn target;
  bool is_key = false;
};

/// The links, in the table's order. Code::config names everything that does not fit, each with what would.
Result<std::vector<ColumnLink>> link_columns(const TableShape& table, const BatchLayout& layout,
                                             const std::vector<std::string>& key);

/// CREATE TABLE for results like these.
std::string create_table_text(const std::string& table, const BatchLayout& layout, const std::vector<std::string>& key);

/// `name` in backticks.
std::string quoted_name(const std::string& name);

}  // namespace tidemark::core
