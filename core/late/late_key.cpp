// SPDX-License-Identifier: Apache-2.0
//
// Building and taking apart of late keys. A change here is a change of the state format.
#include "core/late/late_key.hpp"

#include "core/base/bytes.hpp"
#include "core/base/check.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kKeySize = 4 + 2 + 4 + 8 + 8;
constexpr Micros kHour = 3600 * kMicrosPerSecond;

}  // namespace

std::string late_hour_prefix(uint32_t arrival_hour) {
  std::string out;
  append_ordered_u64(out, arrival_hour, 4);
  return out;
}

std::string encode_late_key(const LateKey& key) {
  std::string out = late_hour_prefix(key.arrival_hour);
  append_ordered_u64(out, key.source, 2);
  append_ordered_u64(out, key.split, 4);
  append_ordered_i64(out, key.event_time);
  append_ordered_u64(out, key.sequence);
  return out;
}

std::optional<LateKey> decode_late_key(std::string_view key) {
  if (key.size() != kKeySize) return std::nullopt;
  LateKey out;
  out.arrival_hour = static_cast<uint32_t>(read_ordered_u64(key.substr(0, 4)));
  out.source = static_cast<uint16_t>(read_ordered_u64(key.substr(4, 2)));
  out.split = static_cast<uint32_t>(read_ordered_u64(key.substr(6, 4)));
  out.event_time = read_ordered_i64(key.substr(10, 8));
  out.sequence = read_ordered_u64(key.substr(18, 8));
  return out;
}

uint32_t arrival_hour_of(Micros wall_us) noexcept {
  if (wall_us < 0) return 0;
  const Micros hours = wall_us / kHour;
  return hours > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(hours);
}

uint64_t late_sequence(uint64_t epoch, uint32_t writer, uint32_t page) noexcept {
  TIDEMARK_CHECK(writer < kLateWritersMax && page < (1U << kLatePageBits));
  return epoch << (kLateWriterBits + kLatePageBits) | uint64_t{writer} << kLatePageBits | page;
}

std::string describe(const LateKey& key) {
  const Micros hour = key.arrival_hour > kEndOfTime / kHour ? kEndOfTime : key.arrival_hour * kHour;
  return "late page of hour " + format_rfc3339(hour) + ", source " + std::to_string(key.source) + ", split " +
         std::to_string(key.split) + ", event time " + format_rfc3339(key.event_time) + ", sequence " +
         std::to_string(key.sequence);
}

}  // namespace tidemark::core
