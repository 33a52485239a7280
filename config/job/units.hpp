// SPDX-License-Identifier: Apache-2.0
//
// Texts with units: what a duration or a size means, and if it means nothing, why, so that a message can say
// which part is wrong. Nothing is guessed: a number without a unit is never taken. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace tidemark::config {

enum class UnitProblem : uint8_t {
  none,
  no_unit,       ///< a bare number
  unknown_unit,  ///< `part` is the unit
  spaces,        ///< right but for spaces; `part` is the text without them
  too_small,     ///< below the smallest unit that is kept
  too_large,     ///< does not fit into 64 bits
  malformed,
};

struct DurationText {
  core::Micros value = 0;  ///< microseconds; may be negative
  UnitProblem problem = UnitProblem::none;
  std::string part;
};
/// "500ms", "1m30s", "-5s".
DurationText read_duration(std::string_view text);

struct SizeText {
  uint64_t bytes = 0;
  UnitProblem problem = UnitProblem::none;
  std::string part;
};
/// "64MiB" (powers of 1024) and "64MB" (powers of 1000), whole numbers only.
SizeText read_size(std::string_view text);

/// Bytes for people, exact: "64MiB", "64MB", "1500B".
std::string format_size(uint64_t bytes);

}  // namespace tidemark::config
