// SPDX-License-Identifier: Apache-2.0
//
// ByteMultiset: as NumberMultiset, for texts and for decimals of more than 18 digits in ordered bytes. An ordered
// map, since such values are rarer and their comparisons dearer than the map's nodes. Negative counts wait for
// their addition and never show. Not for more than one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"

namespace tidemark::core {

class ByteMultiset {
 public:
  void add(std::string_view value, int64_t count);
  /// Adds the value once if it is not there (a set).
  void add_to_set(std::string_view value);
  void merge(const ByteMultiset& other, bool as_set);

  bool empty() const noexcept { return counts_.empty(); }
  /// Values with a positive count.
  int64_t distinct() const noexcept { return positive_; }
  /// True when a value was taken back more often than it was added.
  bool lacks_base() const noexcept { return static_cast<size_t>(positive_) != counts_.size(); }
  /// Smallest and largest value with a positive count; null when there is none.
  const std::string* smallest() const noexcept;
  const std::string* largest() const noexcept;

  /// All values, also those with a negative count.
  const std::map<std::string, int64_t, std::less<>>& counts() const noexcept { return counts_; }

  /// Ascending by value: equal content gives equal bytes.
  void encode(std::string& out) const;
  /// False when the bytes are malformed.
  bool decode(ByteReader& in);
  size_t memory_bytes() const noexcept { return sizeof *this + bytes_; }

 private:
  std::map<std::string, int64_t, std::less<>> counts_;  // never 0
  size_t bytes_ = 0;
  int64_t positive_ = 0;
};

}  // namespace tidemark::core
