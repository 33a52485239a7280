// SPDX-License-Identifier: Apache-2.0
// Names of binlog files, <base>.<digits>, and the series that a directory holds.
//
// Invariants: order is by number, not by text; a number that is missing between two others is an error that names the
// gap, never skipped; <base>.index and other files are left alone.
// Thread: any; no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/decode_error.hpp"

namespace tidemark::binlog {

/// Number of a binlog's name ("binlog.000012" -> 12); nullopt if it has none.
std::optional<uint64_t> log_number(std::string_view name);
/// The name without its number ("binlog").
std::string_view log_base(std::string_view name);
/// Whether two names are of the same binlog: the same base and number.
bool same_log(std::string_view a, std::string_view b);
/// Whether `next` is the binlog with the number after that of `file`, and the same base.
bool is_next_log(std::string_view file, std::string_view next);

/// Names of all binlogs in the directory, by base and number; ErrorKind::io where it cannot be listed.
Outcome<std::vector<std::string>> log_names(const std::string& directory);
/// The directory's one series in order, at least one file; a gap, a second series or no file is ErrorKind::io.
Outcome<std::vector<std::string>> log_series(const std::string& directory);
/// The error that says that the file after `file` is missing, as `next` is there.
DecodeError missing_log(const std::string& directory, std::string_view file, std::string_view next);

}  // namespace tidemark::binlog
