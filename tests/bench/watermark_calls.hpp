// SPDX-License-Identifier: Apache-2.0
//
// WatermarkCalls: the time that calls about watermarks took on the thread that turns the components, and how many
// there were. Filled by watermark_calls.cpp, which a program puts in the way of these calls at link time (--wrap; the
// list is in tests/CMakeLists.txt). One thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace tidemark::bench {

enum class WatermarkWork : uint8_t { batches, ticks, reports, verdicts, valves, status };
inline constexpr std::array<const char*, 6> kWatermarkWork = {
    "batches", "ticks", "alignment: reports", "alignment: verdicts", "valves", "status"};

struct WatermarkCalls {
  std::array<std::chrono::steady_clock::duration, kWatermarkWork.size()> spent{};
  std::array<uint64_t, kWatermarkWork.size()> count{};
  uint64_t changes = 0;  ///< of splits, each of which goes into a lane per worker
};

WatermarkCalls& watermark_calls();

}  // namespace tidemark::bench
