// SPDX-License-Identifier: Apache-2.0
// ColumnProgram beyond single cells: NULLs, projections, stops and resumes, absent columns, types that do not fit.
// One thread.
#include <gtest/gtest.h>

#include "binlog/column_program.hpp"
#include "binlog_builder.hpp"
#include "column_batch.hpp"

namespace tidemark::binlog {
namespace {

constexpr TargetType kInt32{TIDEMARK_INT32, 0, 0};
constexpr TargetType kInt64{TIDEMARK_INT64, 0, 0};
constexpr TargetType kText{TIDEMARK_TEXT, 0, 0};

// (a INT, b TINYINT, c VARCHAR(20), d INT), all nullable.
std::shared_ptr<TableMap> four_columns() {
  auto map = std::make_shared<TableMap>();
  map->database = "d";
  map->table = "t";
  map->columns = {describe_column(3, 0, 0, true), describe_column(1, 0, 0, true), describe_column(15, 80, 0, true),
                  describe_column(3, 0, 0, true)};
  map->metadata.resize(4);
  map->metadata[2].collation = 45;
  for (const size_t i : {0u, 1u, 3u}) map->metadata[i].is_unsigned = false;
  return map;
}

struct Images {
  RowsKind kind = RowsKind::write;
  Bytes present{0x0f};
  Bytes present_after{0x0f};
  Bytes rows;

  RowsEvent event() const {
    RowsEvent out;
    out.kind = kind;
    out.column_count = 4;
    out.present = present;
    if (kind == RowsKind::update) out.present_after = present_after;
    out.rows = rows;
    return out;
  }
  void add(int32_t a, std::string_view c, int32_t d) {
    rows.push_back(0xf0);  // servers set the bits behind the last column
    put_le(rows, static_cast<uint32_t>(a), 4);
    rows.push_back(1);
    rows.push_back(static_cast<uint8_t>(c.size()));
    put_text(rows, c);
    put_le(rows, static_cast<uint32_t>(d), 4);
  }
};

ColumnProgram compile(const std::vector<TargetColumn>& targets) {
  auto program = ColumnProgram::compile(four_columns(), nullptr, targets);
  EXPECT_TRUE(program.ok()) << program.error().to_string();
  return std::move(program).value();
}

TEST(ColumnProgram, projections_and_nulls) {
  Images images;
  images.add(1, "one", 10);
  // a NULL, b set, c NULL, d set.
  images.rows.push_back(0x05);
  images.rows.push_back(9);
  put_le(images.rows, 20, 4);
  images.add(3, "", 30);
  // The last column first, one column twice, one that this version of the table does not have.
  ColumnProgram program = compile({{3, kInt64}, {0, kInt32}, {0, kInt64}, {-1, kText}, {2, kText}});
  ColumnBatch batch({kInt64, kInt32, kInt64, kText, kText}, 8, 64);
  RowCursor cursor;
  ASSERT_EQ(*program.decode(images.event(), cursor, batch.output()), FillState::event_done);
  ASSERT_EQ(batch.rows(), 3u);
  EXPECT_EQ(batch.text(0, 0), "10");
  EXPECT_EQ(batch.text(0, 1), "20");
  EXPECT_EQ(batch.text(1, 0), "1");
  EXPECT_EQ(batch.text(1, 1), std::nullopt);
  EXPECT_EQ(batch.text(2, 2), "3");
  EXPECT_EQ(batch.text(3, 0), std::nullopt);
  EXPECT_EQ(batch.text(4, 0), "one");
  EXPECT_EQ(batch.text(4, 1), std::nullopt);
  EXPECT_EQ(batch.text(4, 2), "");
  EXPECT_EQ(batch.op(2), TIDEMARK_INSERT);
  // No columns at all: rows are counted and their bytes still checked.
  ColumnProgram nothing = compile({});
  cursor = {};
  ColumnBatch empty({}, 8, 0);
  ASSERT_EQ(*nothing.decode(images.event(), cursor, empty.output()), FillState::event_done);
  EXPECT_EQ(empty.rows(), 3u);
  images.rows.pop_back();
  cursor = {};
  empty.clear();
  EXPECT_EQ(nothing.decode(images.event(), cursor, empty.output()).error().kind, ErrorKind::corrupt);
}

TEST(ColumnProgram, update_pairs_are_never_split) {
  Images images;
  images.kind = RowsKind::update;
  for (int32_t i = 0; i < 3; ++i) {
    images.add(i, "before", 0);
    images.add(i, "after", 1);
  }
  ColumnProgram program = compile({{0, kInt32}, {2, kText}});
  ColumnBatch batch({kInt32, kText}, 5, 64);
  RowCursor cursor;
  ASSERT_EQ(*program.decode(images.event(), cursor, batch.output()), FillState::rows_full);
  ASSERT_EQ(batch.rows(), 4u);  // the fifth row would be half a pair
  EXPECT_EQ(batch.op(2), TIDEMARK_UPDATE_BEFORE);
  EXPECT_EQ(batch.op(3), TIDEMARK_UPDATE_AFTER);
  EXPECT_EQ(batch.text(1, 3), "after");
  EXPECT_EQ(cursor.rows_done, 4u);
  batch.clear();
  ASSERT_EQ(*program.decode(images.event(), cursor, batch.output()), FillState::event_done);
  ASSERT_EQ(batch.rows(), 2u);
  EXPECT_EQ(batch.text(0, 0), "2");
}

TEST(ColumnProgram, heap_full_leaves_no_trace) {
  Images images;
  images.kind = RowsKind::update;
  images.add(1, "0123456789", 0);
  images.add(1, "abcdefghij", 0);
  ColumnProgram program = compile({{0, kInt32}, {2, kText}});
  ColumnBatch batch({kInt32, kText}, 8, 15);  // room for the before image alone
  RowCursor cursor;
  ASSERT_EQ(*program.decode(images.event(), cursor, batch.output()), FillState::heap_full);
  EXPECT_EQ(batch.rows(), 0u);
  EXPECT_EQ(batch.output().heap_used, 0u);
  EXPECT_EQ(cursor.offset, 0u);
  EXPECT_EQ(batch.text(0, 0), std::nullopt);  // validity is clean again
  EXPECT_EQ(program.heap_bytes_needed(), 20u);
  batch.grow_heap(program.heap_bytes_needed());
  ASSERT_EQ(*program.decode(images.event(), cursor, batch.output()), FillState::event_done);
  EXPECT_EQ(batch.text(1, 1), "abcdefghij");
}

TEST(ColumnProgram, skip_resumes_inside_an_event) {
  Images images;
  for (int32_t i = 0; i < 5; ++i) images.add(i, "x", i);
  ColumnProgram program = compile({{0, kInt32}});
  ColumnBatch batch({kInt32}, 8, 0);
  RowCursor cursor;
  EXPECT_EQ(*program.skip(images.event(), cursor, 3), 3u);
  ASSERT_EQ(*program.decode(images.event(), cursor, batch.output()), FillState::event_done);
  ASSERT_EQ(batch.rows(), 2u);
  EXPECT_EQ(batch.text(0, 0), "3");
  EXPECT_EQ(cursor.rows_done, 5u);
  cursor = {};
  EXPECT_EQ(*program.skip(images.event(), cursor, 99), 5u);
}

// MINIMAL images: a column that is needed but absent is an error, one that is not needed is no matter.
TEST(ColumnProgram, absent_columns) {
  Images images;
  images.present = {0x09};  // a and d
  images.rows.push_back(0x00);
  put_le(images.rows, 1, 4);
  put_le(images.rows, 2, 4);
  ColumnProgram needs_it = compile({{0, kInt32}, {2, kText}});
  ColumnBatch batch({kInt32, kText}, 8, 64);
  RowCursor cursor;
  const auto failed = needs_it.decode(images.event(), cursor, batch.output());
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::schema);
  EXPECT_NE(failed.error().text.find("@3 of d.t"), std::string::npos);
  EXPECT_NE(failed.error().remedy.find("binlog_row_image=FULL"), std::string::npos);
  EXPECT_EQ(batch.rows(), 0u);
  ColumnProgram fine = compile({{3, kInt32}});
  ColumnBatch other({kInt32}, 8, 0);
  ASSERT_EQ(*fine.decode(images.event(), cursor, other.output()), FillState::event_done);
  EXPECT_EQ(other.text(0, 0), "2");
}

TEST(ColumnProgram, types_that_do_not_fit) {
  const auto refused = [](int32_t source, TargetType type) {
    const TargetColumn target{source, type};
    return !ColumnProgram::compile(four_columns(), nullptr, {&target, 1}).ok();
  };
  EXPECT_TRUE(refused(0, {TIDEMARK_INT16, 0, 0}));
  EXPECT_TRUE(refused(0, {TIDEMARK_UINT64, 0, 0}));
  EXPECT_TRUE(refused(0, {TIDEMARK_DECIMAL64, 10, 2}));
  EXPECT_FALSE(refused(0, {TIDEMARK_DECIMAL64, 12, 2}));
  EXPECT_TRUE(refused(2, kInt64));
  EXPECT_TRUE(refused(7, kInt64));
  // Without signedness nothing is guessed.
  auto map = four_columns();
  map->metadata[0].is_unsigned.reset();
  const TargetColumn target{0, kInt64};
  const auto unknown = ColumnProgram::compile(map, nullptr, {&target, 1});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, ErrorKind::schema);
}

TEST(TargetTypes, common) {
  const TargetType decimal_10_2{TIDEMARK_DECIMAL64, 10, 2};
  EXPECT_EQ(common_target(kInt32, kInt64), kInt64);
  EXPECT_EQ(common_target(kInt32, {TIDEMARK_UINT32, 0, 0}), kInt64);
  EXPECT_EQ(common_target(kInt64, {TIDEMARK_UINT64, 0, 0}), (TargetType{TIDEMARK_DECIMAL128, 20, 0}));
  EXPECT_EQ(common_target(decimal_10_2, {TIDEMARK_DECIMAL64, 18, 4}), (TargetType{TIDEMARK_DECIMAL64, 18, 4}));
  EXPECT_EQ(common_target(decimal_10_2, {TIDEMARK_DECIMAL128, 20, 10}), (TargetType{TIDEMARK_DECIMAL128, 20, 10}));
  EXPECT_EQ(common_target(kInt32, decimal_10_2), (TargetType{TIDEMARK_DECIMAL64, 12, 2}));
  EXPECT_EQ(common_target(kInt32, kText), std::nullopt);
  EXPECT_EQ(target_name({TIDEMARK_DECIMAL64, 12, 2}), "decimal64(12,2)");
}

}  // namespace
}  // namespace tidemark::binlog
