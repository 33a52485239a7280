// SPDX-License-Identifier: Apache-2.0
// The schema to read a TABLE_MAP's rows with: its own FULL metadata, else the DDL tracked so far.
//
// Invariants: what is given fits the TABLE_MAP; what the event itself says (charset, ENUM and SET strings, nullability)
// wins over the DDL, being exact. The one assumption: where neither tells a column's charset (the log does not hold the
// CREATE DATABASE), it is the server's default; for CHAR and VARCHAR only if the widths agree, for TEXT, ENUM and SET
// unchecked, and then ColumnSchema::charset_assumed says so, for the caller to log. Nothing that fits: an error of kind
// schema that names the table, the cause and the remedy, without file and position. Thread: any; no state.
#pragma once

#include <memory>

#include "binlog/decode_error.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/table_map.hpp"
#include "binlog/table_schema.hpp"

namespace tidemark::binlog {

/// A tracked schema as the server understands it: MariaDB's JSON is LONGTEXT.
TableSchema adapted_to(Flavor flavor, TableSchema schema);

/// Whether each cell's width is known: an error (kind unsupported) where old temporal columns may have a fraction.
Checked check_widths(const TableMap& map, const SchemaTracker& tracker);

/// FULL metadata leaves UUID and INET as BINARY: these come from the tracked DDL if it fits. Includes check_widths().
Outcome<std::shared_ptr<const TableSchema>> resolve_schema(const TableMap& map, const SchemaTracker& tracker);

}  // namespace tidemark::binlog
