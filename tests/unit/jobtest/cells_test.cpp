// SPDX-License-Identifier: Apache-2.0
//
// Values of tests in the types of columns, type names, and columns as the rows of tests show them.
#include <gtest/gtest.h>

#include "config/job/load.hpp"
#include "config/job/render.hpp"
#include "core/batch/cell_text.hpp"
#include "core/jobtest/cell_value.hpp"
#include "core/jobtest/sql_type.hpp"
#include "core/jobtest/test_schemas.hpp"
#include "tests/unit/jobtest/tested_job.hpp"

namespace tidemark::core {
namespace {

using config::TestValue;
using Kind = TestValue::Kind;

TestValue value(Kind kind, std::string text) {
  TestValue out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

TestValue time_value(config::TomlTime time) {
  TestValue out = value(Kind::time, "a time");
  out.time = time;
  return out;
}

// The value as results would show it; "refused" when it cannot stand in the column.
std::string shown(const TestValue& given, const char* type) {
  const ColumnInfo column = read_sql_type(type).value();
  const auto read = read_cell(given, column);
  if (!std::holds_alternative<CellValue>(read)) return "refused";
  Batch batch(std::make_shared<const BatchLayout>(BatchLayout{{column}}), 1, 0);
  batch.rows = 1;
  EXPECT_TRUE(put_cell(batch, 0, 0, std::get<CellValue>(read)));
  std::string out;
  if (!batch.column(0).is_valid(0)) return "NULL";
  append_cell_text(batch, 0, 0, out);
  return out;
}

TEST(TestCells, values_take_the_type_of_their_column) {
  EXPECT_EQ(shown(value(Kind::integer, "5"), "decimal(18,4)"), "5.0000");
  EXPECT_EQ(shown(value(Kind::text, "-12345678901234567890.5"), "decimal(38,2)"), "-12345678901234567890.50");
  EXPECT_EQ(shown(value(Kind::decimal, "10.0"), "bigint"), "10");
  EXPECT_EQ(shown(value(Kind::decimal, "10.5"), "bigint"), "refused");
  EXPECT_EQ(shown(value(Kind::decimal, "1.005"), "decimal(18,2)"), "refused");
  EXPECT_EQ(shown(value(Kind::integer, "1000"), "decimal(5,2)"), "refused");
  EXPECT_EQ(shown(value(Kind::integer, "-128"), "tinyint"), "-128");
  EXPECT_EQ(shown(value(Kind::integer, "128"), "tinyint"), "refused");
  EXPECT_EQ(shown(value(Kind::integer, "-1"), "bigint unsigned"), "refused");
  EXPECT_EQ(shown(value(Kind::text, "18446744073709551615"), "bigint unsigned"), "18446744073709551615");
  EXPECT_EQ(shown(value(Kind::decimal, "1e3"), "double"), "1000");
  EXPECT_EQ(shown(value(Kind::decimal, "0.5"), "float"), "0.5");
  EXPECT_EQ(shown(value(Kind::text, "eu"), "varchar(20)"), "eu");
  EXPECT_EQ(shown(value(Kind::integer, "5"), "varchar(20)"), "refused");
  EXPECT_EQ(shown(value(Kind::null, ""), "int(10) unsigned"), "NULL");
  EXPECT_EQ(shown(value(Kind::integer, "1"), "bool"), "true");
}

TEST(TestCells, times_need_an_offset_where_the_column_has_one) {
  const config::TomlTime zoned{true, true, true, 1'000'000};
  const config::TomlTime local{true, true, false, 1'000'000};
  EXPECT_EQ(shown(time_value(zoned), "timestamp"), "1970-01-01T00:00:01Z");
  EXPECT_EQ(shown(time_value(local), "timestamp"), "refused");
  EXPECT_EQ(shown(time_value(zoned), "datetime"), "1970-01-01T00:00:01");
  EXPECT_EQ(shown(time_value(local), "datetime"), "1970-01-01T00:00:01");
  EXPECT_EQ(shown(time_value({true, false, false, 86'400'000'000}), "date"), "1970-01-02");
  EXPECT_EQ(shown(time_value({false, true, false, 10'000'000}), "time"), "00:00:10");
  EXPECT_EQ(shown(time_value(zoned), "date"), "refused");
  EXPECT_EQ(shown(value(Kind::text, "-838:59:59"), "time"), "-838:59:59");
  EXPECT_EQ(shown(value(Kind::text, "2026-01-01T00:00:10Z"), "timestamp"), "2026-01-01T00:00:10Z");
  EXPECT_EQ(shown(value(Kind::text, "2026-01-01"), "date"), "2026-01-01");
  EXPECT_EQ(shown(value(Kind::text, "yesterday"), "date"), "refused");
}

TEST(TestCells, types_are_those_of_create_table) {
  for (const std::string& name : sql_type_names()) EXPECT_TRUE(read_sql_type(name)) << name;
  EXPECT_EQ(type_text(*read_sql_type(" DECIMAL( 40 , 2 ) ")), "decimal(40,2)");
  EXPECT_EQ(read_sql_type("decimal(40,2)")->type, ColumnType::decimal256);
  EXPECT_EQ(type_text(*read_sql_type("numeric")), "decimal(10,0)");
  for (const char* wrong : {"", "varchat", "decimal(", "decimal(0,0)", "decimal(5,6)", "decimal(x)"}) {
    EXPECT_FALSE(read_sql_type(wrong)) << wrong;
  }
}

TEST(TestCells, columns_are_what_the_rows_show) {
  const config::LoadResult job = test::load_tested(
      "[[tests]]\nname = \"x\"\nexpect.late = []\nsteps = [\n"
      "{ rows = [ { a = 1, b = {}, c = 1, t = 2026-01-01T00:00:00Z } ] },\n"
      "{ rows = [ { a = 2, b = \"x\", c = \"2.50\", d = 1e3 } ] },\n"
      "{ rows = [ { t = 2026-01-01T00:00:00 } ] } ]\n");
  config::Diagnostics findings;
  const Schema schema = test_schemas(*job.spec, {}, findings).at("orders");
  ASSERT_FALSE(findings.has_errors());
  std::string text;
  for (const ColumnInfo& column : schema.columns) text += column.name + " " + type_text(column) + "; ";
  EXPECT_EQ(text, "a int64; b text; c decimal(18,2); t datetime; d float64; ");
}

}  // namespace
}  // namespace tidemark::core
