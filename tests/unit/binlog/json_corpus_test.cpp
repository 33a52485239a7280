// SPDX-License-Identifier: Apache-2.0
// The corpora that need rows kept: JSON columns of the types corpus, and the variants with MINIMAL and NOBLOB images
// and JSON documents changed in part, applied to empty tables; and what the product says of the latter.
// One thread.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "binlog/column_program.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/table_resolver.hpp"
#include "binlog/transaction_reader.hpp"
#include "cat_file.hpp"
#include "column_batch.hpp"
#include "table_applier.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

// Calls `take(item, schema)` for each rows event of the tables that took effect.
template <class Take>
void for_rows(const std::filesystem::path& file, const std::set<std::string>& tables, Take take) {
  SchemaTracker tracker;
  auto reader = TransactionReader::open(file.string());
  ASSERT_TRUE(reader.ok()) << reader.error().to_string();
  Item item;
  while (true) {
    auto state = reader->next(item);
    ASSERT_TRUE(state.ok()) << state.error().to_string();
    if (*state != ReadState::ready) return;
    if (item.kind == ItemKind::statement)
      tracker.on_statement(statement_at(item.query, "f", item.position, reader->format().flavor));
    if (item.kind != ItemKind::rows || !tables.contains(item.table->table)) continue;
    auto schema = resolve_schema(*item.table, tracker);
    ASSERT_TRUE(schema.ok()) << schema.error().to_string();
    take(item, **schema);
  }
}

TableApplier apply(const std::filesystem::path& file, const std::set<std::string>& tables) {
  TableApplier applier;
  for_rows(file, tables, [&](const Item& item, const TableSchema& schema) {
    const auto done = applier.apply(*item.table, schema, item.rows);
    EXPECT_TRUE(done.ok()) << done.error().to_string();
  });
  return applier;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) out.push_back(field);
  return out;
}

// The named columns of the rows equal those of the file, which has a header and the key first. Gives the rows.
size_t expect_equal(const std::map<std::string, TableApplier::Row>& rows, const std::filesystem::path& truth,
                    const std::set<std::string>& columns) {
  std::ifstream in(truth);
  EXPECT_TRUE(in.is_open()) << truth;
  std::string line;
  std::getline(in, line);
  const auto header = split(line);
  size_t count = 0;
  for (; std::getline(in, line); ++count) {
    const auto expected = split(line);
    const auto row = rows.find(expected.at(0));
    EXPECT_NE(row, rows.end()) << expected[0];
    if (row == rows.end()) continue;
    for (size_t i = 0; i < header.size(); ++i) {
      if (!columns.contains(header[i])) continue;
      EXPECT_EQ(row->second.at(header[i]).value_or("NULL"), expected[i]) << expected[0];
    }
  }
  return count;
}

class TypesJson : public testing::TestWithParam<const char*> {};

TEST_P(TypesJson, documents_equal_what_the_server_selects) {
  const auto folder = test::corpus("types");
  const std::string name = GetParam();
  const auto applier = apply(folder / (name + ".binlog"), {"t", "t2"});
  EXPECT_EQ(expect_equal(applier.inserted(), folder / (name + ".rows.tsv"), {"c_json"}), 4u);
  EXPECT_EQ(expect_equal(applier.rows(), folder / (name + ".final-t2.tsv"), {"c_json"}), applier.rows().size());
}

INSTANTIATE_TEST_SUITE_P(all, TypesJson,
                         testing::Values("mysql-9.7-full-metadata", "mysql-9.7-minimal-metadata",
                                         "mariadb-10.11-full-metadata", "mariadb-10.11-no-metadata"));

class Variants : public testing::TestWithParam<const char*> {};

TEST_P(Variants, applied_rows_equal_what_the_server_has) {
  const auto folder = test::corpus("variants");
  const std::string name = GetParam();
  const auto applier = apply(folder / (name + ".binlog"), {"j"});
  EXPECT_EQ(expect_equal(applier.rows(), folder / (name + ".final.tsv"), {"id", "k", "doc", "n"}), 3u);
  EXPECT_EQ(applier.rows().size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(all, Variants,
                         testing::Values("mysql-9.7-partial-json-minimal-image-xa", "mariadb-10.11-minimal-image-xa"));

// What a job that wants all columns gets: rows as far as they are known, and each lack named; NULL never stands for it.
TEST_P(Variants, lacks_are_named) {
  const std::string name = GetParam();
  const bool partial = name.starts_with("mysql");
  std::vector<std::string> texts;
  std::set<uint32_t> covered;
  const std::vector<TargetType> types{
      {TIDEMARK_INT32, 0, 0}, {TIDEMARK_TEXT, 0, 0}, {TIDEMARK_JSON, 0, 0}, {TIDEMARK_INT32, 0, 0}};
  ColumnBatch batch(types, 64, 4096);
  std::vector<RowProblem> problems;
  batch.output().problems = &problems;
  for_rows(test::corpus("variants") / (name + ".binlog"), {"j"}, [&](const Item& item, const TableSchema& schema) {
    std::vector<TargetColumn> targets;
    for (int32_t i = 0; i < 4; ++i) targets.push_back({i, types[static_cast<size_t>(i)]});
    auto program = ColumnProgram::compile(item.table, &schema, targets);
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    RowCursor cursor;
    const auto state = program->decode(item.rows, cursor, batch.output());
    ASSERT_TRUE(state.ok()) << state.error().to_string();
  });
  for (const RowProblem& problem : problems) {
    EXPECT_EQ(problem.kind, ProblemKind::missing_column);
    EXPECT_NE(problem.text.find(" of v.j "), std::string::npos);
    EXPECT_NE(problem.text.find("binlog_row_image=FULL"), std::string::npos) << problem.text;
    for (uint32_t i = 0; i < problem.rows; ++i) covered.insert(problem.row + i);
  }
  // Whole are the inserts and, in MySQL's file, the last update (FULL); MariaDB's is NOBLOB.
  ASSERT_EQ(batch.rows(), 13u);
  std::set<uint32_t> expected{2, 3, 4, 5, 6, 7, 8};
  if (!partial) expected.insert({9, 10});
  EXPECT_EQ(covered, expected);
  for (uint32_t row = 0; row < batch.rows(); ++row) {
    for (size_t column = 0; column < 4; ++column) {
      EXPECT_TRUE(batch.text(column, row) || covered.contains(row)) << row;
    }
  }
}

TEST(VariantsCat, partial_updates_are_documents_or_patches) {
  std::ostringstream out, notes;
  const auto file = test::corpus("variants") / "mysql-9.7-partial-json-minimal-image-xa.binlog";
  const auto summary = cat_file(file, {}, out, notes);
  ASSERT_TRUE(summary.ok()) << summary.error().to_string();
  const std::string lines = out.str();
  EXPECT_NE(lines.find(R"("before":{"id":1},"after":{"doc":{"patch":[{"op": "replace", "path": "$.x", "value": 99}, )"
                       R"({"op": "insert", "path": "$.new", "value": "n"}]},"n":11})"),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find(R"({"patch":[{"op": "remove", "path": "$.arr[1]"}]})"), std::string::npos) << lines;
  EXPECT_NE(lines.find(R"("doc":{"s": "abc", "x": 99, "arr": [1, 3], "new": "n"},"n":12})"), std::string::npos)
      << lines;
  EXPECT_NE(notes.str().find("changed in part"), std::string::npos) << notes.str();
}

TEST(Variants200k, one_compressed_transaction) {
  uint64_t count = 0;
  int64_t sum = 0;
  ColumnBatch batch({{TIDEMARK_INT64, 0, 0}}, 4096, 0);
  std::optional<ColumnProgram> program;
  std::shared_ptr<const TableMap> map;
  for_rows(test::corpus("variants") / "mysql-9.7-compressed-200k-row-transaction.binlog", {"b"},
           [&](const Item& item, const TableSchema& schema) {
             ASSERT_EQ(schema.columns.at(2).name, "v");
             const TargetColumn target{2, {TIDEMARK_INT64, 0, 0}};
             if (map != item.table) {
               auto compiled = ColumnProgram::compile(item.table, &schema, {&target, 1});
               ASSERT_TRUE(compiled.ok()) << compiled.error().to_string();
               program.emplace(std::move(compiled).value());
               map = item.table;
             }
             RowCursor cursor;
             while (true) {
               const auto state = program->decode(item.rows, cursor, batch.output());
               ASSERT_TRUE(state.ok()) << state.error().to_string();
               for (uint32_t row = 0; row < batch.rows(); ++row) sum += std::stoll(batch.text(0, row).value());
               count += batch.rows();
               batch.clear();
               if (*state == FillState::event_done) return;
             }
           });
  EXPECT_EQ(count, 200'000u);
  EXPECT_EQ(sum, 139'999'300'000);
}

}  // namespace
}  // namespace tidemark::binlog
