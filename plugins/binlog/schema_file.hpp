// SPDX-License-Identifier: Apache-2.0
// Files that declare tables: CREATE TABLE statements as people write them and as mysqldump and mariadb-dump print them
// (--no-data), for tables whose CREATE is not in the log.
//
// Invariants: a file describes the tables as of the position where reading begins; it counts below FULL metadata and
// below the DDL in the log, and each of its tables is checked against every TABLE_MAP. A statement that is not
// understood, or that does not belong into such a file, is an error with path:line:column: nothing is passed over.
// Names: `*`, `?` and `[...]` in a quoted name are wildcards, as in the option 'tables' (`\` takes the next character
// of such a name as it is), so that one statement declares the tables of all shards; a table without a database (no USE
// before it) is that table in any database. The first declaration that fits a name counts, names without wildcards
// before those with. Where reading goes on from a stored position, a changed file counts in place of the stored one for
// all tables that no DDL of the log has named, and for those that such DDL has left unknown; what the log made of a
// table stays. The text is UTF-8. Thread: any; no state.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "binlog/decode_error.hpp"
#include "binlog/schema_tracker.hpp"

namespace tidemark::binlog {

/// Reads the files in order and makes their tables the base of `tracker`, in place of the base it had; no files: no
/// change. Errors: kind schema for the text, io for a file that cannot be read.
Checked load_schema_files(std::span<const std::string> paths, SchemaTracker& tracker);

/// The same for one text; `path` is for messages. Adds to `declared`, for SchemaTracker::set_base().
Checked declare_tables(std::string_view text, std::string_view path, SchemaTracker& declared);

}  // namespace tidemark::binlog
