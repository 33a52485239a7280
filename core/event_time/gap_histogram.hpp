// SPDX-License-Identifier: Apache-2.0
//
// GapHistogram: how long the pauses in a split's input were, as counts over fixed buckets, each a tenth wider than
// the one before it: bounded in size, mergeable in any order, the same figures on every machine.
//
// A quantile q of n values is the bucket of the ceil(q * n)-th smallest one (at least the first), given as the
// middle of that bucket: at most 5 % off. Values below 1 ms count as 0, those above 40 days as 40 days. Values;
// any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace tidemark::core {

class GapHistogram {
 public:
  static constexpr size_t kBuckets = 233;

  /// `times` values of `length_us` each; negative lengths count as 0.
  void add(Micros length_us, uint64_t times = 1) noexcept;
  void merge(const GapHistogram& other) noexcept;

  uint64_t count() const noexcept { return count_; }
  /// 0 < per_mille <= 1000; nothing when it is empty.
  std::optional<Micros> quantile(uint32_t per_mille) const noexcept;

  /// Compact: varints of the buckets that hold something.
  std::string encode() const;
  /// Nothing when `bytes` is not what encode() gives.
  static std::optional<GapHistogram> decode(std::string_view bytes);

  friend bool operator==(const GapHistogram&, const GapHistogram&) = default;

 private:
  std::array<uint64_t, kBuckets> counts_{};
  uint64_t count_ = 0;
};

}  // namespace tidemark::core
