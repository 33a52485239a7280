// SPDX-License-Identifier: Apache-2.0
//
// Statements that write rows to a table by key, as text: many rows each. Values are exact: all digits of decimals, the
// shortest text of a double that reads back as the same, times in UTC. A value that the column would not keep as it is
// is refused here. Prepared once per table; pure otherwise.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sink/mysql_columns.hpp"
#include "core/sink/result_rows.hpp"

namespace tidemark::core {

class MysqlStatements {
 public:
  MysqlStatements(const std::string& table, std::vector<ColumnLink> links);

  /// INSERT ... ON DUPLICATE KEY UPDATE, or DELETE when the rows are removals. Appends to `sql`; says why when one of
  /// the rows cannot be written.
  std::optional<std::string> append(const ResultRows& rows, std::span<const uint32_t> indexes, std::string& sql) const;

 private:
  std::optional<std::string> append_cells(const ResultRows& rows, uint32_t index, bool removal, std::string& sql) const;
  std::optional<std::string> append_cell(const Batch& rows, uint32_t row, const ColumnLink& link,
                                         std::string& sql) const;

  std::vector<ColumnLink> links_;
  std::string upsert_head_;  // INSERT INTO t (a, b) VALUES
  std::string upsert_tail_;  // ON DUPLICATE KEY UPDATE b = VALUES(b)
  std::string delete_head_;  // DELETE FROM t WHERE
};

/// `text` as a string literal: for sessions whose charset is utf8mb4 and whose mode knows backslashes.
void append_sql_text(std::string_view text, std::string& sql);

}  // namespace tidemark::core
