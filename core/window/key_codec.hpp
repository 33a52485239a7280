// SPDX-License-Identifier: Apache-2.0
//
// KeyCodec: key columns of a row as bytes whose memcmp order is the columns' order, and back. Per column a marker
// byte (0 = NULL, 1 = value), so that NULL is a group of its own and sorts first; then integers, decimals and
// times big-endian with the sign flipped, floats in their total order, text and bytes with 00 written as 00 FF
// and closed by 00 00. Fixed for ever: hashes of these bytes decide key groups, and they are keys in state.
// Immutable; encoding works column by column and allocates only when its buffer must grow.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch/batch.hpp"

namespace tidemark::core {

/// Key bytes of many rows, in one buffer that is reused.
class EncodedKeys {
 public:
  size_t size() const noexcept { return begins_.empty() ? 0 : begins_.size() - 1; }
  std::string_view at(size_t index) const noexcept {
    return {bytes_.get() + begins_[index], begins_[index + 1] - begins_[index]};
  }

 private:
  friend class KeyCodec;
  std::unique_ptr<char[]> bytes_;
  size_t capacity_ = 0;
  std::vector<uint32_t> begins_;   // one more than rows
  std::vector<uint32_t> cursors_;  // while encoding
};

class KeyCodec {
 public:
  KeyCodec() = default;
  /// `columns`: indexes into `input.columns`, in key order.
  KeyCodec(const std::vector<uint32_t>& columns, const BatchLayout& input);

  /// Encodes the keys of `rows` (row numbers of `batch`); out.at(i) is the key of rows[i]. False when they are too
  /// long: a text over 256 MiB, or 4 GiB together.
  bool encode(const Batch& batch, std::span<const uint32_t> rows, EncodedKeys& out) const;
  /// Writes the key's values to row `row` of columns `first_column`... of `out`; false when the bytes are no key
  /// of this codec or the heap of `out` is full.
  bool decode(std::string_view key, Batch& out, uint32_t first_column, uint32_t row) const;
  /// True when decode() would understand the bytes.
  bool is_valid(std::string_view key) const;
  /// "('eu', 5)" for messages.
  std::string describe(std::string_view key) const;
  /// The key columns as they stand in results.
  const std::vector<ColumnInfo>& columns() const noexcept { return infos_; }

 private:
  std::vector<uint32_t> columns_;
  std::vector<ColumnInfo> infos_;
};

}  // namespace tidemark::core
