// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of all fuzz targets: seeds OUT PLUGIN...: pieces of the corpora's binlogs, example jobs, and bytes
// that the product's own writers make. The same seeds every time.
// One thread.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "binlog/charset.hpp"
#include "binlog/file_reader.hpp"
#include "binlog/log_cipher.hpp"
#include "binlog/prepared_transactions.hpp"
#include "binlog/query_event.hpp"
#include "binlog/row_images.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/statement_kind.hpp"
#include "binlog/transaction_reader.hpp"
#include "binlog_file/split_position.hpp"
#include "core/batch/batch_codec.hpp"
#include "core/late/late_key.hpp"
#include "core/late/late_page.hpp"
#include "core/state/keys.hpp"
#include "core/state/page_format.hpp"
#include "core/state/records.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/key_codec.hpp"
#include "tests/corpora_files.hpp"
#include "tests/fuzz/stored_rows.hpp"
#include "tests/unit/binlog/encrypted_log.hpp"

namespace fs = std::filesystem;
namespace binlog = tidemark::binlog;
namespace core = tidemark::core;

namespace {

using Bytes = std::vector<uint8_t>;

class Seeds {
 public:
  explicit Seeds(fs::path folder) : folder_(std::move(folder)) { fs::create_directories(folder_); }

  /// At most `limit` seeds of one kind.
  void add(const std::string& target, const std::string& kind, const Bytes& bytes, size_t limit = 8) {
    size_t& count = counts_[target + "/" + kind];
    if (count >= limit) return;
    fs::create_directories(folder_ / target);
    tidemark::test::write_bytes(folder_ / target / (kind + "-" + std::to_string(count++)), bytes);
  }
  void add(const std::string& target, const std::string& kind, std::string_view bytes, size_t limit = 8) {
    add(target, kind, Bytes(bytes.begin(), bytes.end()), limit);
  }

 private:
  fs::path folder_;
  std::map<std::string, size_t> counts_;
};

void append(Bytes& out, std::span<const uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_part(Bytes& out, std::span<const uint8_t> bytes) {
  out.push_back(static_cast<uint8_t>(bytes.size()));
  out.push_back(static_cast<uint8_t>(bytes.size() >> 8));
  append(out, bytes);
}

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string with_first(char first, std::string_view rest) {
  return std::string(1, first).append(rest);
}

/// One file's events as seeds of the targets about single events.
class EventSeeds {
 public:
  EventSeeds(Seeds& seeds, std::string kind) : seeds_(seeds), kind_(std::move(kind)) {}

  void take(const binlog::EventView& event, const binlog::FormatDescription& format) {
    using binlog::EventType;
    mariadb_ = format.flavor == binlog::Flavor::mariadb;
    constexpr size_t kBytesMax = 8192;
    if (event.body.size() > kBytesMax) return;
    if (event.header.type == EventType::table_map) map_.assign(event.body.begin(), event.body.end());
    if (event.header.type == EventType::query || event.header.type == EventType::query_compressed) query(event);
    if (binlog::is_rows_event(event.header.type)) rows(event, format);
    if (event.header.type == EventType::transaction_payload) {
      Bytes seed{0};
      append(seed, event.body);
      seeds_.add("payload", kind_, seed);
    }
  }
  void finish() {
    if (!statements_.empty()) seeds_.add("ddl", kind_, "\3\xff" + statements_);
    if (!statements_.empty()) seeds_.add("ddl", kind_, std::string("\0\x2d", 2) + statements_);
    std::string state;
    tracker_.serialise(state);
    seeds_.add("position", kind_ + "-tracker", with_first(2, state));
    binlog::PreparedTransactions transactions;
    transactions.remember({{1, "gtrid", "bqual"}, "binlog.000001", 158, 1'774'742'340, 1, 3, "0-1-42"});
    std::string prepared;
    transactions.serialise(prepared);
    seeds_.add("position", kind_ + "-prepared", with_first(3, prepared));
    const tidemark::binlog_file::SplitPosition position{"binlog.000001", 4, 1,     2,       99,
                                                        1'774'742'340,   1, state, prepared};
    seeds_.add("position", kind_, with_first(0, tidemark::binlog_file::encode_position(position)));
    seeds_.add("position", kind_, with_first(1, tidemark::binlog_file::encode_position(position)));
  }

 private:
  void query(const binlog::EventView& event) {
    Bytes scratch;
    const auto query = binlog::parse_query_event(event, scratch);
    if (!query) return;
    if (event.header.type == binlog::EventType::query_compressed) {
      Bytes seed{1};
      append(seed, event.body);
      seeds_.add("mariadb_compressed", kind_ + "-query", seed);
    }
    const auto flavor = mariadb_ ? binlog::Flavor::mariadb : binlog::Flavor::mysql;
    const auto statement = binlog::classify_statement(query->text, binlog::sql_rules(*query, flavor));
    if (statement != binlog::StatementKind::ddl && statement != binlog::StatementKind::data_change) return;
    tracker_.on_statement(binlog::statement_at(*query, "binlog.000001", event.position, flavor));
    if (statements_.size() + query->text.size() > 4000) return;
    if (query->text.find("CREATE TABLE") != std::string_view::npos) create_ = query->text;
    statements_.append(query->text).push_back('\0');
  }
  void rows(const binlog::EventView& event, const binlog::FormatDescription& format) {
    const uint8_t type = static_cast<uint8_t>(event.header.type);
    if (type >= static_cast<uint8_t>(binlog::EventType::write_rows_compressed_v1)) {
      const auto index = type - static_cast<uint8_t>(binlog::EventType::write_rows_compressed_v1);
      Bytes seed{static_cast<uint8_t>(2 | index << 2)};
      append(seed, event.body);
      seeds_.add("mariadb_compressed", kind_ + "-rows", seed);
    }
    if (map_.empty()) return;
    Bytes seed{static_cast<uint8_t>(mariadb_ ? 1 : 0), type};
    append_part(seed, bytes_of(create_));
    append_part(seed, map_);
    append(seed, event.body);
    seeds_.add("rows", kind_ + "-" + std::to_string(type), seed, 4);
    json(event, format);
  }
  // Documents, and diffs behind the document that was last seen.
  void json(const binlog::EventView& event, const binlog::FormatDescription& format) {
    binlog::EventView map_event;
    map_event.body = map_;
    const auto map = binlog::parse_table_map(map_event, format);
    Bytes scratch;
    const auto rows = binlog::parse_rows_event(event, format, scratch);
    if (!map || !rows || map->columns.size() != rows->column_count) return;
    binlog::RowImages images(*map, *rows);
    binlog::RowImage image;
    while (true) {
      const auto more = images.next(image);
      if (!more || !*more) return;
      cells(*map, image);
      for (size_t i = 0; i < image.cells.size(); ++i) {
        if (map->columns[i].type != binlog::WireType::json || image.cells[i].bytes.empty()) continue;
        const auto content = image.cells[i].bytes.subspan(map->columns[i].prefix_bytes);
        const bool is_document = image.cells[i].state == binlog::CellState::value;
        if (is_document) document_.assign(content.begin(), content.end());
        Bytes seed;
        append_part(seed, document_);
        if (!is_document) append(seed, content);
        seeds_.add("json", kind_ + (is_document ? "-document" : "-diffs"), seed);
      }
    }
  }
  // Values of every type, in the form that cell.cpp reads.
  void cells(const binlog::TableMap& map, const binlog::RowImage& image) {
    const auto schema = tracker_.find(map.database, map.table).schema;
    if (!schema || schema->columns.size() != map.columns.size()) return;
    for (size_t i = 0; i < image.cells.size(); ++i) {
      if (image.cells[i].state != binlog::CellState::value || image.cells[i].bytes.size() > 1000) continue;
      const binlog::ColumnType& type = map.columns[i];
      const binlog::ColumnSchema& column = schema->columns[i];
      const bool members = type.type == binlog::WireType::enum_ || type.type == binlog::WireType::set_;
      uint32_t collation = 0;
      while (collation < 255 && binlog::charset_of_collation(collation) != column.charset) ++collation;
      Bytes seed{static_cast<uint8_t>(members ? binlog::WireType::string : type.type),
                 static_cast<uint8_t>(type.meta),
                 static_cast<uint8_t>(type.meta >> 8),
                 static_cast<uint8_t>((column.is_unsigned ? 1 : 0) | column.members.size() % 16 << 1),
                 static_cast<uint8_t>(column.type),
                 static_cast<uint8_t>(collation),
                 0,
                 static_cast<uint8_t>(column.length),
                 static_cast<uint8_t>(column.scale)};
      append(seed, image.cells[i].bytes.subspan(type.prefix_bytes));
      seeds_.add("cell", column.name, seed);
    }
  }

  Seeds& seeds_;
  std::string kind_;
  bool mariadb_ = false;
  Bytes map_;
  Bytes document_;
  std::string create_;
  std::string statements_;
  binlog::SchemaTracker tracker_;
};

constexpr char kFirstGtidText = 6;  // of gtids.cpp: what a seed's first byte chooses

/// GTID events, sets and positions, as the target numbers them.
void gtid_seed(Seeds& seeds, const binlog::EventView& event) {
  constexpr std::pair<binlog::EventType, char> kNumbers[] = {
      {binlog::EventType::gtid, 0},         {binlog::EventType::anonymous_gtid, 1}, {binlog::EventType::gtid_tagged, 2},
      {binlog::EventType::mariadb_gtid, 3}, {binlog::EventType::previous_gtids, 4}, {binlog::EventType::gtid_list, 5},
      {binlog::EventType::xa_prepare, 7}};
  for (const auto& [type, number] : kNumbers) {
    if (event.header.type != type) continue;
    Bytes seed{static_cast<uint8_t>(number)};
    append(seed, event.body);
    seeds.add("gtids", "type" + std::to_string(static_cast<int>(type)), seed, 4);
  }
}

void transaction_seeds(Seeds& seeds) {
  constexpr char kUuid[] = "00010203-0405-0607-0809-0a0b0c0d0e0f";
  for (const std::string& text :
       {std::string(kUuid) + ":1-5:8:tag:3-4,\n" + kUuid + ":7", std::string("0-1-42, 1-2-3"),
        std::string("0-1-5..0-1-9"), std::string("XA COMMIT X'6162','c',1"), std::string("XA END 0x61")}) {
    seeds.add("gtids", "text", with_first(kFirstGtidText, text));
  }
  seeds.add("gtids", "heartbeat",
            with_first(8, std::string("\x01\x0d"
                                      "binlog.000001\x02\x01\x9e\x00",
                                      19)));
  // Groups of transactions.cpp: prepared, plain, committed; compressed; rolled back; in doubt.
  seeds.add("transactions", "two-phase", std::string("\3\3\2\0\0\0\1\0\4", 9));
  seeds.add("transactions", "compressed", std::string("\4\x0b\2\0\0\x14\4\x0b\1\0\6", 11));
  seeds.add("transactions", "savepoint", std::string("\2\3\3\1\0\2\6\0\3\1\0\2\4", 13));
}

/// Pieces of a file, each behind the FORMAT_DESCRIPTION. Only the first piece has right end positions as it is; the
/// others are for the target that repairs them.
void binlog_seeds(Seeds& seeds, const fs::path& path, const std::string& kind) {
  constexpr size_t kPieceBytes = 2000;
  const Bytes file = tidemark::test::read_bytes(path);
  auto reader = binlog::FileReader::open(path.string());
  if (!reader) return;
  EventSeeds events(seeds, kind);
  const size_t first = reader->first_position();
  const std::span<const uint8_t> head(file.data(), first);
  Bytes piece(head.begin(), head.end());
  bool whole_head = true;  // the piece is the file's begin
  binlog::EventView event;
  while (true) {
    const auto state = reader->next(event);
    if (!state || *state != binlog::ReadState::ready) break;
    events.take(event, reader->format());
    gtid_seed(seeds, event);
    const size_t size = event.header.size;
    if (size > 2 * kPieceBytes) continue;
    append(piece, std::span(file).subspan(event.position, size));
    const bool cut = event.header.type == binlog::EventType::xid || event.header.type == binlog::EventType::query ||
                     event.header.type == binlog::EventType::transaction_payload;
    if (piece.size() < kPieceBytes || !cut) continue;
    if (whole_head) seeds.add("binlog_file", kind, piece);
    seeds.add("binlog_repaired", kind, piece, 3);
    whole_head = false;
    piece.assign(head.begin(), head.end());
  }
  if (whole_head) seeds.add("binlog_file", kind, piece);
  seeds.add("binlog_repaired", kind, piece, 3);
  events.finish();
}

void corpus_seeds(Seeds& seeds) {
  for (const char* name : {"types", "variants", "orders-mysql-9.7", "orders-mariadb-10.11"}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(tidemark::test::corpus(name))) {
      const std::string file = entry.path().filename().string();
      const bool small = entry.is_regular_file() && entry.file_size() < (size_t{4} << 20);
      if (small && (file.starts_with("binlog.") || file.ends_with(".binlog"))) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const std::string shard = file.parent_path().filename().string();
      binlog_seeds(seeds, file, shard + "-" + file.stem().string());
    }
  }
}

void encryption_seeds(Seeds& seeds) {
  const binlog::LogKey key = binlog::log_key(1);
  for (const std::string& keyring :
       {binlog::keyring_json({key}), binlog::keyring_binary({key, key}, 1), binlog::keyring_binary({key}, 2)}) {
    seeds.add("encryption", "keyring", with_first(0, keyring), 4);
  }
  Bytes log = tidemark::test::read_bytes(tidemark::test::corpus("orders-mysql-9.7") / "shard-01" / "binlog.000001");
  log.resize(2000);
  const Bytes encrypted = binlog::encrypted({}, key);
  Bytes header{1};
  append(header, std::span(encrypted).subspan(binlog::kEncryptedMagic.size(), 200));
  seeds.add("encryption", "header", header);
  Bytes damaged{2, 0, 4, 1};
  append(damaged, log);
  seeds.add("encryption", "log", damaged);
  Bytes plain{3};
  append(plain, log);
  seeds.add("encryption", "plain", plain);
}

void text_seeds(Seeds& seeds) {
  for (const char* folder : {"config/examples", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TIDEMARK_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".toml") continue;
      seeds.add("job", entry.path().stem().string(), tidemark::test::read_bytes(entry.path()));
    }
  }
  seeds.add("job", "broken",
            "[job]\nid = \"${X}\"\nstate = '${Y:-a}'\n[[source]]\nid=1\n[source.watermark]\nx = \"5 s\"");
  const std::vector<std::string> texts[] = {
      {"count()", "COUNT(*)", "sum(`a b`)", "count_distinct(\"x\")", "avg( amount )", "max(", "foo(a, b)"},
      {"${X}", "a${Y:-b}c$$", "${Z:?say}", "${1}", "${X", "$ $$ ${é}"},
      {"500ms", "1m30s", "-5s", "0.5s", "7d", "64MiB", "64MB", "1500B", "10", "9223372036854775807us"},
      {"12.3400", "-0.01", "115792089237316195423570985008687907853269984665640564039457584007913129639935"},
  };
  for (size_t i = 0; i < std::size(texts); ++i) {
    for (const std::string& text : texts[i]) {
      seeds.add("texts", "kind" + std::to_string(i), with_first(static_cast<char>(i), text), 20);
    }
  }
  seeds.add("texts", "time", std::string("\4\0\0\0\0\0\0\x80", 8));
}

void expression_seeds(Seeds& seeds) {
  for (const char* text :
       {"FROM_UNIXTIME(id / 1000)",
        "ts + INTERVAL '1.5' SECOND - INTERVAL n MONTH",
        "price * 1.19 > 12 AND NOT b OR n IS NULL",
        "name NOT LIKE 'gr__e!%%' ESCAPE '!'",
        "CASE n WHEN 10 THEN ts ELSE TIMESTAMP '2026-01-01 00:00:00+01:00' END",
        "COALESCE(CAST(name AS DECIMAL(10,2)), big / u, -d)",
        "n IN (1, 2.5, NULL) = (op = 'insert')",
        "GREATEST(date_trunc('week', dt), day, '2026-01-31')",
        "CAST(CAST(id % 7 DIV n AS CHAR(3)) AS DOUBLE) BETWEEN 0 AND 1e3",
        "`id` + \"n\" = UNIX_TIMESTAMP(ts)",
        "1 < n < 3",
        "((((((",
        "sum(n)",
        "'open",
        "sum(price * n) FILTER (WHERE name = 'paid' OR b) / count(DISTINCT n)",
        "CONCAT_WS(',', LOWER(name), UPPER(name), SUBSTRING(name, -3, 2), LPAD(name, n, '<>')) || REVERSE(name)",
        "TRIM(LEADING 'x' FROM name) LIKE REPLACE(name, 'a', REPEAT('b', n)) OR STARTS_WITH(name, op)",
        "LOCATE('e', name, n) + CHAR_LENGTH(name) - POSITION('5' IN SUBSTRING_INDEX(name, '.', n))",
        "ROUND(price, -1) + TRUNCATE(d, 2) * FLOOR(big) % CEIL(wide) - ABS(id) DIV SIGN(POW(d, SQRT(n)))",
        "EXTRACT(YEAR_MONTH FROM ts) + TIMESTAMPDIFF(MONTH, dt, day) + WEEK(day, 3) + DATEDIFF(LAST_DAY(ts), dt)",
        "DATE_FORMAT(CONVERT_TZ(DATE_ADD(ts, INTERVAL n HOUR), 'Europe/Berlin', '+05:30'), '%X %V %D %r %j %f %')",
        "doc->>'$.a.b[1]' = JSON_VALUE(doc, '$.\"k k\"' RETURNING CHAR(3)) AND JSON_LENGTH(name, '$[0]') > 1",
        "JSON_TYPE(JSON_EXTRACT('{\"a\": [1e3, \"\\ud83d\\ude00\"]}', '$.a[1]'))",
        "JSON_UNQUOTE(CONCAT('\"', name, '\"'))",
        "REGEXP_REPLACE(name, '([a-z])|x*', '$1\\0') REGEXP '^(a+)+[^b]{2,3}$'",
        "IF(ISNULL(NULLIF(name, 'paid')), REGEXP_SUBSTR(name, '[0-9]+'), REGEXP_LIKE(op, 'IN', 'im'))"}) {
    seeds.add("expression", "text", text, 20);
  }
}

std::string pane_page() {
  core::PanePageBuilder builder;
  builder.add({"", "empty key", false});
  builder.add({"customer-1", "abc", false});
  builder.add({"customer-12", "", true});
  return builder.finish();
}

void late_seeds(Seeds& seeds, const core::BatchRef& batch) {
  core::LatePageHeader about;
  about.source = "orders";
  about.split = "shard-01";
  about.reason = core::LateReason::too_late;
  for (const uint32_t rows : {1u, batch->rows}) {
    core::LatePageBuilder builder(about, batch->layout_ptr());
    core::LateRun run;
    run.watermark = 5'000'000;
    run.holder = "shard-02";
    builder.begin_run(run);
    for (uint32_t row = 0; row < rows; ++row) builder.add(*batch, row);
    seeds.add("late_page", "page", with_first(0, builder.finish()));
    seeds.add("late_page", "page", with_first(1, builder.finish()));
  }
}

void group_seeds(Seeds& seeds, const core::BatchRef& batch) {
  const auto& input = *batch->layout_ptr();
  std::vector<uint32_t> columns;
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < input.columns.size(); ++i) columns.push_back(i);
  for (uint32_t i = 0; i < batch->rows; ++i) rows.push_back(i);
  core::EncodedKeys keys;
  if (!core::KeyCodec(columns, input).encode(*batch, rows, keys)) return;
  for (const bool changelog : {false, true}) {
    const auto layout = core::AccumulatorLayout::compile(tidemark::fuzz::all_functions(input, changelog), input);
    if (!layout) return;
    std::vector<uint64_t> memory(layout->width() / sizeof(uint64_t));
    auto* row = reinterpret_cast<std::byte*>(memory.data());
    layout->init(row);
    const core::UpdateTarget target{row, 0, batch->rows};
    layout->update(*batch, {&target, 1}, rows.data());
    std::string accumulators;
    layout->encode(row, accumulators);
    layout->destroy(row);
    for (const size_t at : {size_t{0}, keys.size() - 1}) {
      Bytes seed{static_cast<uint8_t>(changelog)};
      append_part(seed, bytes_of(keys.at(at)));
      append(seed, bytes_of(accumulators));
      seeds.add("groups", "group", seed);
    }
  }
}

constexpr size_t kRepair = 0x80;  // of state.cpp: put the checksum right

void stored_seeds(Seeds& seeds) {
  const core::BatchRef batch = tidemark::fuzz::sample_batch(tidemark::fuzz::all_types(), 7);
  core::SplitRecord split;
  split.source = "orders";
  split.split = "shard-01";
  split.position = "position";
  core::JobRecord job;
  job.job = "j";
  job.fingerprints = {{"a", "b"}};
  const std::string stored[] = {pane_page(), core::encode(split), core::encode(core::OperatorRecord()),
                                core::encode(job), core::encode(core::EpochRecord())};
  for (size_t i = 0; i < std::size(stored); ++i) {
    seeds.add("state", "stored", with_first(static_cast<char>(i), stored[i]), 99);
    seeds.add("state", "stored", with_first(static_cast<char>(kRepair | i), stored[i]), 99);
  }
  for (const std::string& key : {core::encode_page_key({1, 60'000'000, 3, {core::PageKind::delta, 9, 2}, 1}),
                                 core::encode_late_key({5, 1, 2, 3, 4}), core::source_key("a", "b")}) {
    seeds.add("state", "key", with_first(5, key));
  }
  std::string bytes;
  core::encode_batch(*batch, bytes);
  for (const char repair : {'\0', '\1'}) seeds.add("batch", "batch", with_first(repair, bytes));
  late_seeds(seeds, batch);
  group_seeds(seeds, batch);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s OUT [PLUGIN.so ...]\n", arguments[0]);
    return 2;
  }
  try {
    Seeds seeds(arguments[1]);
    corpus_seeds(seeds);
    encryption_seeds(seeds);
    text_seeds(seeds);
    expression_seeds(seeds);
    transaction_seeds(seeds);
    stored_seeds(seeds);
    for (int i = 2; i < count; ++i) seeds.add("elf_info", "plugin", tidemark::test::read_bytes(arguments[i]));
    seeds.add("canary", "start", std::string_view("wave"));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
