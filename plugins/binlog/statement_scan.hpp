// SPDX-License-Identifier: Apache-2.0
// Feeds the statements of a whole file to a SchemaTracker, stepping over everything else by its size.
//
// Invariant: MariaDB's two-phase ALTER counts only in its COMMIT group; compressed transactions are looked into, as the
// reader does.
// Thread: one at a time.
#pragma once

#include "binlog/file_reader.hpp"
#include "binlog/schema_tracker.hpp"

namespace tidemark::binlog {

/// Up to the file's last whole event.
Checked track_statements(FileReader& file, SchemaTracker& tracker);

}  // namespace tidemark::binlog
