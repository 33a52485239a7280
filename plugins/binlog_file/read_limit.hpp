// SPDX-License-Identifier: Apache-2.0
// Throttles reading to so many rows per second, for tests and for sparing a machine.
//
// Invariants: tokens are given out by monotonic time; at most 50 ms' worth (and at least one update's two rows) can be
// saved up, so that reading stays even.
// Thread: one at a time per object.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tidemark::binlog_file {

using SteadyTime = std::chrono::steady_clock::time_point;

class ReadLimit {
 public:
  /// "" = none, else "<rows>/s"; a SourceError that names the option otherwise.
  explicit ReadLimit(std::string_view text);

  bool unlimited() const { return rows_per_second_ == 0; }
  /// Rows that may be read now.
  uint32_t allowance(SteadyTime now);
  void spend(uint32_t rows) { tokens_ -= rows; }

 private:
  double rows_per_second_ = 0;
  double tokens_ = 0;
  SteadyTime last_{};
};

}  // namespace tidemark::binlog_file
