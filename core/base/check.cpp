// SPDX-License-Identifier: Apache-2.0
//
// The failure path of TIDEMARK_CHECK: one line on standard error, then abort, on whichever thread it happens.
// Kept out of line so that checks cost a compare and a jump.
#include "core/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace tidemark::core {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "tidemark: internal error: %s does not hold (%s:%d). Please report this.\n", condition, file,
               line);
  std::abort();
}

}  // namespace tidemark::core
