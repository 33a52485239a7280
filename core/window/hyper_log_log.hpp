// SPDX-License-Identifier: Apache-2.0
//
// HyperLogLog: about how many different values there were, within 0.8 % (one standard deviation), in at most 16 KiB.
// 2^14 registers, each the largest number of leading zeros among the hashes that chose it (Flajolet et al. 2007); the
// estimate is Ertl's (2017), which needs no table of corrections. Few values are a sorted list of the registers that
// are not 0, which form it has follows from the content: equal content, equal bytes, in any order of values and
// merges. Values cannot be taken back. The hash and its seed are fixed for ever. Not for more than one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"

namespace tidemark::core {

class HyperLogLog {
 public:
  static uint64_t hash_of(std::string_view value) noexcept;
  static uint64_t hash_of(uint64_t value) noexcept;

  void add(uint64_t hash);
  void merge(const HyperLogLog& other);
  bool empty() const noexcept { return sparse_.empty() && dense_.empty(); }
  int64_t estimate() const;

  /// Equal content gives equal bytes.
  void encode(std::string& out) const;
  /// False when the bytes are malformed.
  bool decode(ByteReader& in);
  size_t memory_bytes() const noexcept;

 private:
  void raise(uint32_t index, uint8_t rank);

  std::vector<uint32_t> sparse_;  // index << 8 | rank, ascending; at most kSparseLimit
  std::vector<uint8_t> dense_;    // a rank per register, or empty
};

}  // namespace tidemark::core
