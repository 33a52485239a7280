// SPDX-License-Identifier: Apache-2.0
// Rows that hold something no value can be made of: row problems where the caller takes them, else errors; updates
// of JSON documents in part.
// One thread.
#include <gtest/gtest.h>

#include "binlog/column_program.hpp"
#include "binlog/row_images.hpp"
#include "binlog_builder.hpp"
#include "column_batch.hpp"

namespace tidemark::binlog {
namespace {

constexpr TargetType kInt32{TIDEMARK_INT32, 0, 0};
constexpr TargetType kJson{TIDEMARK_JSON, 0, 0};
const Bytes kDocument = from_hex("00 01 00 0c 00 0b 00 01 00 05 d2 04 61");  // {"a": 1234}
const Bytes kDamaged = from_hex("00 01 00 ff 00 0b 00 01 00 05 d2 04 61");
const Bytes kToSeven = from_hex("00 03 24 2e 61 03 05 07 00");  // $.a = 7

// (id INT, doc JSON, n INT, more JSON), all nullable.
std::shared_ptr<TableMap> table() {
  auto map = std::make_shared<TableMap>();
  map->database = "d";
  map->table = "t";
  map->columns = {describe_column(3, 0, 0, true), describe_column(245, 4, 0, true), describe_column(3, 0, 0, true),
                  describe_column(245, 4, 0, true)};
  map->metadata.resize(4);
  const char* const names[] = {"id", "doc", "n", "more"};
  for (size_t i = 0; i < 4; ++i) map->metadata[i].name = names[i];
  for (const size_t i : {0u, 2u}) map->metadata[i].is_unsigned = false;
  return map;
}

class Rows {
 public:
  explicit Rows(RowsKind kind, uint8_t present = 0x0f, uint8_t present_after = 0x0f)
      : kind_(kind), present_{present}, present_after_{present_after} {}

  void integer(int32_t value) { put_le(bytes_, static_cast<uint32_t>(value), 4); }
  void json(const Bytes& content) {
    put_le(bytes_, content.size(), 4);
    bytes_.insert(bytes_.end(), content.begin(), content.end());
  }
  void bytes(const Bytes& more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  /// A FULL image; NULL where `doc` or `more` is empty.
  void image(int32_t id, const Bytes& doc, int32_t n, const Bytes& more = {}) {
    bytes_.push_back(static_cast<uint8_t>((doc.empty() ? 2 : 0) | (more.empty() ? 8 : 0)));
    integer(id);
    if (!doc.empty()) json(doc);
    integer(n);
    if (!more.empty()) json(more);
  }
  RowsEvent event(bool partial_json = false) const {
    RowsEvent out;
    out.kind = kind_;
    out.partial_json = partial_json;
    out.column_count = 4;
    out.present = present_;
    if (kind_ == RowsKind::update) out.present_after = present_after_;
    out.rows = bytes_;
    return out;
  }

 private:
  RowsKind kind_;
  Bytes present_;
  Bytes present_after_;
  Bytes bytes_;
};

ColumnProgram compile(const std::vector<TargetColumn>& targets) {
  auto program = ColumnProgram::compile(table(), nullptr, targets);
  EXPECT_TRUE(program.ok()) << program.error().to_string();
  return std::move(program).value();
}

// id, doc and n of all rows of one event; NULL as "-".
class RowProblems : public ::testing::Test {
 protected:
  RowProblems() : program_(compile({{0, kInt32}, {1, kJson}, {2, kInt32}})), batch_({kInt32, kJson, kInt32}, 16, 512) {
    batch_.output().problems = &problems_;
  }
  Outcome<FillState> decode(const RowsEvent& rows) {
    RowCursor cursor;
    return program_.decode(rows, cursor, batch_.output());
  }
  std::string row(uint32_t index) const {
    std::string out;
    for (size_t column = 0; column < 3; ++column)
      out += (column == 0 ? "" : " ") + batch_.text(column, index).value_or("-");
    return out;
  }

  ColumnProgram program_;
  ColumnBatch batch_;
  std::vector<RowProblem> problems_;
};

TEST_F(RowProblems, missing_columns_are_one_run) {
  Rows minimal(RowsKind::write, 0x01);
  for (int32_t id = 1; id <= 3; ++id) {
    minimal.bytes({0});
    minimal.integer(id);
  }
  ASSERT_EQ(*decode(minimal.event()), FillState::event_done);
  EXPECT_EQ(row(0), "1 - -");
  EXPECT_EQ(row(2), "3 - -");
  // The next event is whole; the one after it lacks another column.
  Rows full(RowsKind::write);
  full.image(4, kDocument, 40);
  ASSERT_EQ(*decode(full.event()), FillState::event_done);
  EXPECT_EQ(row(3), R"(4 {"a": 1234} 40)");
  Rows noblob(RowsKind::update, 0x0f, 0x05);
  noblob.image(5, kDocument, 50);
  noblob.bytes({0});
  noblob.integer(5);
  noblob.integer(51);
  ASSERT_EQ(*decode(noblob.event()), FillState::event_done);
  EXPECT_EQ(row(4), R"(5 {"a": 1234} 50)");
  EXPECT_EQ(row(5), "5 - 51");
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_EQ(problems_[0].row, 0u);
  EXPECT_EQ(problems_[0].rows, 3u);
  EXPECT_EQ(problems_[0].kind, ProblemKind::missing_column);
  EXPECT_EQ(problems_[0].text,
            "columns doc, n of d.t are needed but absent from the row image of an INSERT; set binlog_row_image=FULL on "
            "the source (sessions can override it)");
  EXPECT_EQ(problems_[1].row, 4u);  // both rows of the pair
  EXPECT_EQ(problems_[1].rows, 2u);
  EXPECT_NE(problems_[1].text.find("column doc of d.t is needed but absent from the after image of an UPDATE"),
            std::string::npos);
}

// An UPDATE that sets nothing that is logged: its after image has no column, and no byte.
TEST_F(RowProblems, an_after_image_without_columns) {
  Rows rows(RowsKind::update, 0x0f, 0x00);
  rows.image(1, kDocument, 10);
  rows.image(2, kDocument, 20);
  ASSERT_EQ(*decode(rows.event()), FillState::event_done);
  EXPECT_EQ(row(1), "- - -");
  EXPECT_EQ(row(2), R"(2 {"a": 1234} 20)");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0].rows, 4u);
  RowImages images(*table(), rows.event());
  Rows none(RowsKind::write, 0x00);
  EXPECT_EQ(decode(none.event()).error().kind, ErrorKind::unsupported);  // how many rows is not told
}

TEST_F(RowProblems, damaged_cells) {
  Rows rows(RowsKind::write);
  rows.image(1, kDocument, 10);
  rows.image(2, kDamaged, 20);
  rows.image(3, {}, 30);
  ASSERT_EQ(*decode(rows.event()), FillState::event_done);
  EXPECT_EQ(row(0), R"(1 {"a": 1234} 10)");
  EXPECT_EQ(row(1), "2 - 20");
  EXPECT_EQ(row(2), "3 - 30");  // NULL: no problem
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0].row, 1u);
  EXPECT_EQ(problems_[0].rows, 1u);
  EXPECT_EQ(problems_[0].kind, ProblemKind::undecodable);
  EXPECT_NE(problems_[0].text.find("doc of d.t"), std::string::npos);
  // Without a place for problems: an error, and nothing of the row.
  batch_.clear();
  ASSERT_FALSE(decode(rows.event()).ok());
  EXPECT_EQ(decode(rows.event()).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(batch_.rows(), 2u);  // the right row, once per call
  EXPECT_EQ(batch_.text(0, 2), std::nullopt);
  // Not wanted, not looked at.
  ColumnProgram ids = compile({{0, kInt32}});
  ColumnBatch other({kInt32}, 8, 0);
  RowCursor cursor;
  EXPECT_EQ(*ids.decode(rows.event(), cursor, other.output()), FillState::event_done);
}

TEST_F(RowProblems, documents_changed_in_part) {
  Rows rows(RowsKind::update);
  rows.image(1, kDocument, 10);
  rows.bytes({0x01, 0x01});  // PARTIAL_JSON, the first of two JSON columns
  rows.image(1, kToSeven, 11, kDocument);
  rows.image(2, kDocument, 20);
  rows.bytes({0x00});  // not partial
  rows.image(2, kDocument, 21);
  rows.image(3, {}, 30);
  rows.bytes({0x01, 0x01});  // nothing to change
  rows.image(3, kToSeven, 31);
  rows.image(4, from_hex("04 00"), 40);
  rows.bytes({0x01, 0x01});  // the base is no object
  rows.image(4, kToSeven, 41);
  rows.image(5, kDocument, 50);
  rows.bytes({0x01, 0x03});  // length 0: unchanged
  rows.bytes({0x08});
  rows.integer(5);
  rows.json({});
  rows.integer(51);
  ASSERT_EQ(*decode(rows.event(true)), FillState::event_done);
  EXPECT_EQ(row(0), R"(1 {"a": 1234} 10)");
  EXPECT_EQ(row(1), R"(1 {"a": 7} 11)");
  EXPECT_EQ(row(3), R"(2 {"a": 1234} 21)");
  EXPECT_EQ(row(5), "3 - 31");
  EXPECT_EQ(row(7), "4 - 41");
  EXPECT_EQ(row(9), R"(5 {"a": 1234} 51)");
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_EQ(problems_[0].row, 4u);
  EXPECT_EQ(problems_[0].rows, 2u);
  EXPECT_EQ(problems_[0].kind, ProblemKind::undecodable);
  EXPECT_NE(problems_[0].text.find("column doc of d.t was changed in part"), std::string::npos);
  EXPECT_NE(problems_[0].text.find("binlog_row_value_options"), std::string::npos);
  EXPECT_EQ(problems_[1].row, 6u);
  // Cell by cell the same shape.
  const auto map = table();
  const RowsEvent event = rows.event(true);
  RowImages images(*map, event);
  RowImage image;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(*images.next(image));
  EXPECT_EQ(image.cells[1].state, CellState::json_diffs);
  EXPECT_EQ(image.cells[3].state, CellState::null);
  EXPECT_FALSE(*images.next(image));
  // skip() goes over them too.
  RowCursor cursor;
  EXPECT_EQ(*program_.skip(event, cursor, 4), 4u);
  EXPECT_EQ(*program_.skip(event, cursor, 99), 6u);
}

TEST_F(RowProblems, no_room_for_another_problem) {
  Rows rows(RowsKind::write);
  rows.image(1, kDamaged, 10);
  rows.image(2, kDocument, 20);
  rows.image(3, kDamaged, 30);
  batch_.output().problem_capacity = 1;
  ASSERT_EQ(*decode(rows.event()), FillState::rows_full);
  EXPECT_EQ(batch_.rows(), 2u);
  EXPECT_EQ(batch_.text(0, 2), std::nullopt);
  EXPECT_EQ(problems_.size(), 1u);
}

TEST_F(RowProblems, case_B10_other_columns_of_partial_updates_are_exact) {
  // MINIMAL before image: only the key. What the job needs is there or named; the event is never passed over.
  Rows rows(RowsKind::update, 0x01, 0x06);
  rows.bytes({0});
  rows.integer(1);
  rows.bytes({0x01, 0x01, 0x00});
  rows.json(kToSeven);
  rows.integer(15);
  ColumnProgram amounts = compile({{2, kInt32}});
  ColumnBatch batch({kInt32}, 8, 0);
  std::vector<RowProblem> problems;
  RowCursor cursor;
  batch.output().problems = &problems;
  ASSERT_EQ(*amounts.decode(rows.event(true), cursor, batch.output()), FillState::event_done);
  EXPECT_EQ(batch.text(0, 1), "15");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].text.find("column n of d.t is needed but absent from the before image"), std::string::npos);
  // FULL images: all exact.
  Rows full(RowsKind::update);
  full.image(1, kDocument, 10);
  full.bytes({0x01, 0x01});
  full.image(1, kToSeven, 15);
  ASSERT_EQ(*decode(full.event(true)), FillState::event_done);
  EXPECT_EQ(row(1), R"(1 {"a": 7} 15)");
  EXPECT_TRUE(problems_.empty());
}

// The after text may be far longer than what the event holds of it: room is asked for exactly.
TEST_F(RowProblems, heap_for_changed_documents) {
  Rows rows(RowsKind::update);
  rows.image(1, kDocument, 10);
  rows.bytes({0x01, 0x01});
  rows.image(1, kToSeven, 11);
  ColumnBatch batch({kInt32, kJson, kInt32}, 4, 12);
  RowCursor cursor;
  ASSERT_EQ(*program_.decode(rows.event(true), cursor, batch.output()), FillState::heap_full);
  EXPECT_EQ(program_.heap_bytes_needed(), 19u);
  batch.grow_heap(19);
  ASSERT_EQ(*program_.decode(rows.event(true), cursor, batch.output()), FillState::event_done);
  EXPECT_EQ(batch.text(1, 1), R"({"a": 7})");
}

TEST_F(RowProblems, damaged_heads_of_after_images) {
  for (const Bytes& head : {Bytes{0x02}, Bytes{0xff}, Bytes{0x01}, Bytes{}}) {
    Rows rows(RowsKind::update);
    rows.image(1, kDocument, 10);
    rows.bytes(head);
    const auto failed = decode(rows.event(true));
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(batch_.rows(), 0u);
    EXPECT_TRUE(problems_.empty());
  }
}

}  // namespace
}  // namespace tidemark::binlog
