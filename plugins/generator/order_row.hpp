// SPDX-License-Identifier: Apache-2.0
//
// OrderRows: the synthetic orders of one split, each a pure function of (seed, split, row number), so that
// reading on at any row gives the same rows as reading through. Integer arithmetic only: the same on every
// machine. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::generator {

/// One order.
struct OrderRow {
  int64_t id = 0;
  int64_t customer_id = 0;
  std::optional<std::string_view> region;  ///< 7 values, NULL for one row in 16
  std::string_view status;
  int64_t amount = 0;  ///< units of 0.0001; negative (a refund) for one row in 16
  int32_t qty = 0;
  int64_t created_at_us = 0;
};

/// What the rows are made from.
struct OrderParameters {
  uint64_t seed = 1;
  int64_t splits = 1;
  int64_t keys = 1000;      ///< distinct customers
  int64_t skew = 0;         ///< 0 = all customers alike; each step makes low numbers more frequent
  int64_t start_us = 0;     ///< created_at of the first row
  int64_t step_us = 0;      ///< created_at moves on by this per row
  int64_t disorder_us = 0;  ///< a row's created_at lies behind its place in the order by at most this
};

class OrderRows {
 public:
  OrderRows(const OrderParameters& parameters, int64_t split) noexcept;
  /// Row `number`, from 0 on.
  OrderRow row(uint64_t number) const noexcept;

 private:
  OrderParameters parameters_;
  int64_t split_;
  uint64_t split_seed_;
};

}  // namespace tidemark::generator
