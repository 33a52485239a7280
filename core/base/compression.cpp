// SPDX-License-Identifier: Apache-2.0
//
// Thin use of libzstd's one-shot calls. The content size in the frame is compared before memory is taken, so a
// damaged length cannot ask for gigabytes.
#include "core/base/compression.hpp"

#include <zstd.h>

#include <memory>

namespace tidemark::core {
namespace {

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};
struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

}  // namespace

bool zstd_compress(std::string_view bytes, int level, std::string& out) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  if (!context) return false;
  const size_t before = out.size();
  out.resize(before + ZSTD_compressBound(bytes.size()));
  const size_t size =
      ZSTD_compressCCtx(context.get(), out.data() + before, out.size() - before, bytes.data(), bytes.size(), level);
  const bool ok = ZSTD_isError(size) == 0;
  out.resize(ok ? before + size : before);
  return ok;
}

bool zstd_decompress(std::string_view frame, size_t size, std::string& out) {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
  if (!context || ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) return false;
  const size_t before = out.size();
  out.resize(before + size);
  const size_t got = ZSTD_decompressDCtx(context.get(), out.data() + before, size, frame.data(), frame.size());
  const bool ok = ZSTD_isError(got) == 0 && got == size;
  if (!ok) out.resize(before);
  return ok;
}

}  // namespace tidemark::core
