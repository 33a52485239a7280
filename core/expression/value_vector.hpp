// SPDX-License-Identifier: Apache-2.0
//
// ValueVector: one column of computed values, with a bit per row for "has a value" and one for "could not be
// computed" (an overflow): such a row has no value, is no NULL either, and is counted by whoever asked. Booleans are
// bits too. Bits stand in 64-bit words, row 0 lowest; those behind the last row mean nothing.
// Invariant: a failed row is not valid. Owned by one evaluator, on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/expression/value_type.hpp"

namespace tidemark::core {

class ValueVector {
 public:
  /// bits: of one value (value_bits).
  explicit ValueVector(uint32_t bits) : bits_(bits) {}

  /// Makes room for `rows`; what stood in it is gone.
  void reserve(uint32_t rows);

  /// Booleans: words of bits (uint64_t); the rest by kind: int64_t, Int128, double, std::string_view.
  template <typename T>
  const T* values() const noexcept {
    return static_cast<const T*>(values_);
  }
  /// The same to write to: its own memory from now on.
  template <typename T>
  T* output() noexcept {
    values_ = storage_.get();
    return static_cast<T*>(static_cast<void*>(storage_.get()));
  }
  /// Shows `values`, which must stay there until the next output().
  void borrow(const void* values) noexcept { values_ = values; }

  uint64_t* valid() noexcept { return valid_.data(); }
  const uint64_t* valid() const noexcept { return valid_.data(); }
  uint64_t* failed() noexcept { return failed_.data(); }
  const uint64_t* failed() const noexcept { return failed_.data(); }
  bool is_valid(uint32_t row) const noexcept { return (valid_[row >> 6] >> (row & 63) & 1) != 0; }
  bool is_failed(uint32_t row) const noexcept { return (failed_[row >> 6] >> (row & 63) & 1) != 0; }

 private:
  struct alignas(16) Cell {
    std::byte bytes[16];
  };
  uint32_t bits_;
  std::unique_ptr<Cell[]> storage_;
  const void* values_ = nullptr;
  std::vector<uint64_t> valid_;
  std::vector<uint64_t> failed_;
};

}  // namespace tidemark::core
