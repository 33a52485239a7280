// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: one at a time.
#include "binlog_file/binlog_file_source.hpp"

#include <algorithm>

#include "binlog/keyring_file.hpp"
#include "binlog/schema_file.hpp"
#include "binlog_file/file_split_reader.hpp"

namespace tidemark::binlog_file {
namespace {

constexpr size_t kNamesShown = 20;

template <class Names>
std::string joined(const Names& names) {
  std::string text;
  size_t shown = 0;
  for (const TableName& name : names) {
    if (shown++ == kNamesShown) return text + " and " + std::to_string(names.size() - kNamesShown) + " more";
    text += (text.empty() ? "" : ", ") + name.text();
  }
  return text;
}

std::string count_of(size_t tables) {
  return std::to_string(tables) + (tables == 1 ? " table" : " tables");
}

std::string assumption_text(const TableName& table, const std::string& charset, const std::set<std::string>& columns) {
  std::string names;
  for (const std::string& column : columns) names += (names.empty() ? "" : ", ") + column;
  return table.text() + ": the log does not tell the character set of column" + (columns.size() == 1 ? " " : "s ") +
         names + ": the server's default, " + charset +
         ", is assumed; if it is another one, write binlogs with binlog_row_metadata=FULL, start with the binlog that "
         "holds the database's CREATE DATABASE, or declare the table in a 'schema_file'";
}

/// "; near: a, b", or the tables there are.
std::string hint(const TablePattern& pattern, const std::vector<TableName>& seen) {
  const std::vector<TableName> near = near_names(pattern, seen);
  if (!near.empty()) return "near names: " + joined(near);
  return seen.empty() ? "the files name no table at all" : "the files have: " + joined(seen);
}

}  // namespace

BinlogFileSource::BinlogFileSource(const Options& options, Host host)
    : host_(host),
      shards_(options.list("shards")),
      filter_(options.list("tables"), options.list("exclude_tables")),
      read_options_{options.boolean("follow"),
                    options.find("read_limit").value_or(""),
                    options.find("keyring_file").value_or(""),
                    nullptr,
                    false,
                    false,
                    {}} {
  if (shards_.empty()) {
    fail(SourceError("option 'shards' is empty", {}, "name directories or files: shards = [\"data/shard-*\"]")
             .kind(ErrorKind::config));
  }
  ReadLimit check(read_options_.read_limit);
  if (!read_options_.keyring_file.empty()) {
    const auto keyring = binlog::KeyringFile::open(read_options_.keyring_file);
    if (!keyring) fail(SourceError("option 'keyring_file': " + keyring.error().to_string()).kind(ErrorKind::config));
  }
  const std::vector<std::string> schema_files = options.list("schema_file");
  auto declared = std::make_shared<binlog::SchemaTracker>();
  if (const auto done = load_schema_files(schema_files, *declared); !done) {
    fail(SourceError("option 'schema_file': " + done.error().to_string())
             .kind(done.error().kind == binlog::ErrorKind::io ? ErrorKind::io : ErrorKind::config));
  }
  read_options_.declared = std::move(declared);
}

const SchemaScan& BinlogFileSource::scanned() {
  if (!scan_) {
    auto scan = std::make_unique<SchemaScan>(filter_, read_options_);
    for (const Shard& shard : find_shards(shards_)) scan->scan(shard);
    report(*scan);
    scan_ = std::move(scan);
  }
  return *scan_;
}

void BinlogFileSource::report(const SchemaScan& scan) {
  const std::vector<TableName> seen(scan.seen().begin(), scan.seen().end());
  std::string unmatched;
  size_t matched = 0;
  for (const TablePattern& pattern : filter_.tables()) {
    const auto hits = std::count_if(seen.begin(), seen.end(), [&](const TableName& name) {
      return pattern.matches(name.database, name.table) && filter_.matches(name.database, name.table);
    });
    matched += static_cast<size_t>(hits);
    if (hits > 0) continue;
    const std::string text =
        "option 'tables': pattern \"" + pattern.text() + "\" matches no table; " + hint(pattern, seen);
    unmatched += (unmatched.empty() ? "" : ". ") + text;
    host_.log(LogLevel::warning, text);
  }
  for (const std::string& file : scan.headless()) {
    host_.log(LogLevel::info, file + ": the server has not written the head of the file yet");
    if (matched == 0) unmatched += ". " + file + " has no head yet: start once the server has written to it";
  }
  if (matched == 0) fail(SourceError(unmatched).kind(ErrorKind::config));
  for (const std::string& reason : scan.unknown()) host_.log(LogLevel::warning, reason + "; reading will stop there");
  if (scan.columns().columns().empty()) {
    fail(SourceError(scan.unknown().empty() ? "no column of the matched tables has a type that is decoded"
                                            : scan.unknown().front())
             .kind(ErrorKind::data));
  }
  for (const auto& [shard, tables] : scan.matched()) {
    host_.log(LogLevel::info, shard + ": " + count_of(tables.size()) + " matched: " + joined(tables));
  }
  for (const auto& [table, charsets] : scan.assumed()) {
    for (const auto& [charset, columns] : charsets) {
      host_.log(LogLevel::warning, assumption_text(table, charset, columns));
    }
  }
  for (const std::string& column : scan.columns().left_out()) {
    host_.log(LogLevel::warning, "column " + column + " has a type that is not decoded, and is left out");
  }
}

Schema BinlogFileSource::schema() {
  return scanned().columns().to_schema();
}

std::vector<FoundSplit> BinlogFileSource::discover() {
  const auto& matched = scanned().matched();
  std::vector<FoundSplit> found;
  for (const Shard& shard : find_shards(shards_)) {
    if (discovered_ && known_.count(shard.id) == 0 && !can_begin(shard)) continue;
    known_.insert(shard.id);
    const auto tables = matched.find(shard.id);
    found.push_back({shard.id, tables == matched.end()
                                   ? "came after the start"
                                   : count_of(tables->second.size()) + ": " + joined(tables->second)});
  }
  discovered_ = true;
  return found;
}

// False while a shard that came later has no file, or one without a head, as a server leaves it for a moment.
bool BinlogFileSource::can_begin(const Shard& shard) {
  std::string why;
  try {
    const auto file = binlog::FileReader::open(shard.path_of(log_files(shard).front()), read_options_.keyring_file);
    if (file || file.error().kind != binlog::ErrorKind::torn_tail) return true;  // what is damaged is for the reader
    why = "its first file has no head yet";
  } catch (const SourceError& error) {
    why = error.what();
  }
  if (waiting_.insert(shard.id).second) host_.log(LogLevel::info, shard.id + " cannot be read yet: " + why);
  return false;
}

std::unique_ptr<SourceReader> BinlogFileSource::open_reader(const ReaderContext& context) {
  const std::vector<UnionColumn>& columns = scanned().columns().columns();
  std::vector<WantedColumn> wanted;
  for (uint32_t i = 0; i < context.layout.batch_column_count(); ++i) {
    const UnionColumn& column = columns[context.layout.schema_column(i)];
    wanted.push_back({column.name, column.type, column.place});
  }
  ReadOptions options = read_options_;
  options.header_time = context.event_time == EventTime::header;
  options.truncates = context.layout.wants_truncates();
  if (options.truncates || context.layout.wants_partial_images()) options.key = scanned().columns().key();
  return std::make_unique<FileSplitReader>(filter_, std::move(wanted), std::move(options), context.host);
}

uint64_t BinlogFileSource::features() const {
  uint64_t features = TIDEMARK_CAN_PAUSE_SPLITS | TIDEMARK_EXACT_TRANSACTIONS | TIDEMARK_HAS_HEADER_TIME |
                      TIDEMARK_GIVES_TRUNCATES | TIDEMARK_GIVES_PARTIAL_IMAGES;
  if (!read_options_.follow) features |= TIDEMARK_BOUNDED;
  return features;
}

}  // namespace tidemark::binlog_file

TIDEMARK_SOURCE(
    tidemark::binlog_file::BinlogFileSource, "binlog_file", "0.1.0",
    {"shards", "list", "", "Directories of binlogs, binlog files, or globs of either; each match is one split",
     tidemark::kRequired},
    {"tables", "list", "*",
     "Tables to take: \"[database.]table\", each half a glob or a /regular expression/ for the whole name"},
    {"exclude_tables", "list", "", "Tables to leave out, in the same spelling"},
    {"schema_file", "list", "",
     "Files of CREATE TABLE statements for tables whose CREATE is not in the binlogs: as the tables were where "
     "reading begins"},
    {"follow", "bool", "false", "Wait for more at the end: growing files and rotation"},
    {"read_limit", "text", "", "Most rows per second and split, such as \"5000/s\""},
    {"keyring_file", "text", "", "Keyring file of the MySQL server, for binlogs written with binlog_encryption=ON"})
