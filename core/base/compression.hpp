// SPDX-License-Identifier: Apache-2.0
//
// zstd for pages of state and of late rows. Contexts are kept per thread, since making one costs more than
// compressing a small page. Pure functions otherwise; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::core {

/// How the body of a page is stored.
enum class PageCodec : unsigned char { none = 0, zstd = 1 };

/// Appends `bytes` as one zstd frame. False (and nothing appended) when zstd cannot, for want of memory.
bool zstd_compress(std::string_view bytes, int level, std::string& out);

/// Appends the content of one zstd frame; false (and nothing appended) unless it is exactly `size` bytes.
bool zstd_decompress(std::string_view frame, size_t size, std::string& out);

}  // namespace tidemark::core
