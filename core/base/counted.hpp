// SPDX-License-Identifier: Apache-2.0
//
// counted(): a number with what it counts, for messages. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::core {

/// "1 row", "3 rows".
inline std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

}  // namespace tidemark::core
