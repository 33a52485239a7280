// SPDX-License-Identifier: Apache-2.0
//
// Keys of late pages: arrival hour u32, source u16, split u32, event time of the first row i64, sequence u64, all
// so that byte order is this order. The hour comes first, which makes retention one range removal of the oldest
// hours. The sequence is (epoch, writer, page of this seal): unique without any counter that has to survive, since
// an epoch is committed once. Part of the state format. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace tidemark::core {

inline constexpr unsigned kLateWriterBits = 10;  ///< writers: workers and ingest cores together
inline constexpr unsigned kLatePageBits = 20;    ///< pages of one writer in one epoch
inline constexpr uint32_t kLateWritersMax = 1U << kLateWriterBits;

struct LateKey {
  uint32_t arrival_hour = 0;  ///< hours since 1970
  uint16_t source = 0;
  uint32_t split = 0;
  Micros event_time = kNoTime;
  uint64_t sequence = 0;

  bool operator==(const LateKey&) const = default;
};

std::string encode_late_key(const LateKey& key);
/// Empty when `key` is not one.
std::optional<LateKey> decode_late_key(std::string_view key);
/// Begin of all keys of an arrival hour: range ends for retention.
std::string late_hour_prefix(uint32_t arrival_hour);

/// The hour of a wall time; times before 1970 count as 0.
uint32_t arrival_hour_of(Micros wall_us) noexcept;
uint64_t late_sequence(uint64_t epoch, uint32_t writer, uint32_t page) noexcept;
/// "late page of hour 2026-03-29T00:00:00Z, source 0, split 3, ..." for messages.
std::string describe(const LateKey& key);

}  // namespace tidemark::core
