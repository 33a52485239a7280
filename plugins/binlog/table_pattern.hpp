// SPDX-License-Identifier: Apache-2.0
// A pattern for tables, "[database.]table", each half a glob or a /regular expression/; and a single glob.
//
// Invariants: a pattern matches whole names, case-sensitively, in linear time (RE2); without a database half any
// database but the server's own (mysql, sys, information_schema, performance_schema). Constant after construction.
// Thread: any.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "binlog/decode_error.hpp"

namespace re2 {
class RE2;
}

namespace tidemark::binlog {

/// One glob for whole names: * any run, ? one character, [a-z] and [!a-z] sets, \ takes the next character as it is.
class NameGlob {
 public:
  static bool has_wildcards(std::string_view name) { return name.find_first_of("*?[") != std::string_view::npos; }
  /// Errors as those of TablePattern.
  static Outcome<NameGlob> parse(std::string_view glob);

  bool matches(std::string_view name) const;

 private:
  explicit NameGlob(std::shared_ptr<const re2::RE2> regex) : regex_(std::move(regex)) {}

  std::shared_ptr<const re2::RE2> regex_;
};

class TablePattern {
 public:
  /// Errors have neither file nor position: `pattern "..." has no closing '/'`.
  static Outcome<TablePattern> parse(std::string_view text);

  bool matches(std::string_view database, std::string_view table) const;
  bool matches_database(std::string_view database) const;
  const std::string& text() const { return text_; }

 private:
  explicit TablePattern(std::string_view text) : text_(text) {}

  std::string text_;
  std::shared_ptr<const re2::RE2> database_;  ///< nullptr: any but the server's own
  std::shared_ptr<const re2::RE2> table_;
};

}  // namespace tidemark::binlog
