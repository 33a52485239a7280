// SPDX-License-Identifier: Apache-2.0
// `tidemark binlog cat`: every row change of binlogs as one JSON line (spelled as change_json.hpp says), or counted.
//
// Invariants: streams in constant memory; a column is named by FULL row metadata or the tracked DDL, else "@1", "@2"
// ..., with a note once per table; rolled-back rows are not shown; what cannot be shown is an error or a note, both
// with file and position. What the files of a series say in DDL is carried from one to the next.
// Thread: one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/cat_filter.hpp"
#include "binlog/cat_input.hpp"
#include "binlog/decode_error.hpp"

namespace tidemark::binlog {

class CatStats;

/// Where `binlog cat` writes.
class CatOutput {
 public:
  virtual ~CatOutput() = default;
  /// Whole lines. An error ends the reading.
  virtual Checked write(std::string_view lines) = 0;
  /// What a person should know, without a line break.
  virtual void note(std::string_view text) = 0;
};

struct CatOptions {
  /// Take the DDL of the earlier files of the same series in the directory too, so that tables created there have
  /// their names. Only statements of those are read.
  bool use_earlier_files = true;
  /// Files of CREATE TABLE statements, for tables whose CREATE is not in the log (schema_file.hpp).
  std::vector<std::string> schema_files;
  CatFilter filter;
  /// Of the server, for encrypted files; may be empty.
  std::string keyring_file;
  /// If set, changes are counted in it, and no lines are written.
  CatStats* stats = nullptr;
};

struct CatSummary {
  uint64_t changes = 0;
  uint64_t transactions = 0;
  uint64_t statement_changes = 0;  ///< data changes logged as statements: noted, not shown
};

/// After an error what comes before it was written.
Outcome<CatSummary> cat_files(std::span<const CatInput> inputs, const CatOptions& options, CatOutput& output);

}  // namespace tidemark::binlog
