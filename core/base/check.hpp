// SPDX-License-Identifier: Apache-2.0
//
// Invariant checks that stay on in release builds (TIDEMARK_CHECK, per batch) or in debug builds only
// (TIDEMARK_DCHECK, per row). A failed check is a bug of ours: it prints the place and aborts, so that a wrong
// total is never written. Never used for bad input.
#pragma once

namespace tidemark::core {

/// Prints what failed and aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace tidemark::core

#define TIDEMARK_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::tidemark::core::check_failed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define TIDEMARK_DCHECK(condition) void(0)
#else
#define TIDEMARK_DCHECK(condition) TIDEMARK_CHECK(condition)
#endif
