// SPDX-License-Identifier: Apache-2.0
// See the header. Lines are gathered to some tens of KiB before they are written.
// Thread: one.
#include "binlog/cat.hpp"

#include <charconv>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "binlog/change_json.hpp"
#include "binlog/file_reader.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/statement_scan.hpp"
#include "binlog/table_resolver.hpp"

namespace tidemark::binlog {
namespace {

namespace fs = std::filesystem;

constexpr size_t kWriteBytes = size_t{1} << 16;
constexpr size_t kTablesMax = 1024;

/// Number behind the last dot; nullopt if there is none.
std::optional<uint64_t> number_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  uint64_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, code] = std::from_chars(name.data() + dot + 1, end, number);
  if (code != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// Files of the same series that come before, without a gap, in order.
std::vector<fs::path> earlier_files(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::optional<uint64_t> number = number_of(name);
  if (!number) return {};
  const std::string base = name.substr(0, name.rfind('.') + 1);
  std::map<uint64_t, fs::path> found;
  std::error_code code;
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
    const std::string other = at->path().filename().string();
    const std::optional<uint64_t> other_number = number_of(other);
    if (other_number && *other_number < *number && other.substr(0, other.rfind('.') + 1) == base) {
      found.emplace(*other_number, at->path());
    }
  }
  std::vector<fs::path> files;
  for (uint64_t wanted = *number; wanted-- > 0 && found.contains(wanted);) files.insert(files.begin(), found[wanted]);
  return files;
}

class Cat {
 public:
  Cat(const fs::path& path, std::ostream& out, std::ostream& notes) : path_(path), out_(out), notes_(notes) {}

  void take_earlier_files() {
    for (const fs::path& earlier : earlier_files(path_)) {
      auto file = FileReader::open(earlier.string());
      const Checked done = file ? track_statements(*file, tracker_) : Checked(file.error());
      if (file) take_prepared(*file);
      if (done) continue;
      // Names may now be those of another time, so none of these are taken.
      notes_ << "note: " << done.error().to_string() << ": the DDL of the earlier files is not used\n";
      tracker_ = {};
      return;
    }
  }

  Outcome<CatSummary> run() {
    auto opened = TransactionReader::open(path_.string(), 0, &prepared_);
    if (!opened) return std::move(opened).error();
    reader_.emplace(std::move(opened).value());
    if (reader_->format().created_s != 0) tracker_.forget_temporary_tables();
    auto result = read();
    flush();
    if (result && !out_) {
      return DecodeError{ErrorKind::io, "the output cannot be written", path_.string(), reader_->resume_position(), {}};
    }
    return result;
  }

 private:
  struct Table {
    std::shared_ptr<const TableMap> map;
    uint64_t revision;
    std::shared_ptr<const TableSchema> schema;
    ChangeJson json;
  };

  Outcome<CatSummary> read() {
    Item item;
    while (true) {
      auto state = reader_->next(item);
      if (!state) return state.error();
      if (*state == ReadState::end_of_file) {
        if (!prepared_.empty()) notes_ << "note: " << prepared_.pending_text() << '\n';
        return summary_;
      }
      if (*state == ReadState::incomplete) {
        if (!reader_->format().in_use) return reader_->incomplete_error();
        notes_ << "note: " << reader_->incomplete_error().to_string() << "; the server was still writing\n";
        return summary_;
      }
      switch (item.kind) {
        case ItemKind::rows:
          if (auto done = take_rows(item); !done) return located(done.error(), item.position);
          break;
        case ItemKind::statement:
          if (item.statement == StatementKind::ddl) track(item);
          break;
        case ItemKind::statement_change:
          note_statement(item);
          track(item);
          break;
        case ItemKind::end:
          ++summary_.transactions;
          note_withheld();
          break;
        default:
          break;
      }
      if (buffer_.size() >= kWriteBytes) flush();
      if (!out_) return summary_;
    }
  }

  /// Of an earlier file: what it prepares may be committed in this one.
  void take_prepared(FileReader& earlier) {
    const Checked done = track_prepared(earlier, prepared_);
    if (done) return;
    notes_ << "note: " << done.error().to_string() << ": XA transactions that were prepared before it are not known\n";
    prepared_ = {};
  }

  Checked take_rows(const Item& item) {
    Table& table = table_of(item);
    RowImages images(*item.table, item.rows);
    const ChangePlace place{reader_->file().name(), item.position, &reader_->group()};
    while (true) {
      auto more = images.next(image_);
      if (!more) return std::move(more).error();
      if (!*more) break;
      const bool is_update = image_.kind == ImageKind::update_before;
      if (is_update) {
        auto after = images.next(after_);
        if (!after) return std::move(after).error();
      }
      table.json.append(buffer_, place, image_, is_update ? &after_ : nullptr);
      ++summary_.changes;
      if (buffer_.size() >= kWriteBytes) flush();
      for (const std::string& text : table.json.take_notes()) {
        if (noted_.insert(text).second) notes_ << "note: " << text << "; shown as it stands in the log\n";
      }
    }
    return Done{};
  }

  Table& table_of(const Item& item) {
    if (tables_.size() > kTablesMax) tables_.clear();
    const auto found = tables_.find(item.table.get());
    if (found != tables_.end() && found->second.revision == tracker_.revision()) return found->second;
    auto schema = resolve_schema(*item.table, tracker_);
    if (!schema && noted_.insert(item.table->database + "." + item.table->table).second) {
      notes_ << "note: " << located(schema.error(), item.position).to_string()
             << "; columns without a name are shown as @1, @2, ...\n";
    }
    std::shared_ptr<const TableSchema> known = schema ? *schema : nullptr;
    Table table{item.table, tracker_.revision(), known, ChangeJson(*item.table, known.get())};
    return tables_.insert_or_assign(item.table.get(), std::move(table)).first->second;
  }

  void track(const Item& item) {
    tracker_.on_statement(statement_at(item.query, reader_->file().name(), item.position));
  }

  void note_statement(const Item& item) {
    ++summary_.statement_changes;
    notes_ << "note: " << path_.string() << ':' << item.position
           << ": data was changed by a logged statement, whose rows are not in the log: "
           << item.query.text.substr(0, 200) << '\n';
  }

  void note_withheld() {
    if (const auto text = reader_->xa_notice()) notes_ << "note: " << *text << '\n';
    if (reader_->group().row_events_withheld == 0) return;
    notes_ << "note: " << path_.string() << ':' << reader_->group().position << ": "
           << reader_->group().row_events_withheld
           << " row events of a transaction that was rolled back are not shown\n";
  }

  DecodeError located(DecodeError error, uint64_t position) const {
    if (error.file.empty()) {
      error.file = path_.string();
      error.position = position;
    }
    return error;
  }

  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    out_.flush();
    buffer_.clear();
  }

  fs::path path_;
  std::ostream& out_;
  std::ostream& notes_;
  SchemaTracker tracker_;
  PreparedTransactions prepared_;
  std::optional<TransactionReader> reader_;
  std::unordered_map<const TableMap*, Table> tables_;
  std::set<std::string> noted_;
  RowImage image_;
  RowImage after_;
  std::string buffer_;
  CatSummary summary_;
};

}  // namespace

Outcome<CatSummary> cat_file(const fs::path& path, const CatOptions& options, std::ostream& out, std::ostream& notes) {
  Cat cat(path, out, notes);
  if (options.use_earlier_files) cat.take_earlier_files();
  return cat.run();
}

}  // namespace tidemark::binlog
