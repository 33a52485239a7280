// SPDX-License-Identifier: Apache-2.0
// See the header. Lines are gathered to some tens of KiB before they are written.
// Thread: one.
#include "binlog/cat.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "binlog/cat_stats.hpp"
#include "binlog/change_json.hpp"
#include "binlog/file_reader.hpp"
#include "binlog/schema_file.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/statement_scan.hpp"
#include "binlog/table_resolver.hpp"

namespace tidemark::binlog {
namespace {

constexpr size_t kWriteBytes = size_t{1} << 16;
constexpr size_t kTablesMax = 1024;

class Cat {
 public:
  Cat(std::span<const CatInput> inputs, const CatOptions& options, CatOutput& output)
      : inputs_(inputs), options_(options), filter_(options.filter), output_(output) {}

  Outcome<CatSummary> run() {
    auto done = read_files();
    auto flushed = flush();
    if (!done) return std::move(done).error();
    if (!flushed) return std::move(flushed).error();
    if (timeless_ > 0) {
      note(std::to_string(timeless_) + " transactions have no commit time and are left out");
    }
    return summary_;
  }

 private:
  /// How the reading of a file ended.
  enum class FileEnd : uint8_t { closed, open, torn, enough };

  struct Table {
    std::shared_ptr<const TableMap> map;
    uint64_t revision = 0;
    bool taken = false;
    std::optional<DecodeError> refusal;  ///< its rows cannot be told apart
    std::shared_ptr<const TableSchema> schema;
    ChangeJson json;
  };

  Checked read_files();
  Checked begin_file();
  void take_earlier_files();
  void take_prepared(FileReader& earlier);
  Outcome<FileEnd> read_file();
  Checked check_end(FileEnd end);
  Checked take(const Item& item);
  Checked take_rows(const Item& item);
  Checked count_rows(const Item& item);
  Checked print_rows(const Item& item, Table& table);
  Table& table_of(const Item& item);
  void take_statement(const Item& item);
  void take_statement_change(const Item& item);
  void begin_group();
  void end_group();

  Checked flush() {
    if (buffer_.empty()) return Done{};
    auto done = output_.write(buffer_);
    buffer_.clear();
    return done;
  }

  void note(const std::string& text) { output_.note(text); }
  std::string path() const { return inputs_[file_].path.string(); }
  std::string place(uint64_t position) const { return path() + ":" + std::to_string(position) + ": "; }

  std::span<const CatInput> inputs_;
  const CatOptions& options_;
  const CatFilter& filter_;
  CatOutput& output_;
  size_t file_ = 0;
  SchemaTracker declared_;  ///< the tables of the schema files as its base
  SchemaTracker tracker_;
  PreparedTransactions prepared_;
  std::optional<TransactionReader> reader_;
  bool group_taken_ = true;
  std::unordered_map<const TableMap*, Table> tables_;
  std::set<std::string> noted_;
  RowImage image_;
  RowImage after_;
  std::string buffer_;
  CatSummary summary_;
  uint64_t timeless_ = 0;
};

Checked Cat::read_files() {
  if (auto loaded = load_schema_files(options_.schema_files, declared_); !loaded) return loaded;
  for (file_ = 0; file_ < inputs_.size(); ++file_) {
    if (filter_.ends_before(file_, 0)) return Done{};
    if (auto begun = begin_file(); !begun) return begun;
    auto end = read_file();
    if (!end) return std::move(end).error();
    if (*end == FileEnd::enough) return Done{};
    if (auto checked = check_end(*end); !checked) return checked;
  }
  return Done{};
}

Checked Cat::begin_file() {
  const bool continues = inputs_[file_].continues;
  if (!continues) {
    tracker_ = declared_;
    prepared_ = {};
    if (options_.use_earlier_files) take_earlier_files();
  }
  auto opened = TransactionReader::open(path(), 0, &prepared_, options_.keyring_file);
  if (!opened) return std::move(opened).error();
  reader_.emplace(std::move(opened).value());
  tables_.clear();
  if (reader_->format().created_s != 0) tracker_.forget_temporary_tables();
  if (options_.stats != nullptr) options_.stats->begin_file(continues);
  return Done{};
}

void Cat::take_earlier_files() {
  for (const std::filesystem::path& earlier : earlier_logs(inputs_[file_].path)) {
    auto file = FileReader::open(earlier.string(), options_.keyring_file);
    const Checked done = file ? track_statements(*file, tracker_) : Checked(file.error());
    if (file) take_prepared(*file);
    if (done) continue;
    // Names may now be those of another time, so none of these are taken.
    note(done.error().to_string() + ": the DDL of the earlier files is not used");
    tracker_ = declared_;
    return;
  }
}

/// Of an earlier file: what it prepares may be committed in this one.
void Cat::take_prepared(FileReader& earlier) {
  const Checked done = track_prepared(earlier, prepared_);
  if (done) return;
  note(done.error().to_string() + ": XA transactions that were prepared before it are not known");
  prepared_ = {};
}

Outcome<Cat::FileEnd> Cat::read_file() {
  Item item;
  bool closed = false;
  while (true) {
    auto state = reader_->next(item);
    if (!state) return std::move(state).error();
    if (*state == ReadState::end_of_file) return closed ? FileEnd::closed : FileEnd::open;
    if (*state == ReadState::incomplete) return FileEnd::torn;
    closed = item.kind == ItemKind::rotate || item.kind == ItemKind::stop;
    if (item.kind == ItemKind::begin && filter_.ends_before(file_, item.position)) return FileEnd::enough;
    if (auto done = take(item); !done) return located(std::move(done).error(), path(), item.position);
    if (buffer_.size() < kWriteBytes) continue;
    if (auto done = flush(); !done) return std::move(done).error();
  }
}

/// A file that ends inside a group, or without ROTATE or STOP with another one behind it: the server's end explains it,
/// or it is an error.
Checked Cat::check_end(FileEnd end) {
  const bool last = file_ + 1 == inputs_.size() || !inputs_[file_ + 1].continues;
  if (last && !prepared_.empty()) note(prepared_.pending_text());
  if (end == FileEnd::closed) return Done{};
  const bool in_use = reader_->format().in_use;
  const std::string torn = end == FileEnd::torn ? reader_->incomplete_error().to_string() : std::string();
  if (last) {
    if (end == FileEnd::open) return Done{};
    if (!in_use) return reader_->incomplete_error();
    note(torn + "; the server was still writing when the file was taken");
    return Done{};
  }
  const std::string next = inputs_[file_ + 1].path.string();
  const auto after = FileReader::open(next, options_.keyring_file);
  if (!after) return after.error();
  if (after->format().created_s == 0 || (end == FileEnd::torn && !in_use)) {
    DecodeError error = reader_->incomplete_error();
    error.position = reader_->resume_position();
    error.text = "the file ends here without a ROTATE or STOP event, but " + next + " follows it";
    error.remedy = "the copy was cut: copy the file again from the server";
    return error;
  }
  note((end == FileEnd::torn ? torn
                             : place(reader_->resume_position()) + "the file ends without a ROTATE or STOP event") +
       "; " + next + " is of a new server start, so this is taken for the end at a crash");
  return Done{};
}

Checked Cat::take(const Item& item) {
  switch (item.kind) {
    case ItemKind::begin:
      begin_group();
      break;
    case ItemKind::rows:
      return take_rows(item);
    case ItemKind::statement:
      if (item.statement == StatementKind::ddl) take_statement(item);
      break;
    case ItemKind::statement_change:
      take_statement(item);
      break;
    case ItemKind::end:
      end_group();
      break;
    default:
      break;
  }
  return Done{};
}

void Cat::begin_group() {
  const GroupInfo& group = reader_->group();
  group_taken_ = filter_.takes_group(group);
  if (filter_.needs_time() && group.commit_time_us == kNoTime) ++timeless_;
}

void Cat::end_group() {
  const GroupInfo& group = reader_->group();
  if (group_taken_) ++summary_.transactions;
  if (options_.stats != nullptr) options_.stats->end_transaction(reader_->file().name(), group);
  if (!group_taken_ || !filter_.takes_position(file_, group.position)) return;
  if (const auto text = reader_->xa_notice()) note(*text);
  if (group.row_events_withheld == 0) return;
  note(place(group.position) + std::to_string(group.row_events_withheld) +
       " row events of a transaction that was rolled back are not shown");
}

void Cat::take_statement(const Item& item) {
  const ParsedStatement statement =
      tracker_.on_statement(statement_at(item.query, reader_->file().name(), item.position, reader_->format().flavor,
                                         reader_->group().gtid.stands_alone()));
  if (item.kind != ItemKind::statement_change && !statement.changes_rows()) return;
  const bool taken =
      !statement.names_its_targets() || std::ranges::any_of(statement.targets, [&](const TableRef& table) {
        return filter_.takes_table(table.database, table.table);
      });
  if (taken) take_statement_change(item);
}

void Cat::take_statement_change(const Item& item) {
  if (!group_taken_ || !filter_.takes_position(file_, item.position)) return;
  ++summary_.statement_changes;
  if (options_.stats != nullptr) options_.stats->add_statement_change();
  note(place(item.position) + "data was changed by a logged statement, whose rows are not in the log: " +
       std::string(item.query.text.substr(0, 200)));
}

Checked Cat::take_rows(const Item& item) {
  if (!group_taken_ || !filter_.takes_position(file_, item.position)) return Done{};
  Table& table = table_of(item);
  if (!table.taken) return Done{};
  if (table.refusal) return *table.refusal;
  return options_.stats != nullptr ? count_rows(item) : print_rows(item, table);
}

Checked Cat::count_rows(const Item& item) {
  RowImages images(*item.table, item.rows);
  uint64_t changes = 0;
  while (true) {
    auto more = images.next(image_);
    if (!more) return std::move(more).error();
    if (!*more) break;
    if (image_.kind != ImageKind::update_before) ++changes;
  }
  summary_.changes += changes;
  options_.stats->add_changes(*item.table, item.rows.kind, changes, item.rows.rows.size());
  return Done{};
}

Checked Cat::print_rows(const Item& item, Table& table) {
  RowImages images(*item.table, item.rows);
  const ChangePlace at{reader_->file().name(), item.position, &reader_->group()};
  while (true) {
    auto more = images.next(image_);
    if (!more) return std::move(more).error();
    if (!*more) return Done{};
    const bool is_update = image_.kind == ImageKind::update_before;
    if (is_update) {
      auto after = images.next(after_);
      if (!after) return std::move(after).error();
    }
    table.json.append(buffer_, at, image_, is_update ? &after_ : nullptr);
    ++summary_.changes;
    for (const std::string& text : table.json.take_notes()) {
      if (noted_.insert(text).second) note(text + "; shown as it stands in the log");
    }
    if (buffer_.size() < kWriteBytes) continue;
    if (auto done = flush(); !done) return done;
  }
}

Cat::Table& Cat::table_of(const Item& item) {
  if (tables_.size() > kTablesMax) tables_.clear();
  const auto found = tables_.find(item.table.get());
  if (found != tables_.end() && found->second.revision == tracker_.revision()) return found->second;
  const TableMap& map = *item.table;
  const bool taken = filter_.takes_table(map.database, map.table);
  std::shared_ptr<const TableSchema> known;
  std::optional<DecodeError> refusal;
  if (auto clear = check_widths(map, tracker_); taken && !clear) {
    refusal = std::move(clear).error();
  } else if (taken && options_.stats == nullptr) {
    auto schema = resolve_schema(map, tracker_);
    if (schema) {
      known = *schema;
    } else if (noted_.insert(map.full_name()).second) {
      note(located(schema.error(), path(), item.position).to_string() +
           "; columns without a name are shown as @1, @2, ...");
    }
  }
  Table table{item.table, tracker_.revision(), taken, std::move(refusal), known, ChangeJson(map, known.get())};
  return tables_.insert_or_assign(item.table.get(), std::move(table)).first->second;
}

}  // namespace

Outcome<CatSummary> cat_files(std::span<const CatInput> inputs, const CatOptions& options, CatOutput& output) {
  return Cat(inputs, options, output).run();
}

}  // namespace tidemark::binlog
