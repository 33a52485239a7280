// SPDX-License-Identifier: Apache-2.0
// See the header. Any thread: one decompressor each, kept, as making one costs more than inflating a small value.
#include "binlog/inflate.hpp"

#include <libdeflate.h>

#include <memory>

namespace tidemark::binlog {

namespace {

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

}  // namespace

bool inflate_exactly(std::span<const uint8_t> stream, DeflateFraming framing, std::span<uint8_t> out) {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  const auto inflate = framing == DeflateFraming::zlib ? libdeflate_zlib_decompress : libdeflate_deflate_decompress;
  size_t got = 0;
  return inflate(decompressor.get(), stream.data(), stream.size(), out.data(), out.size(), &got) ==
             LIBDEFLATE_SUCCESS &&
         got == out.size();
}

}  // namespace tidemark::binlog
