// SPDX-License-Identifier: Apache-2.0
// `tidemark binlog cat`: every row change of a binlog file as one JSON line (spelled as change_json.hpp says).
//
// Invariants: streams in constant memory; a column is named by FULL row metadata or the tracked DDL, else "@1", "@2"
// ..., with a note once per table; rolled-back rows are not shown; what cannot be shown is an error or a note, both
// with file and position.
// Thread: one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>

#include "binlog/decode_error.hpp"

namespace tidemark::binlog {

struct CatOptions {
  /// Take the DDL of the earlier files of the same series in the directory too, so that tables created there have
  /// their names. Only statements of those are read.
  bool use_earlier_files = true;
};

struct CatSummary {
  uint64_t changes = 0;
  uint64_t transactions = 0;
  uint64_t statement_changes = 0;  ///< data changes logged as statements: noted, not shown
};

/// `out` gets the lines, `notes` what a person should know (stderr). After an error the lines before it were written.
Outcome<CatSummary> cat_file(const std::filesystem::path& path, const CatOptions& options, std::ostream& out,
                             std::ostream& notes);

}  // namespace tidemark::binlog
