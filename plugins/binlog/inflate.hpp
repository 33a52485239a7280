// SPDX-License-Identifier: Apache-2.0
// Deflate streams of a known size, as MariaDB writes them: compressed events and columns.
// Invariant: a result is whole or there is none. Any thread: one decompressor each.
#pragma once

#include <cstdint>
#include <span>

namespace tidemark::binlog {

/// Bytes that a stream holds per byte of its own, at most: 258 bytes from 2 bits. A larger claim is damage.
inline constexpr uint64_t kInflateFactorMax = 1032;

enum class DeflateFraming : uint8_t { zlib, raw };

/// True if the stream inflates to exactly the size of `out`.
bool inflate_exactly(std::span<const uint8_t> stream, DeflateFraming framing, std::span<uint8_t> out);

}  // namespace tidemark::binlog
