// SPDX-License-Identifier: Apache-2.0
//
// NumberMultiset: value -> signed count, for values of up to 8 bytes in ordered form (ordered_value.hpp). What
// minima, maxima and distinct counts keep where rows can be taken back. A value removed before it was added has a
// negative count: it waits for its addition and never shows in a result. Counts of zero are not stored.
// Open addressing, one allocation; not for more than one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"

namespace tidemark::core {

class NumberMultiset {
 public:
  void add(uint64_t value, int64_t count);
  /// Adds the value once if it is not there (a set).
  void add_to_set(uint64_t value);
  void merge(const NumberMultiset& other, bool as_set);

  bool empty() const noexcept { return used_ == 0; }
  /// Values with a positive count.
  int64_t distinct() const noexcept { return positive_; }
  /// True when a value was taken back more often than it was added.
  bool lacks_base() const noexcept { return static_cast<size_t>(positive_) != used_; }
  /// Smallest and largest value with a positive count; looks at all of them.
  std::optional<uint64_t> smallest() const noexcept;
  std::optional<uint64_t> largest() const noexcept;

  struct Slot {
    uint64_t value = 0;
    int64_t count = 0;  // 0: free
  };
  /// All values, also those with a negative count, ascending.
  std::vector<Slot> sorted() const;

  /// Ascending by value: equal content gives equal bytes.
  void encode(std::string& out) const;
  /// False when the bytes are malformed.
  bool decode(ByteReader& in);
  size_t memory_bytes() const noexcept { return sizeof *this + slots_.capacity() * sizeof(Slot); }

 private:
  size_t home_of(uint64_t value) const noexcept;
  size_t find(uint64_t value) const noexcept;
  void insert_new(uint64_t value, int64_t count);
  void erase_at(size_t at) noexcept;
  void grow();

  std::vector<Slot> slots_;  // a power of two
  size_t used_ = 0;
  int64_t positive_ = 0;
};

}  // namespace tidemark::core
