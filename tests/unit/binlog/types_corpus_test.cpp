// SPDX-License-Identifier: Apache-2.0
// The table of all column types, from both servers, with FULL metadata and with schemas from DDL: every cell of the
// rows inserted first equals what the server's SELECT gave then, and all changes applied to an empty table give what
// it held in the end; each through decode_cell and through a compiled program of all columns. One thread.
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "binlog/column_program.hpp"
#include "binlog/row_images.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/transaction_reader.hpp"
#include "column_batch.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

using Cells = std::map<std::string, std::string>;
using Table = std::map<std::string, Cells>;  // by id

std::string cell_text(const Value& value) {
  switch (value.kind) {
    case ValueKind::text:
    case ValueKind::enum_:
    case ValueKind::set_:
    case ValueKind::bytes:
    case ValueKind::json:
      return value.text;
    default:
      return value_text(value);
  }
}

// What ColumnBatch::text gives for the value; nullopt = NULL.
std::optional<std::string> column_text(const Value& value) {
  switch (value.kind) {
    case ValueKind::date:
    case ValueKind::time:
    case ValueKind::datetime:
    case ValueKind::timestamp:
      return value.has_number ? std::optional(std::to_string(value.integer)) : std::nullopt;
    case ValueKind::year:
      return std::to_string(value.integer);
    case ValueKind::float32:
    case ValueKind::float64:
      return std::to_string(value.number);
    case ValueKind::bit:
      return std::to_string(value.bits);
    default:
      return cell_text(value);
  }
}

// The two forms of one event's rows must agree.
class BothForms {
 public:
  BothForms(const std::shared_ptr<const TableMap>& map, const TableSchema& schema)
      : map_(map), facts_(column_facts(*map, &schema)) {
    std::vector<TargetColumn> targets;
    for (size_t i = 0; i < schema.columns.size(); ++i) {
      const auto type = natural_target(schema.columns[i]);
      EXPECT_TRUE(type) << schema.columns[i].name;
      if (!type) continue;
      columns_.push_back(i);
      targets.push_back({static_cast<int32_t>(i), *type});
      types_.push_back(*type);
    }
    auto program = ColumnProgram::compile(map, &schema, targets);
    EXPECT_TRUE(program.ok()) << program.error().to_string();
    program_.emplace(std::move(program).value());
  }

  void fill(const RowsEvent& rows) {
    batch_.emplace(types_, 16, size_t{1} << 20);
    RowCursor cursor;
    auto done = program_->decode(rows, cursor, batch_->output());
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    ASSERT_EQ(*done, FillState::event_done);
    row_ = 0;
  }

  Cells next(const RowImage& image) {
    Cells out;
    Value value;
    for (size_t i = 0; i < image.cells.size(); ++i) {
      const bool null = image.cells[i].state == CellState::null;
      if (!null) {
        const auto done = decode_cell(map_->columns[i], facts_[i], image.cells[i].bytes, value);
        EXPECT_TRUE(done.ok()) << done.error().to_string();
      }
      out[facts_[i].name] = null ? "NULL" : cell_text(value);
      const auto at = std::ranges::find(columns_, i);
      if (at == columns_.end()) continue;
      EXPECT_EQ(batch_->text(static_cast<size_t>(at - columns_.begin()), row_),
                null ? std::nullopt : column_text(value))
          << facts_[i].name;
    }
    ++row_;
    return out;
  }

 private:
  std::shared_ptr<const TableMap> map_;
  std::vector<ColumnFacts> facts_;
  std::vector<size_t> columns_;
  std::vector<TargetType> types_;
  std::optional<ColumnProgram> program_;
  std::optional<ColumnBatch> batch_;
  uint32_t row_ = 0;
};

// All changes in order, and the tables they leave.
struct Model {
  std::map<std::string, Table> tables;
  std::map<std::string, std::vector<Cells>> inserted;

  void apply(const std::string& name, const RowImage& image, Cells row) {
    const std::string key = row.at(name == "nopk" ? "a" : "id");
    if (image.kind == ImageKind::inserted) inserted[name].push_back(row);
    if (image.kind == ImageKind::deleted || image.kind == ImageKind::update_before) {
      const size_t gone = tables[name].erase(key);
      EXPECT_TRUE(gone == 1 || name == "nopk");  // which has equal rows
      return;
    }
    tables[name][key] = std::move(row);
  }
};

void read(const std::string& file, bool full_metadata, Model& model) {
  SchemaTracker tracker;
  auto reader = TransactionReader::open(file);
  ASSERT_TRUE(reader.ok());
  Item item;
  while (true) {
    auto state = reader->next(item);
    ASSERT_TRUE(state.ok()) << state.error().to_string();
    if (*state != ReadState::ready) return;
    if (item.kind == ItemKind::statement) {
      tracker.on_statement(statement_at(item.query, "f", item.position, reader->format().flavor));
      if (item.query.text.starts_with("RENAME")) model.tables["t2"] = std::move(model.tables["t"]);
    }
    if (item.kind != ItemKind::rows) continue;
    const auto found = tracker.find(item.table->database, item.table->table);
    ASSERT_NE(found.schema, nullptr) << found.reason;
    const auto own = schema_from_metadata(*item.table);
    ASSERT_EQ(own.has_value(), full_metadata);
    EXPECT_EQ(check_against_table_map(*found.schema, *item.table), "");
    const TableSchema& schema = own ? *own : *found.schema;
    EXPECT_EQ(check_against_table_map(schema, *item.table), "");
    BothForms forms(item.table, schema);
    forms.fill(item.rows);
    RowImages images(*item.table, item.rows);
    RowImage image;
    while (true) {
      auto more = images.next(image);
      ASSERT_TRUE(more.ok()) << more.error().to_string();
      if (!*more) break;
      model.apply(item.table->table, image, forms.next(image));
    }
  }
}

// A line of the client's --batch output: fields between tabs, with its escapes undone.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> out(1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      out.emplace_back();
    } else if (line[i] == '\\' && i + 1 < line.size()) {
      const char escaped = line[++i];
      out.back() += escaped == '0' ? '\0' : escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped;
    } else {
      out.back() += line[i];
    }
  }
  return out;
}

std::string hex(std::string_view bytes, const char* format) {
  std::string out;
  char digits[3];
  for (const char byte : bytes) {
    std::snprintf(digits, sizeof digits, format, static_cast<unsigned>(static_cast<uint8_t>(byte)));
    out += digits;
  }
  return out;
}

std::string sha256(const std::string& bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return hex({reinterpret_cast<const char*>(digest), sizeof digest}, "%02x");
}

// BIT(n) as the client prints it: its bytes.
std::string bit_bytes(const std::string& number, size_t bytes) {
  uint64_t bits = std::strtoull(number.c_str(), nullptr, 10);
  std::string out(bytes, '\0');
  for (size_t i = bytes; i-- > 0; bits >>= 8) out[i] = static_cast<char>(bits);
  return out;
}

// The name of the column that a heading of the file is about, and our text in the heading's form.
std::string shown(std::string heading, const Cells& row, bool bits_are_bytes) {
  const bool is_hex = heading.starts_with("hex(");
  if (is_hex) heading = heading.substr(4, heading.size() - 5);
  if (heading.ends_with("+0")) heading.resize(heading.size() - 2);
  const bool is_digest = heading.ends_with("_sha256");
  if (is_digest) heading = "c_" + heading.substr(0, heading.size() - 7);
  const std::string& text = row.at(heading);
  if (text == "NULL") return text;
  if (is_hex) return hex(text, "%02X");
  if (is_digest) return sha256(text);
  if (bits_are_bytes && heading.starts_with("c_bit")) {
    return bit_bytes(text, heading == "c_bit1" ? 1 : heading == "c_bit10" ? 2 : 8);
  }
  return text;
}

bool same_number(const std::string& a, const std::string& b, bool as_float) {
  const double x = std::strtod(a.c_str(), nullptr);
  const double y = std::strtod(b.c_str(), nullptr);
  if (!as_float) return x == y;
  return std::abs(x - y) <= std::abs(x) * 1e-5;  // the client prints six digits
}

// Rows of the file, in order, against ours.
void compare(const std::filesystem::path& file, const std::vector<Cells>& rows, bool bits_are_bytes) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const auto header = split(line);
  size_t row = 0;
  for (; std::getline(in, line) && row < rows.size(); ++row) {
    const auto expected = split(line);
    EXPECT_EQ(expected.size(), header.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string text = shown(header[i], rows[row], bits_are_bytes);
      const bool is_float = header[i] == "c_float" || header[i] == "c_double";
      if (expected[i] != "NULL" && is_float) {
        EXPECT_TRUE(same_number(text, expected[i], header[i] == "c_float")) << text << " " << expected[i];
      } else {
        EXPECT_EQ(text, expected[i]) << header[i] << " of row " << row;
      }
    }
  }
  EXPECT_EQ(row, rows.size());
  EXPECT_FALSE(std::getline(in, line));
}

void check_file(const std::string& name, bool full_metadata) {
  const auto folder = test::corpus("types");
  Model model;
  read((folder / (name + ".binlog")).string(), full_metadata, model);
  auto first = model.inserted.at("t");
  ASSERT_EQ(first.size(), 5u);  // the fifth comes after ALTER
  first.pop_back();
  compare(folder / (name + ".rows.tsv"), first, false);
  std::vector<Cells> last;
  for (auto& [id, row] : model.tables.at("t2")) {
    row.emplace("c_new", "7");  // ALTER TABLE's default: no row event says it
    last.push_back(row);
  }
  compare(folder / (name + ".final-t2.tsv"), last, true);
  EXPECT_EQ(model.tables.at("nopk").at("9").at("b"), "after");
}

TEST(TypesCorpus, mysql_full_metadata) {
  check_file("mysql-9.7-full-metadata", true);
}
TEST(TypesCorpus, mysql_minimal_metadata) {
  check_file("mysql-9.7-minimal-metadata", false);
}
TEST(TypesCorpus, mariadb_full_metadata) {
  check_file("mariadb-10.11-full-metadata", true);
}
TEST(TypesCorpus, mariadb_no_metadata) {
  check_file("mariadb-10.11-no-metadata", false);
}

}  // namespace
}  // namespace tidemark::binlog
