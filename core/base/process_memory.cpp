// SPDX-License-Identifier: Apache-2.0
//
// By glibc's mallopt(3) and malloc_trim(3); nothing elsewhere. A fixed threshold also ends its growing with the blocks
// that are freed, which keeps tens of MiB for a table that was once that large.
#include "core/base/process_memory.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace tidemark::core {

void return_large_blocks() noexcept {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_ARENA_MAX, 2);
#endif
}

void return_free_memory() noexcept {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace tidemark::core
