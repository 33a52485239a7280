// SPDX-License-Identifier: Apache-2.0
//
// What a sink leaves in the epoch: committed bytes and rows, with version and checksum. Values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.hpp"

namespace tidemark::core {

struct SinkProgress {
  uint64_t bytes = 0;  ///< committed length of the file; 0 for sinks without one
  uint64_t rows = 0;

  bool operator==(const SinkProgress&) const = default;
};

std::string encode(const SinkProgress& progress);
/// An error when damaged or of a newer version. Not for empty bytes (a first start).
Result<SinkProgress> decode_sink_progress(std::string_view bytes);

}  // namespace tidemark::core
