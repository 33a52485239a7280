// SPDX-License-Identifier: Apache-2.0
//
// Statements as text, and which tables fit which results.
#include <gtest/gtest.h>

#include "core/base/int128.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/sink/mysql_columns.hpp"
#include "core/sink/mysql_statements.hpp"

namespace tidemark::core {
namespace {

ColumnInfo column(const char* name, ColumnType type, uint8_t precision = 0, uint8_t scale = 0) {
  return {.name = name, .type = type, .precision = precision, .scale = scale, .comment = {}};
}

TableColumn text_column(const char* name) {
  TableColumn out;
  out.name = name;
  out.type = "varchar";
  out.full_type = "varchar(20)";
  out.nullable = false;
  out.charset = "utf8mb4";
  out.collation = "utf8mb4_bin";
  out.pads = true;
  return out;
}

TableColumn number_column(const char* name, const char* type, unsigned precision, std::optional<unsigned> scale = 0) {
  TableColumn out;
  out.name = name;
  out.type = out.full_type = type;
  out.precision = precision;
  out.scale = scale;
  return out;
}

TableColumn time_column(const char* name, unsigned fraction) {
  TableColumn out;
  out.name = name;
  out.type = out.full_type = "datetime";
  out.nullable = false;
  out.fraction = fraction;
  return out;
}

BatchLayout results() {
  BatchLayout out;
  out.columns = {column("window_start", ColumnType::timestamp), column("region", ColumnType::text),
                 column("total", ColumnType::decimal128, 38, 2), column("share", ColumnType::float64)};
  return out;
}

TableShape table() {
  TableShape out;
  out.name = "t";
  out.engine = "InnoDB";
  out.columns = {text_column("region"), time_column("window_start", 3), number_column("total", "decimal", 20, 2),
                 number_column("share", "double", 22, std::nullopt)};
  out.indexes = {{"PRIMARY", true, {{"region"}, {"window_start"}}}};
  return out;
}

const std::vector<std::string> kKey = {"region", "window_start"};

std::string misfit(const TableShape& shape) {
  return link_columns(shape, results(), kKey).status().message();
}

TEST(MysqlColumns, a_table_that_fits) {
  const auto links = link_columns(table(), results(), kKey);
  ASSERT_TRUE(links.is_ok()) << links.status().message();
  EXPECT_EQ(links->size(), 4u);
  TableShape shape = table();
  shape.columns.push_back(number_column("id", "bigint", 19));
  shape.columns.back().auto_increment = true;
  shape.columns.back().nullable = false;
  shape.indexes = {{"PRIMARY", true, {{"id"}}},
                   {"by_key", true, {{"window_start"}, {"region"}}},
                   {"wider", true, {{"region"}, {"window_start"}, {"total"}}},
                   {"other", false, {{"total"}}}};
  EXPECT_EQ(misfit(shape), "");
}

TEST(MysqlColumns, case_A16_a_further_unique_index_is_refused_by_name) {
  TableShape shape = table();
  shape.indexes.push_back({"one_total", true, {{"total"}}});
  EXPECT_EQ(misfit(shape),
            "table t does not fit the results:\n"
            "  its unique index one_total is not over the key (region, window_start): a result could overwrite, or be "
            "refused for, the row of another key; ALTER TABLE `t` DROP INDEX `one_total`, or make it not unique");
  shape.indexes = {{"PRIMARY", true, {{"region", true}, {"window_start"}}}};
  EXPECT_NE(misfit(shape).find("it has no unique index over exactly the key: ALTER TABLE `t` ADD UNIQUE INDEX "
                               "(`region`, `window_start`)"),
            std::string::npos);
}

TEST(MysqlColumns, whatever_would_change_a_value_is_refused_with_what_would_fit) {
  TableShape shape = table();
  shape.transactional = false;
  shape.engine = "MyISAM";
  shape.columns[0].nullable = true;
  shape.columns[2].scale = 1;
  shape.columns[3] = number_column("share", "float", 12, std::nullopt);
  shape.columns.push_back(number_column("note", "int", 10));
  shape.columns.back().nullable = false;
  EXPECT_EQ(misfit(shape),
            "table t does not fit the results:\n"
            "  its engine MyISAM has no transactions: ALTER TABLE `t` ENGINE = InnoDB\n"
            "  column region of the key may be NULL, and NULL is no key: ALTER TABLE `t` MODIFY `region` VARCHAR(190) "
            "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL\n"
            "  column total is decimal and the results have decimal(38,2): it would round: it has fewer digits behind "
            "the point; ALTER TABLE `t` MODIFY `total` DECIMAL(38,2)\n"
            "  column share is float and the results have float64: it would round; ALTER TABLE `t` MODIFY `share` "
            "DOUBLE\n"
            "  column note must have a value and the results have none for it; give it a default, or let it be NULL");
  shape = table();
  shape.columns.pop_back();
  shape.columns[0].tells_apart = false;
  shape.columns[0].collation = "utf8mb4_general_ci";
  EXPECT_NE(misfit(shape).find("it has no column share (float64 in the results): ALTER TABLE `t` ADD `share` DOUBLE"),
            std::string::npos);
  EXPECT_NE(misfit(shape).find("takes different texts for the same"), std::string::npos);
}

TEST(MysqlColumns, a_table_to_begin_with) {
  EXPECT_EQ(
      create_table_text("t", results(), kKey),
      "CREATE TABLE `t` (`window_start` DATETIME(6) NOT NULL, `region` VARCHAR(190) CHARACTER SET utf8mb4 COLLATE "
      "utf8mb4_bin NOT NULL, `total` DECIMAL(38,2), `share` DOUBLE, PRIMARY KEY (`region`, `window_start`))");
}

class Statements : public testing::Test {
 protected:
  Statements() : rows_(std::make_shared<const BatchLayout>(results()), {1, 0}) {}

  void add(Micros start, std::string_view region, int64_t total, double share, Op op = Op::insert) {
    Batch batch(std::make_shared<const BatchLayout>(results()), 1, 64);
    put_value(batch, 0, 0, start);
    if (region != "NULL") {
      ASSERT_TRUE(put_text(batch, 1, 0, region));
    }
    put_value(batch, 2, 0, Int128{total});
    put_value(batch, 3, 0, share);
    batch.op[0] = static_cast<uint8_t>(op);
    batch.rows = 1;
    ASSERT_TRUE(rows_.put(batch, 0).is_ok());
  }
  std::string refusal(uint32_t index) {
    std::string sql;
    return statements_.append(rows_, std::vector{index}, sql).value_or("");
  }

  ResultRows rows_;
  MysqlStatements statements_{"t", link_columns(table(), results(), kKey).value()};
};

TEST_F(Statements, upserts_have_every_column_and_exact_values) {
  add(1'743'206'400'500'000, "it's \\ \xC3\xA9", -1234, 0.1);
  add(1'743'206'400'000'000, std::string_view("a\0b", 3), 0, -0.0);
  std::string sql;
  ASSERT_FALSE(statements_.append(rows_, std::vector<uint32_t>{0, 1}, sql));
  EXPECT_EQ(sql,
            "INSERT INTO `t` (`window_start`, `region`, `total`, `share`) VALUES "
            "('2025-03-29 00:00:00.500','it\\'s \\\\ \xC3\xA9',-12.34,1e-01),"
            "('2025-03-29 00:00:00','a\\0b',0.00,-0e+00) ON DUPLICATE KEY UPDATE `total` = VALUES(`total`), `share` = "
            "VALUES(`share`)");
}

TEST_F(Statements, removals_are_by_key) {
  add(0, "eu", 0, 0, Op::remove);
  add(0, "us", 0, 0, Op::remove);
  std::string sql;
  ASSERT_FALSE(statements_.append(rows_, std::vector<uint32_t>{0, 1}, sql));
  EXPECT_EQ(sql,
            "DELETE FROM `t` WHERE (`window_start` = '1970-01-01 00:00:00' AND `region` = 'eu') OR (`window_start` = "
            "'1970-01-01 00:00:00' AND `region` = 'us')");
}

TEST_F(Statements, what_the_column_would_change_is_refused) {
  add(0, "NULL", 0, 0);
  add(0, "eu ", 0, 0);
  add(1, "eu", 0, 0);
  add(0, "eu", 0, std::numeric_limits<double>::infinity());
  EXPECT_NE(refusal(0).find("column region: NULL is no key"), std::string::npos);
  EXPECT_NE(refusal(1).find("column region: the key ends with a space"), std::string::npos);
  EXPECT_NE(refusal(2).find("column window_start: it would round"), std::string::npos);
  EXPECT_NE(refusal(3).find("column share: it is no finite number"), std::string::npos);
}

TEST(ResultRows, outlive_a_restart_without_those_that_are_left_out) {
  const auto layout = std::make_shared<const BatchLayout>(results());
  ResultRows rows(layout, {1});
  Batch batch(layout, 1, 64);
  batch.rows = 1;
  for (int i = 0; i < 10'000; ++i) {
    batch.clear();
    batch.rows = 1;
    batch.op[0] = static_cast<uint8_t>(i % 3 == 0 ? Op::remove : Op::insert);
    ASSERT_TRUE(put_text(batch, 1, 0, "key " + std::to_string(i % 9'000)));
    ASSERT_TRUE(rows.put(batch, 0).is_ok());
  }
  EXPECT_EQ(rows.size(), 9'000u);
  for (const std::vector<uint32_t>& left_out : {std::vector<uint32_t>{}, std::vector<uint32_t>{0, 17, 8'999}}) {
    ResultRows again(layout, {1});
    ASSERT_TRUE(again.restore(rows.encode(left_out)).is_ok());
    ASSERT_EQ(again.size(), rows.size() - left_out.size());
    const uint32_t shift = left_out.empty() ? 0 : 2;
    EXPECT_EQ(again.batch_of(5'000)->bytes_at(1, again.row_of(5'000)),
              rows.batch_of(5'000 + shift)->bytes_at(1, rows.row_of(5'000 + shift)));
    EXPECT_EQ(again.is_removal(5'000), rows.is_removal(5'000 + shift));
  }
  EXPECT_FALSE(ResultRows(layout, {1}).restore(rows.encode({}).substr(0, 100)).is_ok());
}

}  // namespace
}  // namespace tidemark::core
