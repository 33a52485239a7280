// SPDX-License-Identifier: Apache-2.0
// The files of a shard: what the `shards` option matches, and the order of binlogs in a directory.
//
// Invariants: a shard's id is the path as matched; files of a directory are those named <base>.<digits> of one base,
// in numeric order; a number that is missing between two others is an error, never skipped.
// Thread: any; plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/log_name.hpp"

namespace tidemark::binlog_file {

struct Shard {
  std::string id;         ///< the path as matched: the split's id
  std::string directory;  ///< that holds the files
  std::string only_file;  ///< name of the one file, if the shard is a file

  std::string path_of(std::string_view file) const { return directory + "/" + std::string(file); }
};

/// Matches of the option's entries, each a directory, a file or a glob, in order and once each, however they are
/// spelt. Nothing there is a SourceError of kind io, which names the entry; a file inside a directory that is matched
/// too is one of kind config.
std::vector<Shard> find_shards(const std::vector<std::string>& entries);

/// The shard of a split id that find_shards() once gave.
Shard shard_of(const std::string& id);

using binlog::is_next_log;
using binlog::log_number;
using binlog::same_log;

/// Names of the shard's files in log order, at least one. A gap, two bases or no file is a SourceError of kind io.
std::vector<std::string> log_files(const Shard& shard);

/// The file after `file` in its directory; nullopt if it is the last one. A gap is a SourceError of kind io.
std::optional<std::string> next_log_file(const Shard& shard, std::string_view file);

}  // namespace tidemark::binlog_file
