// SPDX-License-Identifier: Apache-2.0
// Reads a whole binlog into plain text, one line per item, for tests to compare: what a careful user would see.
// One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "binlog/cell.hpp"
#include "binlog/decode_error.hpp"
#include "binlog/prepared_transactions.hpp"

namespace tidemark::binlog {

struct Reading {
  /// "begin <gtid> <commit time>", "rows <table> + a=1 b='x'", "statement <text>", "change <tables> <text>",
  /// "end <verdict>", "rotate <file>", "stop". Rows of a group that failed half-way are listed too.
  std::vector<std::string> items;
  bool incomplete = false;
  std::optional<DecodeError> error;
  uint64_t resume_position = 0;
  std::vector<std::string> notices;  ///< of XA transactions whose other part is not there
  uint64_t withheld = 0;             ///< row events of groups that were rolled back

  /// Row items alone.
  std::vector<std::string> rows() const;
};

/// `with_cells` false: rows items are the table's name alone (for files whose schema is not in their metadata).
/// `prepared`: kept from file to file, as a reader of several does.
Reading read_binlog(const std::string& path, uint64_t position = 0, bool with_cells = true,
                    PreparedTransactions* prepared = nullptr, const std::string& keyring_file = {});

/// A value as text; strings in quotes, NULL, "?" + kind for what has no text.
std::string value_text(const Value& value);

}  // namespace tidemark::binlog
