// SPDX-License-Identifier: Apache-2.0
//
// LengthHistogram: counts of lengths of time below given bounds, as metrics show them. Bounds are constants of the
// program. A value; one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.hpp"

namespace tidemark::core {

class LengthHistogram {
 public:
  LengthHistogram() = default;
  /// `bounds`: ascending, inclusive upper ends; one bucket without an end follows. They outlive the histogram.
  explicit LengthHistogram(std::span<const Micros> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  void add(Micros length_us) noexcept {
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), length_us) - bounds_.begin();
    ++counts_[static_cast<size_t>(at)];
    sum_us_ = saturating_add(sum_us_, length_us);
  }
  /// `other` has the same bounds.
  void merge(const LengthHistogram& other) noexcept {
    for (size_t i = 0; i < std::min(counts_.size(), other.counts_.size()); ++i) counts_[i] += other.counts_[i];
    sum_us_ = saturating_add(sum_us_, other.sum_us_);
  }

  std::span<const Micros> bounds() const noexcept { return bounds_; }
  /// One more than bounds; not cumulative.
  std::span<const uint64_t> counts() const noexcept { return counts_; }
  Micros sum_us() const noexcept { return sum_us_; }

 private:
  std::span<const Micros> bounds_;
  std::vector<uint64_t> counts_;
  Micros sum_us_ = 0;
};

}  // namespace tidemark::core
