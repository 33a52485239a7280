// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: one.
#include "binlog/cat_stats.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "binlog/change_json.hpp"

namespace tidemark::binlog {
namespace {

std::string time_text(int64_t time_us) {
  return time_us == kNoTime ? "-" : rfc3339_utc(time_us);
}

std::string seconds_text(int64_t time_us) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%lld.%06lld", static_cast<long long>(time_us / 1'000'000),
                static_cast<long long>(time_us % 1'000'000));
  return text.data();
}

std::string place_text(const TransactionStats& transaction) {
  return transaction.file + ":" + std::to_string(transaction.position);
}

/// Rows of cells, the first one the head; columns from `first_left` on are set to the left, as is the first one.
std::string aligned(const std::vector<std::vector<std::string>>& rows, size_t first_left) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      const bool left = i == 0 || i >= first_left;
      line += (i == 0 ? "" : "  ") + (left ? row[i] + blanks : blanks + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string largest_text(const char* title, const std::vector<TransactionStats>& transactions) {
  std::vector<std::vector<std::string>> rows{{"place", "rows", "bytes", "commit time", "gtid"}};
  for (const TransactionStats& transaction : transactions) {
    rows.push_back({place_text(transaction), std::to_string(transaction.rows), std::to_string(transaction.bytes),
                    time_text(transaction.commit_us), transaction.gtid.empty() ? "-" : transaction.gtid});
  }
  return std::string("\n") + title + "\n" + aligned(rows, 3);
}

class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_.push_back('{'); }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;
  ~JsonObject() { out_.push_back('}'); }

  std::string& key(std::string_view name) {
    if (!first_) out_.push_back(',');
    first_ = false;
    append_json_string(out_, name);
    out_.push_back(':');
    return out_;
  }
  void number(std::string_view name, uint64_t value) { key(name) += std::to_string(value); }
  void time(std::string_view name, int64_t time_us) {
    if (time_us == kNoTime) {
      key(name) += "null";
    } else {
      append_json_string(key(name), rfc3339_utc(time_us));
    }
  }

 private:
  std::string& out_;
  bool first_ = true;
};

void append_largest(std::string& out, const std::vector<TransactionStats>& transactions) {
  out.push_back('[');
  for (size_t i = 0; i < transactions.size(); ++i) {
    if (i > 0) out.push_back(',');
    const TransactionStats& transaction = transactions[i];
    JsonObject object(out);
    append_json_text(object.key("file"), transaction.file);
    object.number("position", transaction.position);
    if (transaction.gtid.empty()) {
      object.key("gtid") += "null";
    } else {
      append_json_string(object.key("gtid"), transaction.gtid);
    }
    object.time("commit_time", transaction.commit_us);
    object.number("rows", transaction.rows);
    object.number("bytes", transaction.bytes);
  }
  out.push_back(']');
}

void append_table(std::string& out, const std::string& name, const TableStats& table) {
  JsonObject object(out);
  append_json_text(object.key("table"), name);
  object.number("inserts", table.inserts);
  object.number("updates", table.updates);
  object.number("deletes", table.deletes);
  object.number("image_bytes", table.image_bytes);
  object.number("transactions", table.transactions);
  object.time("first_commit_time", table.first_commit_us);
  object.time("last_commit_time", table.last_commit_us);
  object.key("largest_gap_seconds") += seconds_text(table.largest_gap_us);
  object.time("largest_gap_after", table.gap_after_us);
}

/// The largest first; of equal ones the earlier.
void keep_largest(std::vector<TransactionStats>& kept, const TransactionStats& transaction,
                  uint64_t TransactionStats::*size) {
  const auto at = std::find_if(kept.begin(), kept.end(),
                               [&](const TransactionStats& other) { return other.*size < transaction.*size; });
  if (at == kept.end() && kept.size() == CatStats::kLargestKept) return;
  kept.insert(at, transaction);
  if (kept.size() > CatStats::kLargestKept) kept.pop_back();
}

}  // namespace

void CatStats::begin_file(bool continues) {
  ++files_;
  if (!continues) previous_commit_us_.clear();
}

void CatStats::add_changes(const TableMap& table, RowsKind kind, uint64_t changes, uint64_t image_bytes) {
  std::string name = table.full_name();
  TableStats& stats = tables_[name];
  stats.image_bytes += image_bytes;
  switch (kind) {
    case RowsKind::write:
      stats.inserts += changes;
      break;
    case RowsKind::update:
      stats.updates += changes;
      break;
    case RowsKind::delete_:
      stats.deletes += changes;
      break;
  }
  changed_[std::move(name)] += changes;
}

void CatStats::end_transaction(std::string_view file, const GroupInfo& group) {
  if (changed_.empty()) return;
  ++transactions_;
  TransactionStats transaction{
      std::string(file), group.position, group.gtid_text, group.commit_time_us, 0, group.end_position - group.position};
  for (const auto& [name, changes] : changed_) {
    transaction.rows += changes;
    TableStats& table = tables_[name];
    ++table.transactions;
    if (group.commit_time_us == kNoTime) continue;
    if (table.first_commit_us == kNoTime) table.first_commit_us = table.last_commit_us = group.commit_time_us;
    table.first_commit_us = std::min(table.first_commit_us, group.commit_time_us);
    table.last_commit_us = std::max(table.last_commit_us, group.commit_time_us);
    const auto previous = previous_commit_us_.find(name);
    if (previous != previous_commit_us_.end() && group.commit_time_us - previous->second > table.largest_gap_us) {
      table.largest_gap_us = group.commit_time_us - previous->second;
      table.gap_after_us = previous->second;
    }
    previous_commit_us_[name] = group.commit_time_us;
  }
  keep_largest(most_rows_, transaction, &TransactionStats::rows);
  keep_largest(most_bytes_, transaction, &TransactionStats::bytes);
  changed_.clear();
}

std::string CatStats::text() const {
  std::string out = std::to_string(files_) + (files_ == 1 ? " file, " : " files, ") + std::to_string(transactions_) +
                    (transactions_ == 1 ? " transaction" : " transactions") + " with changes of rows";
  if (statement_changes_ > 0) out += ", " + std::to_string(statement_changes_) + " logged statements that change data";
  out += '\n';
  if (tables_.empty()) return out;
  std::vector<std::vector<std::string>> rows{{"table", "inserts", "updates", "deletes", "image bytes", "transactions",
                                              "largest gap s", "first commit", "last commit", "largest gap after"}};
  for (const auto& [name, table] : tables_) {
    rows.push_back({name, std::to_string(table.inserts), std::to_string(table.updates), std::to_string(table.deletes),
                    std::to_string(table.image_bytes), std::to_string(table.transactions),
                    seconds_text(table.largest_gap_us), time_text(table.first_commit_us),
                    time_text(table.last_commit_us), time_text(table.gap_after_us)});
  }
  out += "\n" + aligned(rows, 7);
  out += largest_text("longest transactions by rows", most_rows_);
  out += largest_text("longest transactions by bytes in the file", most_bytes_);
  return out;
}

std::string CatStats::json() const {
  std::string out;
  {
    JsonObject object(out);
    object.number("files", files_);
    object.number("transactions", transactions_);
    object.number("statement_changes", statement_changes_);
    object.key("tables") += '[';
    bool first = true;
    for (const auto& [name, table] : tables_) {
      if (!first) out.push_back(',');
      first = false;
      append_table(out, name, table);
    }
    out.push_back(']');
    append_largest(object.key("longest_by_rows"), most_rows_);
    append_largest(object.key("longest_by_bytes"), most_bytes_);
  }
  out.push_back('\n');
  return out;
}

}  // namespace tidemark::binlog
