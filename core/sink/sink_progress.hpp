// SPDX-License-Identifier: Apache-2.0
//
// What a sink leaves in the epoch: committed bytes and rows, with version and checksum. Values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

struct SinkProgress {
  uint64_t bytes = 0;  ///< committed length of the file; 0 for sinks without one
  uint64_t rows = 0;

  bool operator==(const SinkProgress&) const = default;
};

/// Of results in numbered parts.
struct RollProgress {
  uint64_t rows = 0;
  uint32_t part = 1;        ///< the last one
  uint64_t bytes = 0;       ///< its committed length
  uint32_t first_open = 1;  ///< parts from here up to the last one may not have their names yet
  Micros age_us = 0;        ///< of the last part

  bool operator==(const RollProgress&) const = default;
};

std::string encode(const RollProgress& progress);
bool is_roll_progress(std::string_view bytes) noexcept;
/// As decode_sink_progress().
Result<RollProgress> decode_roll_progress(std::string_view bytes);

std::string encode(const SinkProgress& progress);
/// An error when damaged or of a newer version. Not for empty bytes (a first start).
Result<SinkProgress> decode_sink_progress(std::string_view bytes);

}  // namespace tidemark::core
