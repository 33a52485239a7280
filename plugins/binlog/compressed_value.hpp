// SPDX-License-Identifier: Apache-2.0
// Values of MariaDB's VARCHAR COMPRESSED and BLOB/TEXT COMPRESSED columns: a head byte, then the value as it is or a
// deflate stream behind its size. (The column's own length prefix is taken off before.)
// Invariant: never more memory than the stated size, and that never more than a stream of this length can hold or the
// column allows.
// Any thread. Source: MariaDB knowledge base, "Storage-Engine Independent Column Compression"; bytes of real logs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::binlog {

/// The value: part of `content`, or in `scratch`. nullopt: damaged, or an algorithm that is not zlib.
std::optional<std::span<const uint8_t>> inflate_value(std::span<const uint8_t> content, uint64_t size_max,
                                                      std::vector<uint8_t>& scratch);

/// The size it states, without inflating; 0 if damaged.
uint64_t stated_size(std::span<const uint8_t> content, uint64_t size_max);

}  // namespace tidemark::binlog
