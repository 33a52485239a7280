// SPDX-License-Identifier: Apache-2.0
// Where reading of a split stands: a transaction's start, how far into it, and what is known of schemas there.
//
// Invariants: versioned and checksummed, and earlier versions are read; bytes that are not a position of this kind, or
// damaged, are a SourceError of kind state. The row events of a transaction are counted whether or not their tables
// match, so that a change of the patterns moves nothing.
// Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::binlog_file {

struct SplitPosition {
  std::string file;  ///< name in the shard's directory
  uint64_t offset =
      0;  ///< 64-bit start of the transaction that is being read or comes next; 0 = the file's first event
  uint64_t row_event = 0;  ///< index in the transaction of the rows event to go on with
  uint64_t images = 0;     ///< row images of that event that were submitted (an update counts 2)
  uint64_t sequence = 0;   ///< of the last row submitted
  /// First event of the file, to tell a file that was replaced by another of the same name; 0 = not known.
  uint32_t file_timestamp_s = 0;
  uint32_t file_server_id = 0;
  std::string schemas;   ///< SchemaTracker::serialise at `offset`
  std::string prepared;  ///< PreparedTransactions::serialise at `offset`; "" in positions of version 1
};

std::string encode_position(const SplitPosition& position);
SplitPosition decode_position(std::string_view bytes);

}  // namespace tidemark::binlog_file
