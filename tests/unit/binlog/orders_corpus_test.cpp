// SPDX-License-Identifier: Apache-2.0
// Every file of the orders corpora, from both servers, through TransactionReader and ColumnProgram into a table kept
// in memory, which must end up as the servers' own tables did. One thread.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "binlog/schema_tracker.hpp"
#include "binlog/temporal.hpp"
#include "binlog/transaction_reader.hpp"
#include "column_batch.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

using Row = std::vector<std::string>;  // NULL as the client prints it

const std::vector<std::string> kColumns{"id", "customer_id", "region", "status", "amount", "qty", "created_at"};
const std::vector<TargetType> kTypes{{TIDEMARK_UINT64, 0, 0},  {TIDEMARK_INT64, 0, 0},       {TIDEMARK_TEXT, 0, 0},
                                     {TIDEMARK_TEXT, 0, 0},    {TIDEMARK_DECIMAL128, 20, 4}, {TIDEMARK_UINT16, 0, 0},
                                     {TIDEMARK_DATETIME, 0, 0}};

std::string datetime_text(int64_t micros) {
  const auto days = static_cast<int32_t>(micros / kMicrosPerDay);
  const int64_t millis = micros % kMicrosPerDay / 1000;
  const DateTimeParts date = civil_from_days(days);
  char text[40];
  std::snprintf(text, sizeof text, "%04u-%02u-%02u %02d:%02d:%02d.%03d", date.year, date.month, date.day,
                static_cast<int>(millis / 3'600'000), static_cast<int>(millis / 60'000 % 60),
                static_cast<int>(millis / 1000 % 60), static_cast<int>(millis % 1000));
  return text;
}

// Keeps the rows of one shard's orders table.
class Applier {
 public:
  explicit Applier(uint32_t row_capacity, uint64_t heap_capacity) : batch_(kTypes, row_capacity, heap_capacity) {}

  void read(const std::filesystem::path& file) {
    auto opened = TransactionReader::open(file.string());
    ASSERT_TRUE(opened.ok()) << opened.error().to_string();
    TransactionReader& reader = *opened;
    Item item;
    while (true) {
      auto state = reader.next(item);
      ASSERT_TRUE(state.ok()) << state.error().to_string();
      if (*state != ReadState::ready) {
        ASSERT_EQ(*state, ReadState::end_of_file);
        return;
      }
      take(reader, item);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

  std::map<uint64_t, Row> rows;
  uint64_t inserts = 0;
  uint64_t withheld = 0;
  uint64_t groups = 0;

 private:
  void take(const TransactionReader& reader, const Item& item) {
    switch (item.kind) {
      case ItemKind::begin:
        ++groups;
        withheld += reader.group().row_events_withheld;
        EXPECT_NE(reader.group().commit_time_us, kNoTime);
        EXPECT_FALSE(reader.group().gtid_text.empty() && reader.group().gtid.kind != GtidKind::mysql_anonymous);
        break;
      case ItemKind::statement:
        tracker_.on_statement(statement_at(item.query, reader.file().name(), item.position, reader.format().flavor));
        break;
      case ItemKind::statement_change:
        ADD_FAILURE() << "statement change: " << item.query.text;
        break;
      case ItemKind::rows:
        if (item.table->table.starts_with("orders_")) decode(item);
        break;
      default:
        break;
    }
  }

  ColumnProgram& program_for(const Item& item) {
    auto found = programs_.find(item.table.get());
    if (found != programs_.end()) return found->second;
    auto schema = schema_from_metadata(*item.table);
    if (!schema) {
      const auto tracked = tracker_.find(item.table->database, item.table->table);
      EXPECT_NE(tracked.schema, nullptr) << tracked.reason;
      schema = *tracked.schema;
    }
    EXPECT_EQ(check_against_table_map(*schema, *item.table), "");
    std::vector<TargetColumn> targets;
    for (size_t i = 0; i < kColumns.size(); ++i) {
      for (size_t c = 0; c < schema->columns.size(); ++c) {
        if (schema->columns[c].name == kColumns[i]) targets.push_back({static_cast<int32_t>(c), kTypes[i]});
      }
    }
    auto program = ColumnProgram::compile(item.table, &*schema, targets);
    EXPECT_TRUE(program.ok()) << program.error().to_string();
    kept_.push_back(item.table);
    return programs_.emplace(item.table.get(), std::move(program).value()).first->second;
  }

  void decode(const Item& item) {
    ColumnProgram& program = program_for(item);
    RowCursor cursor;
    while (true) {
      auto fill = program.decode(item.rows, cursor, batch_.output());
      ASSERT_TRUE(fill.ok()) << fill.error().to_string();
      const uint32_t decoded = batch_.rows();
      apply();
      if (*fill == FillState::event_done) return;
      if (*fill == FillState::heap_full && decoded == 0) batch_.grow_heap(program.heap_bytes_needed());
    }
  }

  void apply() {
    for (uint32_t row = 0; row < batch_.rows(); ++row) {
      Row values;
      for (size_t c = 0; c < kColumns.size(); ++c) values.push_back(batch_.text(c, row).value_or("NULL"));
      values.back() = datetime_text(std::stoll(values.back()));
      const uint64_t id = std::stoull(values[0]);
      switch (batch_.op(row)) {
        case TIDEMARK_INSERT:
          ++inserts;
          ASSERT_TRUE(rows.emplace(id, values).second);
          break;
        case TIDEMARK_UPDATE_AFTER:
          ASSERT_TRUE(rows.emplace(id, values).second);
          break;
        default:
          ASSERT_EQ(rows.at(id), values);  // before images are what was there
          rows.erase(id);
          if (batch_.op(row) == TIDEMARK_UPDATE_BEFORE) {
            ASSERT_LT(row + 1, batch_.rows());
            ASSERT_EQ(batch_.op(row + 1), TIDEMARK_UPDATE_AFTER);
          }
      }
    }
    batch_.clear();
  }

  ColumnBatch batch_;
  SchemaTracker tracker_;
  std::map<const TableMap*, ColumnProgram> programs_;
  std::vector<std::shared_ptr<const TableMap>> kept_;
};

std::map<uint64_t, Row> final_rows(int shard) {
  std::ifstream in(test::corpus("orders-mysql-9.7") / ("final-rows-0" + std::to_string(shard) + ".tsv"));
  std::map<uint64_t, Row> out;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    Row row;
    for (std::string field; std::getline(fields, field, '\t');) row.push_back(field);
    out.emplace(std::stoull(row[0]), row);
  }
  return out;
}

void read_corpus(const std::string& name, uint32_t row_capacity, uint64_t heap_capacity) {
  uint64_t inserts = 0;
  uint64_t left = 0;
  for (int shard = 1; shard <= 4; ++shard) {
    Applier applier(row_capacity, heap_capacity);
    const auto files = test::binlogs_in(test::corpus(name) / ("shard-0" + std::to_string(shard)));
    ASSERT_FALSE(files.empty());
    for (const auto& file : files) {
      applier.read(file);
      ASSERT_FALSE(::testing::Test::HasFailure()) << file;
    }
    EXPECT_EQ(applier.rows, final_rows(shard)) << name << " shard " << shard;
    inserts += applier.inserts;
    left += applier.rows.size();
  }
  EXPECT_EQ(inserts, 9947u);
  EXPECT_EQ(left, 9256u);
}

TEST(OrdersCorpus, mysql) {
  read_corpus("orders-mysql-9.7", 1024, 64 << 10);
}
TEST(OrdersCorpus, mariadb) {
  read_corpus("orders-mariadb-10.11", 1024, 64 << 10);
}

// Batches of 2 rows and a heap too small for a row: every row event is stopped and continued many times.
TEST(OrdersCorpus, tiny_batches) {
  read_corpus("orders-mysql-9.7", 2, 1);
}

}  // namespace
}  // namespace tidemark::binlog
