// SPDX-License-Identifier: Apache-2.0
//
// The buckets of quantiles (DDSketch, Masson et al. 2019): numbers whose order is that of the values, each standing for
// values of which its middle is at most 0.8 % away. Every power of two is split into 64 equal parts, so that a bucket
// is read off the value's bits, without logarithms that differ between machines. Signed counts per bucket
// (NumberMultiset) merge in any order and can be taken back. NaN is above all other values. Pure functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace tidemark::core {

namespace quantile_bucket {

inline constexpr int kParts = 64;  // per power of two: half a part of the smallest value is 1/128
inline constexpr int kSmallestExponent = -1074;
inline constexpr uint64_t kZero = uint64_t{1} << 32;  // buckets of negative values are below it
inline constexpr uint64_t kInfinity = uint64_t{1} << 20;
inline constexpr uint64_t kNan = kInfinity + 1;

/// 1 to 134,336 for finite values above 0.
inline uint64_t positive_bucket(double value) noexcept {
  if (std::isinf(value)) return kInfinity;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // exact: 0.5 <= fraction < 1
  const auto part = static_cast<int64_t>((fraction * 2 - 1) * kParts);
  return static_cast<uint64_t>(int64_t{exponent - 1 - kSmallestExponent} * kParts + part + 1);
}

inline double positive_middle(uint64_t bucket) noexcept {
  if (bucket >= kInfinity) {
    return bucket == kInfinity ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  const auto index = static_cast<int>(bucket - 1);
  const int exponent = index / kParts + kSmallestExponent;
  const int part = index % kParts;
  return std::ldexp(1 + (part + 0.5) / kParts, exponent);
}

}  // namespace quantile_bucket

inline uint64_t bucket_of(double value) noexcept {
  using namespace quantile_bucket;
  if (std::isnan(value)) return kZero + kNan;
  if (value == 0) return kZero;
  return value > 0 ? kZero + positive_bucket(value) : kZero - positive_bucket(-value);
}

/// The value in the middle of a bucket.
inline double bucket_value(uint64_t bucket) noexcept {
  using namespace quantile_bucket;
  if (bucket == kZero) return 0;
  return bucket > kZero ? positive_middle(bucket - kZero) : -positive_middle(kZero - bucket);
}

}  // namespace tidemark::core
