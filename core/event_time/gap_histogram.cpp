// SPDX-License-Identifier: Apache-2.0
//
// The bounds are made by integer arithmetic, so no rounding of a platform's logarithm shows in them.
#include "core/event_time/gap_histogram.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/base/int128.hpp"

namespace tidemark::core {
namespace {

// Bucket 0 is [0, 1 ms); bucket i > 0 begins at kLower[i] and ends where the next begins; the last has no end.
constexpr auto kLower = [] {
  std::array<Micros, GapHistogram::kBuckets> lower{};
  lower[1] = kMicrosPerMilli;
  for (size_t i = 2; i < lower.size(); ++i) lower[i] = lower[i - 1] + lower[i - 1] / 10;
  return lower;
}();
static_assert(kLower.back() > 40LL * 24 * 3600 * kMicrosPerSecond);
static_assert(kLower[kLower.size() - 2] < 40LL * 24 * 3600 * kMicrosPerSecond);

constexpr Micros shown(size_t bucket) {
  if (bucket == 0) return 0;
  if (bucket + 1 == kLower.size()) return kLower[bucket];
  return kLower[bucket] + (kLower[bucket + 1] - kLower[bucket]) / 2;
}

}  // namespace

void GapHistogram::add(Micros length_us, uint64_t times) noexcept {
  const auto above = std::upper_bound(kLower.begin() + 1, kLower.end(), length_us);
  counts_[static_cast<size_t>(above - kLower.begin()) - 1] += times;
  count_ += times;
}

void GapHistogram::merge(const GapHistogram& other) noexcept {
  for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
}

std::optional<Micros> GapHistogram::quantile(uint32_t per_mille) const noexcept {
  if (count_ == 0) return std::nullopt;
  const auto rank = static_cast<uint64_t>((UInt128{count_} * per_mille + 999) / 1000);
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen >= std::max<uint64_t>(rank, 1)) return shown(i);
  }
  return shown(kBuckets - 1);
}

std::string GapHistogram::encode() const {
  std::string out;
  ByteWriter writer(out);
  writer.varint(kBuckets - static_cast<uint64_t>(std::count(counts_.begin(), counts_.end(), 0)));
  for (size_t i = 0; i < kBuckets; ++i) {
    if (counts_[i] == 0) continue;
    writer.varint(i);
    writer.varint(counts_[i]);
  }
  return out;
}

std::optional<GapHistogram> GapHistogram::decode(std::string_view bytes) {
  GapHistogram out;
  ByteReader reader(bytes);
  const uint64_t filled = reader.varint();
  for (uint64_t i = 0; i < filled && reader.ok(); ++i) {
    const uint64_t bucket = reader.varint();
    const uint64_t times = reader.varint();
    if (bucket >= kBuckets || times == 0 || out.counts_[bucket] != 0) return std::nullopt;
    if (__builtin_add_overflow(out.count_, times, &out.count_)) return std::nullopt;
    out.counts_[bucket] = times;
  }
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return out;
}

}  // namespace tidemark::core
