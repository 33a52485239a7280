// SPDX-License-Identifier: Apache-2.0
// What `binlog cat` reads: files and directories as named on a command line, as a list of files in log order.
//
// Invariants: a directory stands for its one series, without gaps; files of one series that are named next to each
// other are put in order of their numbers and once each; what a file leaves to the next (DDL, prepared transactions)
// is carried over only where that is really the next one.
// Thread: any; plain values.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "binlog/decode_error.hpp"

namespace tidemark::binlog {

struct CatInput {
  std::filesystem::path path;
  /// The file before it in the list is the one before it in its series.
  bool continues = false;

  std::string name() const { return path.filename().string(); }
};

/// ErrorKind::io for what is not there, and for directories without binlogs, with a gap or with two series.
Outcome<std::vector<CatInput>> cat_inputs(std::span<const std::string> paths);

/// Files of the same series in the same directory that come before `path`, without a gap, in order.
std::vector<std::filesystem::path> earlier_logs(const std::filesystem::path& path);

}  // namespace tidemark::binlog
