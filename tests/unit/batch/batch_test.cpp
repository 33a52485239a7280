// SPDX-License-Identifier: Apache-2.0
//
// Batches and their pool: what is handed out is empty, credit comes back once, wakes come only when credit was gone,
// and the row codec gives back what it was given or an error.
#include <gtest/gtest.h>

#include <cstring>

#include "core/batch/batch_codec.hpp"
#include "core/batch/batch_pool.hpp"

namespace tidemark::core {
namespace {

BatchLayout two_columns() {
  return {{{"id", ColumnType::int64, 0, 0, false, ""}, {"name", ColumnType::text, 0, 0, true, ""}}};
}

void add_row(Batch& batch, int64_t id, std::string_view name) {
  const uint32_t row = batch.rows++;
  batch.event_time_us[row] = id * 10;
  batch.op[row] = static_cast<uint8_t>(Op::insert);
  batch.sequence[row] = static_cast<uint64_t>(id);
  batch.origin[row] = kNoOrigin;
  static_cast<int64_t*>(batch.mutable_columns()[0].values)[row] = id;
  batch.mutable_columns()[0].validity[row >> 3] |= static_cast<uint8_t>(1U << (row & 7));
  ASSERT_TRUE(batch.grow_heap(name.size()));
  std::memcpy(batch.heap + batch.heap_used, name.data(), name.size());
  static_cast<Slice*>(batch.mutable_columns()[1].values)[row] = {static_cast<uint32_t>(batch.heap_used),
                                                                 static_cast<uint32_t>(name.size())};
  batch.mutable_columns()[1].validity[row >> 3] |= static_cast<uint8_t>(1U << (row & 7));
  batch.heap_used += name.size();
}

TEST(BatchPoolTest, credit_runs_out_and_comes_back) {
  int wakes = 0;
  auto pool = BatchPool::create(two_columns(), 1, [&wakes] { ++wakes; });
  auto first = pool->acquire();
  ASSERT_NE(first, nullptr);  // one may always be out, however small the budget
  EXPECT_EQ(pool->acquire(), nullptr);
  EXPECT_FALSE(pool->has_credit());
  add_row(*first, 1, "one");
  BatchRef shared = pool->share(std::move(first));
  BatchRef second_user = shared;
  shared.reset();
  EXPECT_EQ(wakes, 0);
  second_user.reset();
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(pool->bytes_in_use(), 0U);
  const auto again = pool->acquire();
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->rows, 0U);
  EXPECT_FALSE(again->column(0).is_valid(0));
}

TEST(BatchPoolTest, nobody_is_woken_while_there_was_credit) {
  int wakes = 0;
  auto pool = BatchPool::create(two_columns(), 100 << 20, [&wakes] { ++wakes; });
  for (int i = 0; i < 10; ++i) pool->recycle(pool->acquire());
  EXPECT_EQ(wakes, 0);
}

TEST(BatchCodec, rows_round_trip_and_damage_is_an_error) {
  auto pool = BatchPool::create(two_columns(), 1 << 20);
  auto batch = pool->acquire();
  add_row(*batch, 7, "seven");
  add_row(*batch, -8, "");
  std::string bytes;
  encode_batch(*batch, bytes);
  const auto back = decode_batch(bytes, pool->layout_ptr());
  ASSERT_TRUE(back) << back.status().message();
  EXPECT_EQ((*back)->rows, 2U);
  EXPECT_EQ((*back)->column(0).as<int64_t>()[1], -8);
  EXPECT_EQ((*back)->bytes_at(1, 0), "seven");
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    EXPECT_FALSE(decode_batch(damaged, pool->layout_ptr())) << at;
    EXPECT_FALSE(decode_batch(std::string_view(bytes).substr(0, at), pool->layout_ptr())) << at;
  }
}

}  // namespace
}  // namespace tidemark::core
