// SPDX-License-Identifier: Apache-2.0
//
// Prints the names of the fail points, one a line, so that the crash tests miss none.
#include <cstdio>

#include "core/base/fail_point.hpp"

int main() {
  std::fputs(tidemark::core::fail_point_names(), stdout);
  return 0;
}
