// SPDX-License-Identifier: Apache-2.0
//
// The wide half of exact sums; see the header.
#include "core/window/exact_double.hpp"

#include <cmath>

namespace tidemark::core {
namespace {

/// Limbs without the zeros below and the copies of the sign above: few, since values lie close together.
template <size_t kLimbs>
void encode_limbs(const LimbSum<kLimbs>& sum, std::string& out) {
  const uint64_t fill = sum.is_negative() ? ~uint64_t{0} : 0;
  size_t begin = 0;
  size_t end = kLimbs;
  while (end > 0 && sum.limb[end - 1] == fill) --end;
  while (begin < end && sum.limb[begin] == 0) ++begin;
  out.push_back(static_cast<char>(begin));
  out.push_back(static_cast<char>(end));
  out.push_back(static_cast<char>(fill != 0));
  for (size_t i = begin; i < end; ++i) ByteWriter(out).fixed(sum.limb[i]);
}

template <size_t kLimbs>
bool decode_limbs(ByteReader& in, LimbSum<kLimbs>& sum) {
  const size_t begin = in.fixed<uint8_t>();
  const size_t end = in.fixed<uint8_t>();
  const auto negative = in.fixed<uint8_t>();
  if (begin > end || end > kLimbs || negative > 1) return false;
  for (size_t i = begin; i < end; ++i) sum.limb[i] = in.fixed<uint64_t>();
  for (size_t i = end; i < kLimbs; ++i) sum.limb[i] = negative != 0 ? ~uint64_t{0} : 0;
  return in.ok() && sum.is_negative() == (negative != 0);
}

}  // namespace

void RareDoubles::add(double value, bool takes_away) noexcept {
  const int64_t weight = takes_away ? -1 : 1;
  if (std::isnan(value)) {
    nan_ += weight;
  } else if (std::isinf(value)) {
    (value > 0 ? positive_ : negative_) += weight;
  } else {
    const DoubleParts parts = parts_of(value);
    sum_.add_at(parts.magnitude, parts.shift, std::signbit(value) != takes_away);
    squares_.add_at(static_cast<UInt128>(parts.magnitude) * parts.magnitude, size_t{2} * parts.shift, takes_away);
  }
}

void RareDoubles::merge(const RareDoubles& other) noexcept {
  nan_ += other.nan_;
  positive_ += other.positive_;
  negative_ += other.negative_;
  sum_.add(other.sum_);
  squares_.add(other.squares_);
}

bool RareDoubles::empty() const noexcept {
  return nan_ == 0 && positive_ == 0 && negative_ == 0 && sum_.is_zero() && squares_.is_zero();
}

void RareDoubles::encode(std::string& out) const {
  ByteWriter writer(out);
  writer.fixed(nan_);
  writer.fixed(positive_);
  writer.fixed(negative_);
  encode_limbs(sum_, out);
  encode_limbs(squares_, out);
}

bool RareDoubles::decode(ByteReader& in) {
  nan_ = in.fixed<int64_t>();
  positive_ = in.fixed<int64_t>();
  negative_ = in.fixed<int64_t>();
  return decode_limbs(in, sum_) && decode_limbs(in, squares_);
}

}  // namespace tidemark::core
