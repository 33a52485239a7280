// SPDX-License-Identifier: Apache-2.0
//
// ResultRows: the results of an epoch by key. Of several of one key the last stands, in the place of the first, so
// that only it reaches the target. Rows are copied in, so that their batches are free at once. Encoded, they are the
// part of an epoch from which a target's transaction can be made again. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

class ResultRows {
 public:
  ResultRows() = default;
  /// `key`: columns of the layout.
  ResultRows(std::shared_ptr<const BatchLayout> layout, std::vector<uint32_t> key);

  /// Code::overflow when texts of 4096 rows outgrow 4 GiB.
  Status put(const Batch& rows, uint32_t row);
  void clear();

  uint32_t size() const noexcept { return rows_; }
  size_t bytes() const noexcept { return bytes_; }
  BatchRef batch_of(uint32_t index) const { return batches_[index / kBatchRows]; }
  uint32_t row_of(uint32_t index) const noexcept { return index % kBatchRows; }
  /// The row takes the key's row away.
  bool is_removal(uint32_t index) const noexcept {
    return batches_[index / kBatchRows]->op_at(row_of(index)) == Op::remove;
  }

  /// All rows but those of `left_out`, which is ascending.
  std::string encode(const std::vector<uint32_t>& left_out) const;
  /// Puts what encode() gave.
  Status restore(std::string_view bytes);

 private:
  Status write_row(const Batch& rows, uint32_t row, Batch& out, uint32_t at);

  std::shared_ptr<const BatchLayout> layout_;
  std::vector<uint32_t> key_;
  std::vector<std::shared_ptr<Batch>> batches_;
  std::unordered_map<std::string, uint32_t> places_;  // by key bytes
  std::string scratch_;
  uint32_t rows_ = 0;
  size_t bytes_ = 0;
};

}  // namespace tidemark::core
