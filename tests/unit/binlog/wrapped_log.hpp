// SPDX-License-Identifier: Apache-2.0
// A binlog beyond 4 GiB, sparse on the disk: four transactions of one row of db.t each, whose rows events end at
// 4294954865, 4294962881, 2^32 + 3601 and 2^32 + 11617, so that the headers of the last two say 3601 and 11617.
// One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tidemark::binlog {

struct WrappedLog {
  std::vector<uint64_t> starts;    ///< of the transactions
  std::vector<uint64_t> ends;      ///< of the transactions
  std::vector<uint64_t> row_ends;  ///< of the rows events
};

/// Writes the first `transactions` of them to `file`, which may hold fewer of them already.
WrappedLog write_wrapped_log(const std::filesystem::path& file, size_t transactions = 4);

}  // namespace tidemark::binlog
