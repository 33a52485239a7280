// SPDX-License-Identifier: Apache-2.0
//
// Decode speed per class of column types: row images of a rows event through a compiled column program, one core, in
// MB/s of row image. Rows are (id BIGINT, three columns of the class), as a job reads them: all columns wanted, heaps
// and batches reused. Printed with the ratio to BIGINT's; exit code 1 if a class is slower than it must be (a quarter;
// a tenth for JSON and where charsets are converted; compressed columns are shown alone).
//   decode_bench [MILLISECONDS_PER_CLASS [CLASS]]
#include <libdeflate.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "binlog/column_program.hpp"

namespace tidemark::binlog {
namespace {

using Bytes = std::vector<uint8_t>;
using Clock = std::chrono::steady_clock;

constexpr uint32_t kRows = 4096;
constexpr uint32_t kColumns = 3;
constexpr double kPlain = 0.25;
constexpr double kConverted = 0.1;
constexpr double kInflated = 0;  // bound by inflate, and a row image is a part of what it holds

std::mt19937_64& random() {
  static std::mt19937_64 generator(42);
  return generator;
}

Bytes random_bytes(size_t count) {
  Bytes out(count);
  for (auto& byte : out) byte = static_cast<uint8_t>(random()());
  return out;
}

Bytes big_endian(uint64_t value, uint32_t bytes) {
  Bytes out;
  for (uint32_t i = bytes; i-- > 0;) out.push_back(static_cast<uint8_t>(value >> 8 * i));
  return out;
}

Bytes prefixed(std::string_view text, uint32_t prefix_bytes) {
  Bytes out;
  for (uint32_t i = 0; i < prefix_bytes; ++i) out.push_back(static_cast<uint8_t>(text.size() >> 8 * i));
  out.insert(out.end(), text.begin(), text.end());
  return out;
}

/// A class of columns: as the wire describes them, what they become, and a cell with its length prefix.
struct TypeClass {
  const char* name;
  uint8_t type;
  uint8_t meta_first;
  uint8_t meta_second;
  SqlType sql_type;
  const char* charset;
  TargetType target;
  double ratio_min;
  std::function<Bytes()> cell;
};

uint64_t in(uint64_t count) {
  return random()() % count;
}

Bytes decimal_cell(uint32_t groups) {  // of nine digits, positive
  Bytes out;
  for (uint32_t i = 0; i < groups; ++i) {
    const Bytes group = big_endian(in(1'000'000'000), 4);
    out.insert(out.end(), group.begin(), group.end());
  }
  out[0] |= 0x80;
  return out;
}

Bytes datetime_cell() {
  const uint64_t date = (2026 * 13 + 1 + in(12)) << 5 | (1 + in(28));
  Bytes out = big_endian(1ull << 39 | date << 17 | in(24) << 12 | in(60) << 6 | in(60), 5);
  const Bytes fraction = big_endian(in(1'000'000), 3);
  out.insert(out.end(), fraction.begin(), fraction.end());
  return out;
}

Bytes date_cell() {
  const uint64_t date = (2026ull << 9) | (1 + in(12)) << 5 | (1 + in(28));
  return {static_cast<uint8_t>(date), static_cast<uint8_t>(date >> 8), static_cast<uint8_t>(date >> 16)};
}

/// `count` pieces in any order.
std::string words(std::initializer_list<std::string_view> pieces, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += *(pieces.begin() + in(pieces.size()));
  return out;
}

Bytes compressed_cell(uint32_t prefix_bytes) {
  const std::string text = words({"the order ", "was paid ", "by card ", "and sent ", "on time "}, 60);
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  std::string out{static_cast<char>(0x8a), static_cast<char>(text.size() >> 8), static_cast<char>(text.size())};
  const size_t head = out.size();
  out.resize(head + libdeflate_deflate_compress_bound(compressor.get(), text.size()));
  out.resize(head + libdeflate_deflate_compress(compressor.get(), text.data(), text.size(), out.data() + head,
                                                out.size() - head));
  return prefixed(out, prefix_bytes);
}

/// {"a": N, "b": "text of some length"} as MySQL packs it.
Bytes json_cell() {
  const std::string text = words({"north ", "south ", "east ", "west "}, 5);
  std::string body{0x02, 0x00};  // two members
  const size_t size = 4 + 2 * 4 + 2 * 3 + 2 + 1 + text.size();
  body += {static_cast<char>(size), static_cast<char>(size >> 8)};         // bytes
  body += {18, 0, 1, 0, 19, 0, 1, 0};                                      // keys: offset, length
  body += {0x05, static_cast<char>(in(256)), static_cast<char>(in(100))};  // int16
  body += {0x0c, 20, 0};                                                   // string at 20
  body += "ab";
  body += static_cast<char>(text.size());
  return prefixed(std::string(1, '\0') + body + text, 4);
}

const std::vector<TypeClass>& classes() {
  constexpr TargetType kInt64{TIDEMARK_INT64, 0, 0};
  constexpr TargetType kText{TIDEMARK_TEXT, 0, 0};
  constexpr TargetType kBytes{TIDEMARK_BYTES, 0, 0};
  static const std::vector<TypeClass> all{
      {"BIGINT", 8, 0, 0, SqlType::bigint, "", kInt64, kPlain, [] { return random_bytes(8); }},
      {"INT", 3, 0, 0, SqlType::integer, "", {TIDEMARK_INT32, 0, 0}, kPlain, [] { return random_bytes(4); }},
      {"TINYINT", 1, 0, 0, SqlType::tinyint, "", {TIDEMARK_INT8, 0, 0}, kPlain, [] { return random_bytes(1); }},
      {"DOUBLE", 5, 8, 0, SqlType::double_, "", {TIDEMARK_FLOAT64, 0, 0}, kPlain, [] { return random_bytes(8); }},
      {"FLOAT", 4, 4, 0, SqlType::float_, "", {TIDEMARK_FLOAT32, 0, 0}, kPlain, [] { return random_bytes(4); }},
      {"DECIMAL(18,9)",
       246,
       18,
       9,
       SqlType::decimal,
       "",
       {TIDEMARK_DECIMAL64, 18, 9},
       kPlain,
       [] { return decimal_cell(2); }},
      {"DECIMAL(36,18)",
       246,
       36,
       18,
       SqlType::decimal,
       "",
       {TIDEMARK_DECIMAL128, 36, 18},
       kPlain,
       [] { return decimal_cell(4); }},
      {"DECIMAL(63,27)",
       246,
       63,
       27,
       SqlType::decimal,
       "",
       {TIDEMARK_DECIMAL256, 63, 27},
       kPlain,
       [] { return decimal_cell(7); }},
      {"DATETIME(6)", 18, 6, 0, SqlType::datetime, "", {TIDEMARK_DATETIME, 0, 0}, kPlain, datetime_cell},
      {"TIMESTAMP",
       17,
       0,
       0,
       SqlType::timestamp,
       "",
       {TIDEMARK_TIMESTAMP, 0, 0},
       kPlain,
       [] { return random_bytes(4); }},
      {"DATE", 10, 0, 0, SqlType::date, "", {TIDEMARK_DATE, 0, 0}, kPlain, date_cell},
      {"TIME(3)",
       19,
       3,
       0,
       SqlType::time,
       "",
       {TIDEMARK_TIME, 0, 0},
       kPlain,
       [] { return big_endian(0x8000000000 + (in(800) << 28), 5); }},
      {"YEAR", 13, 0, 0, SqlType::year, "", {TIDEMARK_UINT16, 0, 0}, kPlain, [] { return random_bytes(1); }},
      {"BIT(64)", 16, 0, 8, SqlType::bit, "", {TIDEMARK_UINT64, 0, 0}, kPlain, [] { return random_bytes(8); }},
      {"ENUM", 254, 0xf7, 1, SqlType::enum_, "", kText, kPlain, [] { return Bytes{static_cast<uint8_t>(1 + in(3))}; }},
      {"SET", 254, 0xf8, 1, SqlType::set_, "", kText, kPlain, [] { return Bytes{static_cast<uint8_t>(in(8))}; }},
      {"VARCHAR utf8mb4", 15, 0, 1, SqlType::varchar, "utf8mb4", kText, kPlain,
       [] {
         return prefixed(words({"order ", "paid ", "card "}, 1 + in(6)), 2);
       }},
      {"VARCHAR utf8mb4, not ASCII", 15, 0, 1, SqlType::varchar, "utf8mb4", kText, kPlain,
       [] {
         return prefixed(words({"é", "日", "語", "ü", " "}, 1 + in(20)), 2);
       }},
      {"VARCHAR latin1", 15, 0, 1, SqlType::varchar, "latin1", kText, kConverted,
       [] {
         return prefixed(words({"caf\xe9 ", "na\xefve ", "plain "}, 1 + in(6)), 2);
       }},
      {"VARCHAR gbk", 15, 0, 1, SqlType::varchar, "gbk", kText, kConverted,
       [] {
         return prefixed(words({"\xc8\xd5", "\xd6\xd0", "a"}, 1 + in(20)), 2);
       }},
      {"VARCHAR utf16", 15, 0, 1, SqlType::varchar, "utf16", kText, kConverted,
       [] {
         return prefixed(words({std::string_view("\0a", 2), std::string_view("\x65\xe5", 2)}, 1 + in(20)), 2);
       }},
      {"BLOB", 252, 2, 0, SqlType::blob, "", kBytes, kPlain,
       [] {
         const Bytes bytes = random_bytes(in(60));
         return prefixed({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 2);
       }},
      {"TEXT COMPRESSED", 140, 2, 0, SqlType::text, "utf8mb4", kText, kInflated, [] { return compressed_cell(2); }},
      {"JSON", 245, 4, 0, SqlType::json, "", {TIDEMARK_JSON, 0, 0}, kConverted, json_cell},
  };
  return all;
}

size_t value_bytes(uint32_t type) {
  return type == TIDEMARK_DECIMAL256 ? 32 : 16;  // at most, for the others
}

/// One class: its program, an event of kRows rows, and a batch for them.
class Case {
 public:
  explicit Case(const TypeClass& of) {
    auto map = std::make_shared<TableMap>();
    map->database = "bench";
    map->table = of.name;
    TableSchema schema;
    std::vector<TargetColumn> targets;
    for (uint32_t i = 0; i <= kColumns; ++i) {
      const bool id = i == 0;
      map->columns.push_back(id ? describe_column(8, 0, 0, false)
                                : describe_column(of.type, of.meta_first, of.meta_second, true));
      ColumnSchema column;
      column.type = id ? SqlType::bigint : of.sql_type;
      column.charset = of.charset;
      if (of.sql_type == SqlType::enum_ || of.sql_type == SqlType::set_) column.members = {"new", "paid", "sent"};
      schema.columns.push_back(column);
      targets.push_back({static_cast<int32_t>(i), id ? TargetType{TIDEMARK_INT64, 0, 0} : of.target});
      values_.emplace_back(value_bytes(targets.back().type.type) * kRows);
      validity_.emplace_back(kRows / 8);
      columns_.push_back({values_.back().data(), validity_.back().data()});
    }
    map->metadata.resize(map->columns.size());
    auto program = ColumnProgram::compile(map, &schema, targets);
    if (!program) {
      std::fprintf(stderr, "%s: %s\n", of.name, program.error().to_string().c_str());
      std::exit(2);
    }
    program_.emplace(std::move(program).value());
    for (uint32_t row = 0; row < kRows; ++row) {
      image_.push_back(0);
      append(random_bytes(8));
      for (uint32_t i = 0; i < kColumns; ++i) append(of.cell());
    }
    heap_.resize(image_.size() * 40 + 4096);
    rows_.column_count = kColumns + 1;
    rows_.present = {&present_, 1};
    rows_.rows = image_;
  }

  size_t bytes() const { return image_.size(); }

  void decode() {
    for (auto& bits : validity_) std::fill(bits.begin(), bits.end(), uint8_t{0});
    RowOutput output{columns_.data(), nullptr, 0, kRows, heap_.data(), 0, heap_.size()};
    RowCursor cursor;
    const auto done = program_->decode(rows_, cursor, output);
    if (!done || *done != FillState::event_done) {
      std::fprintf(stderr, "%s\n", done ? "the batch is full" : done.error().to_string().c_str());
      std::exit(2);
    }
  }

 private:
  void append(const Bytes& bytes) { image_.insert(image_.end(), bytes.begin(), bytes.end()); }

  std::optional<ColumnProgram> program_;
  std::vector<std::vector<uint8_t>> values_;
  std::vector<std::vector<uint8_t>> validity_;
  std::vector<tidemark_column> columns_;
  std::vector<char> heap_;
  Bytes image_;
  const uint8_t present_ = 0x0f;
  RowsEvent rows_;
};

/// Seconds of one event's decoding: the best of many, so that other work on the machine counts little.
double best_seconds(Case& of, std::chrono::milliseconds spend) {
  double best = 1e9;
  const auto end = Clock::now() + spend;
  while (Clock::now() < end) {
    const auto start = Clock::now();
    of.decode();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace
}  // namespace tidemark::binlog

int main(int argc, char** argv) {
  using namespace tidemark::binlog;
  const std::chrono::milliseconds spend(argc > 1 ? std::atoi(argv[1]) : 200);
  double bigint = 0;
  bool slow = false;
  std::printf("%-28s %9s %9s %9s %9s\n", "decode", "B/row", "ns/row", "MB/s", "of BIGINT");
  for (const TypeClass& type : classes()) {
    if (argc > 2 && bigint != 0 && std::string_view(type.name) != argv[2]) continue;
    Case of(type);
    const double seconds = best_seconds(of, spend);
    const double rate = static_cast<double>(of.bytes()) / seconds / 1e6;
    if (bigint == 0) bigint = rate;
    const bool fails = rate < bigint * type.ratio_min;
    slow = slow || fails;
    std::printf("%-28s %9.1f %9.1f %9.0f %8.2fx%s\n", type.name, static_cast<double>(of.bytes()) / kRows,
                seconds / kRows * 1e9, rate, rate / bigint, fails ? "  too slow" : "");
  }
  return slow ? 1 : 0;
}
