// SPDX-License-Identifier: Apache-2.0
//
// Registers and the estimate from their histogram; see the header.
#include "core/window/hyper_log_log.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/hash.hpp"

namespace tidemark::core {
namespace {

constexpr unsigned kIndexBits = 14;
constexpr size_t kRegisters = size_t{1} << kIndexBits;
constexpr unsigned kRankBits = 64 - kIndexBits;  // the largest rank is one more
constexpr size_t kSparseLimit = 2048;            // then half of the dense form's bytes, and insertions still cheap
// Not the seed of keys: rows of one group share their key's bits, which registers must not depend on.
constexpr uint64_t kSeed = 0x6469'7374'696e'6374ULL;  // "distinct"

/// Weight of registers that are still 0: x + x^2 + 2 x^4 + 4 x^8 + ...
double sigma(double x) {
  double y = 1;
  double sum = x;
  for (double before = -1; sum != before;) {
    x *= x;
    before = sum;
    sum += x * y;
    y += y;
  }
  return sum;
}

/// Weight of registers that are full.
double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double y = 1;
  double sum = 1 - x;
  for (double before = 2; sum != before;) {
    x = std::sqrt(x);
    before = sum;
    y *= 0.5;
    sum -= (1 - x) * (1 - x) * y;
  }
  return sum / 3;
}

}  // namespace

uint64_t HyperLogLog::hash_of(std::string_view value) noexcept {
  return XXH3_64bits_withSeed(value.data(), value.size(), kSeed);
}
uint64_t HyperLogLog::hash_of(uint64_t value) noexcept {
  return XXH3_64bits_withSeed(&value, sizeof value, kSeed);
}

void HyperLogLog::add(uint64_t hash) {
  const auto index = static_cast<uint32_t>(hash >> kRankBits);
  const uint64_t rest = hash << kIndexBits;
  const auto rank = static_cast<uint8_t>(rest == 0 ? kRankBits + 1 : static_cast<unsigned>(std::countl_zero(rest)) + 1);
  raise(index, rank);
}

void HyperLogLog::raise(uint32_t index, uint8_t rank) {
  if (!dense_.empty()) {
    dense_[index] = std::max(dense_[index], rank);
    return;
  }
  const auto at = std::lower_bound(sparse_.begin(), sparse_.end(), index << 8);
  if (at != sparse_.end() && *at >> 8 == index) {
    *at = std::max(*at, index << 8 | rank);
    return;
  }
  sparse_.insert(at, index << 8 | rank);
  if (sparse_.size() <= kSparseLimit) return;
  dense_.assign(kRegisters, 0);
  for (const uint32_t entry : sparse_) dense_[entry >> 8] = static_cast<uint8_t>(entry);
  sparse_ = {};
}

void HyperLogLog::merge(const HyperLogLog& other) {
  for (const uint32_t entry : other.sparse_) raise(entry >> 8, static_cast<uint8_t>(entry));
  for (uint32_t index = 0; index < other.dense_.size(); ++index) {
    if (other.dense_[index] != 0) raise(index, other.dense_[index]);
  }
}

int64_t HyperLogLog::estimate() const {
  if (empty()) return 0;
  constexpr auto kCount = static_cast<double>(kRegisters);
  std::array<uint32_t, kRankBits + 2> histogram{};
  for (const uint8_t rank : dense_) ++histogram[rank];
  for (const uint32_t entry : sparse_) ++histogram[entry & 0xff];
  if (dense_.empty()) histogram[0] = static_cast<uint32_t>(kRegisters - sparse_.size());
  double z = kCount * tau(1 - histogram[kRankBits + 1] / kCount);
  for (size_t rank = kRankBits; rank >= 1; --rank) z = 0.5 * (z + histogram[rank]);
  z += kCount * sigma(histogram[0] / kCount);
  constexpr double kAlpha = 0.721347520444481703680;  // 1 / (2 ln 2)
  const double estimate = kAlpha * kCount * kCount / z;
  return estimate < 0x1p63 ? std::llround(estimate) : std::numeric_limits<int64_t>::max();
}

void HyperLogLog::encode(std::string& out) const {
  ByteWriter writer(out);
  writer.fixed(static_cast<uint8_t>(!dense_.empty()));
  if (!dense_.empty()) {
    writer.raw(dense_.data(), dense_.size());
    return;
  }
  writer.varint(sparse_.size());
  uint32_t previous = 0;
  for (const uint32_t entry : sparse_) {
    writer.varint(entry - previous);
    previous = entry;
  }
}

bool HyperLogLog::decode(ByteReader& in) {
  const auto form = in.fixed<uint8_t>();
  if (form > 1) return false;
  if (form == 1) {
    const std::string_view ranks = in.raw(kRegisters);
    dense_.assign(ranks.begin(), ranks.end());
    const auto used = std::count_if(dense_.begin(), dense_.end(), [](uint8_t rank) { return rank != 0; });
    return in.ok() && static_cast<size_t>(used) > kSparseLimit &&
           std::all_of(dense_.begin(), dense_.end(), [](uint8_t rank) { return rank <= kRankBits + 1; });
  }
  const uint64_t entries = in.varint();
  if (entries == 0 || entries > kSparseLimit) return false;
  uint64_t entry = 0;
  for (uint64_t i = 0; i < entries && in.ok(); ++i) {
    const uint64_t previous = entry;
    entry += in.varint();
    const uint64_t rank = entry & 0xff;
    if (entry >= kRegisters << 8 || rank == 0 || rank > kRankBits + 1) return false;
    if (i > 0 && entry >> 8 <= previous >> 8) return false;
    sparse_.push_back(static_cast<uint32_t>(entry));
  }
  return in.ok() && sparse_.size() == entries;
}

size_t HyperLogLog::memory_bytes() const noexcept {
  return sizeof *this + sparse_.capacity() * sizeof(uint32_t) + dense_.capacity();
}

}  // namespace tidemark::core
