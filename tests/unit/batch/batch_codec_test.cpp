// SPDX-License-Identifier: Apache-2.0
//
// Stored batches: what was stored comes back, and bytes that lie about their sizes are errors before memory is taken.
#include "core/batch/batch_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kHeapSizeAt = 1 + 3 * sizeof(uint32_t);

std::shared_ptr<const BatchLayout> number_and_text() {
  auto layout = std::make_shared<BatchLayout>();
  layout->columns.push_back({"n", ColumnType::int32, 0, 0, true, ""});
  layout->columns.push_back({"t", ColumnType::text, 0, 0, true, ""});
  return layout;
}

std::string stored(const std::shared_ptr<const BatchLayout>& layout, uint32_t rows) {
  Batch batch(layout, rows, 16);
  batch.rows = rows;
  for (uint32_t row = 0; row < rows; ++row) {
    batch.op[row] = static_cast<uint8_t>(Op::insert);
    static_cast<int32_t*>(batch.mutable_columns()[0].values)[row] = static_cast<int32_t>(row);
    static_cast<Slice*>(batch.mutable_columns()[1].values)[row] = {row, 1};
    for (Column& column : batch.mutable_columns()) column.validity[row >> 3] |= static_cast<uint8_t>(1u << (row & 7));
    batch.heap[batch.heap_used++] = static_cast<char>('a' + row);
  }
  std::string out;
  encode_batch(batch, out);
  return out;
}

TEST(BatchCodec, stored_rows_come_back) {
  const auto layout = number_and_text();
  for (const uint32_t rows : {0u, 1u, 9u}) {
    const std::string bytes = stored(layout, rows);
    const auto batch = decode_batch(bytes, layout);
    ASSERT_TRUE(batch.is_ok()) << batch.status().message();
    ASSERT_EQ((*batch)->rows, rows);
    for (uint32_t row = 0; row < rows; ++row) {
      EXPECT_EQ((*batch)->column(0).as<int32_t>()[row], static_cast<int32_t>(row));
      EXPECT_EQ((*batch)->bytes_at(1, row), std::string(1, static_cast<char>('a' + row)));
    }
    std::string again;
    encode_batch(**batch, again);
    EXPECT_EQ(again, bytes);
  }
}

TEST(BatchCodec, a_heap_size_that_is_not_there_takes_no_memory) {
  const auto layout = number_and_text();
  for (const uint64_t size : {uint64_t{4} << 20, uint64_t{1} << 58, UINT64_MAX}) {
    std::string bytes = stored(layout, 3);
    bytes.resize(bytes.size() - sizeof(uint32_t));
    std::string claimed;
    ByteWriter(claimed).fixed(size);
    bytes.replace(kHeapSizeAt, claimed.size(), claimed);
    ByteWriter(bytes).fixed(crc32(bytes));
    const auto batch = decode_batch(bytes, layout);
    ASSERT_FALSE(batch.is_ok());
    EXPECT_NE(batch.status().message().find("sizes do not add up"), std::string::npos) << batch.status().message();
  }
}

}  // namespace
}  // namespace tidemark::core
