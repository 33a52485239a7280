// SPDX-License-Identifier: Apache-2.0
//
// The target on a server: what information_schema says of the table, the transaction's statements, and the table
// tidemark_epochs beside it, which has one row per job and sink.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/log.hpp"
#include "core/sink/mysql_columns.hpp"
#include "core/sink/mysql_session.hpp"
#include "core/sink/mysql_statements.hpp"
#include "core/sink/mysql_target.hpp"

namespace tidemark::core {
namespace {

using Kind = TargetOutcome::Kind;

constexpr const char* kEpochs = "tidemark_epochs";
constexpr const char* kCreateEpochs =
    "CREATE TABLE IF NOT EXISTS tidemark_epochs (job VARCHAR(190) NOT NULL, sink VARCHAR(190) NOT NULL, "
    "state_id VARCHAR(64) NOT NULL, epoch BIGINT UNSIGNED NOT NULL, written_at TIMESTAMP NOT NULL DEFAULT "
    "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY (job, sink)) ENGINE = InnoDB "
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
constexpr uint64_t kPacketMargin = 1024;

std::string literal(std::string_view text) {
  std::string out;
  append_sql_text(text, out);
  return out;
}

uint64_t number_in(const std::optional<std::string>& text) {
  uint64_t out = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), out);
  return out;
}

std::optional<unsigned> optional_number(const std::optional<std::string>& text) {
  return text ? std::optional<unsigned>(static_cast<unsigned>(number_in(text))) : std::nullopt;
}

bool contains(const std::optional<std::string>& text, std::string_view part) {
  return text && text->find(part) != std::string::npos;
}

class MysqlTable final : public MysqlTarget {
 public:
  MysqlTable(MysqlLogin login, std::string table, std::string job, std::string sink, uint64_t batch_bytes)
      : login_(std::move(login)),
        table_(std::move(table)),
        job_(std::move(job)),
        sink_(std::move(sink)),
        batch_bytes_(batch_bytes),
        session_(login_) {}

  Status open(const std::shared_ptr<const BatchLayout>& layout, const std::vector<std::string>& key) override;
  Result<std::string> new_state_id() override;
  std::string describe_epoch() const override;
  TargetOutcome begin() override;
  TargetOutcome read_epoch(std::optional<TargetEpoch>& epoch) override;
  TargetOutcome write(const ResultRows& rows, std::span<const uint32_t> indexes) override;
  TargetOutcome write_epoch(const TargetEpoch& epoch) override;
  TargetOutcome commit() override { return named(session_.commit()); }
  void abandon() override { session_.rollback(); }

 private:
  Status query(const std::string& sql, SqlRows& rows);
  Status describe_table(TableShape& shape);
  Status read_columns(TableShape& shape);
  Status read_indexes(TableShape& shape);
  Status probe_collation(TableColumn& column);
  Status ensure_epochs_table();
  TargetOutcome connect();
  TargetOutcome named(TargetOutcome outcome) const;

  MysqlLogin login_;
  std::string table_;
  std::string job_;
  std::string sink_;
  uint64_t batch_bytes_;
  MysqlSession session_;
  std::optional<MysqlStatements> statements_;
  uint64_t packet_bytes_ = 0;  // that the server takes at most
  std::string sql_;            // scratch
};

TargetOutcome MysqlTable::named(TargetOutcome outcome) const {
  if (outcome.kind == Kind::failed) outcome.text = login_.describe() + ": " + outcome.text;
  return outcome;
}

TargetOutcome MysqlTable::connect() {
  if (TargetOutcome connected = session_.connect(); !connected.is_ok()) return named(std::move(connected));
  SqlRows rows;
  TargetOutcome asked = session_.query("SELECT @@max_allowed_packet", rows);
  if (asked.is_ok() && !rows.empty()) packet_bytes_ = number_in(rows[0][0]);
  return named(std::move(asked));
}

Status MysqlTable::query(const std::string& sql, SqlRows& rows) {
  const TargetOutcome done = named(session_.query(sql, rows));
  return done.is_ok() ? Status() : Status(Code::io, done.text).set_retryable();
}

Status MysqlTable::open(const std::shared_ptr<const BatchLayout>& layout, const std::vector<std::string>& key) {
  if (const TargetOutcome connected = connect(); !connected.is_ok()) {
    return Status(Code::io, "cannot connect to " + connected.text).set_retryable();
  }
  TableShape shape;
  shape.name = table_;
  if (Status described = describe_table(shape); !described) return described;
  if (shape.columns.empty()) {
    return {Code::config, fmt::format("{} has no table {} (or shows it to this user not); one that fits is: {}",
                                      login_.describe(), table_, create_table_text(table_, *layout, key))};
  }
  auto links = link_columns(shape, *layout, key);
  if (!links) return links.status().with_context(login_.describe());
  statements_.emplace(table_, std::move(*links));
  if (Status ensured = ensure_epochs_table(); !ensured) return ensured;
  session_.rollback();
  return {};
}

Status MysqlTable::describe_table(TableShape& shape) {
  SqlRows rows;
  Status asked =
      query(fmt::format(
                "SELECT t.ENGINE, e.TRANSACTIONS FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES "
                "e ON e.ENGINE = t.ENGINE WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = {}",
                literal(table_)),
            rows);
  if (!asked || rows.empty()) return asked;
  shape.engine = rows[0][0].value_or("none (it is a view)");
  shape.transactional = rows[0][1] == "YES";
  if (Status read = read_columns(shape); !read) return read;
  return read_indexes(shape);
}

Status MysqlTable::read_columns(TableShape& shape) {
  SqlRows rows;
  Status asked =
      query(fmt::format("SELECT COLUMN_NAME, LOWER(DATA_TYPE), COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, "
                        "NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, CHARACTER_SET_NAME, COLLATION_NAME FROM "
                        "information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {} ORDER BY "
                        "ORDINAL_POSITION",
                        literal(table_)),
            rows);
  for (const auto& row : rows) {
    TableColumn& column = shape.columns.emplace_back();
    column.name = row[0].value_or("");
    column.type = row[1].value_or("");
    column.full_type = row[2].value_or("");
    column.nullable = row[3] == "YES";
    column.has_default = row[4].has_value();
    column.auto_increment = contains(row[5], "auto_increment");
    column.generated = contains(row[5], " GENERATED");
    column.precision = optional_number(row[6]);
    column.scale = optional_number(row[7]);
    column.fraction = optional_number(row[8]);
    column.charset = row[9].value_or("");
    column.collation = row[10].value_or("");
  }
  for (TableColumn& column : shape.columns) {
    if (!asked) break;
    if (column.charset == "utf8mb4") asked = probe_collation(column);
  }
  return asked;
}

// What a collation takes for the same is asked of the server itself: names and versions differ.
Status MysqlTable::probe_collation(TableColumn& column) {
  const auto same = [&](const char* a, const char* b) {
    return fmt::format("_utf8mb4'{}' COLLATE {} = _utf8mb4'{}' COLLATE {}", a, column.collation, b, column.collation);
  };
  SqlRows rows;
  Status asked = query(fmt::format("SELECT {} OR {} OR {}, {}", same("a", "A"), same("a", "\xC3\xA1"),
                                   same("ss", "\xC3\x9F"), same("a", "a ")),
                       rows);
  if (!asked || rows.empty()) return asked;
  column.tells_apart = rows[0][0] == "0";
  column.pads = rows[0][1] == "1";
  return asked;
}

Status MysqlTable::read_indexes(TableShape& shape) {
  SqlRows rows;
  Status asked = query(fmt::format("SELECT INDEX_NAME, NON_UNIQUE, COLUMN_NAME, SUB_PART FROM "
                                   "information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {} "
                                   "ORDER BY INDEX_NAME, SEQ_IN_INDEX",
                                   literal(table_)),
                       rows);
  for (const auto& row : rows) {
    const std::string name = row[0].value_or("");
    if (shape.indexes.empty() || shape.indexes.back().name != name) {
      shape.indexes.push_back({name, row[1] == "0", {}});
    }
    shape.indexes.back().parts.push_back({row[2].value_or(""), row[3].has_value()});
  }
  return asked;
}

Status MysqlTable::ensure_epochs_table() {
  SqlRows rows;
  Status asked = query(fmt::format("SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND "
                                   "TABLE_NAME = {}",
                                   literal(kEpochs)),
                       rows);
  if (!asked || !rows.empty()) return asked;
  const TargetOutcome made = named(session_.execute(kCreateEpochs));
  if (made.is_ok()) return {};
  return {Code::io, fmt::format("{}; let this user create the table {}, in which the job keeps its epochs, or create "
                                "it: {}",
                                made.text, kEpochs, kCreateEpochs)};
}

Result<std::string> MysqlTable::new_state_id() {
  SqlRows rows;
  if (Status asked = query("SELECT UUID()", rows); !asked) return asked;
  if (rows.empty() || !rows[0][0]) return Status(Code::io, login_.describe() + ": the server gives no UUID()");
  return *rows[0][0];
}

std::string MysqlTable::describe_epoch() const {
  return fmt::format("the row of job `{}` and sink `{}` in {} of {}", job_, sink_, kEpochs, login_.describe());
}

// A connection may have been closed while nothing was to be written: that is no failure.
TargetOutcome MysqlTable::begin() {
  if (!session_.is_alive()) {
    if (TargetOutcome connected = connect(); !connected.is_ok()) return connected;
  }
  return named(session_.execute("START TRANSACTION"));
}

TargetOutcome MysqlTable::read_epoch(std::optional<TargetEpoch>& epoch) {
  SqlRows rows;
  TargetOutcome asked =
      named(session_.query(fmt::format("SELECT state_id, epoch FROM {} WHERE job = {} AND sink = {} FOR UPDATE",
                                       kEpochs, literal(job_), literal(sink_)),
                           rows));
  epoch.reset();
  if (!rows.empty()) epoch = {rows[0][0].value_or(""), number_in(rows[0][1])};
  return asked;
}

TargetOutcome MysqlTable::write(const ResultRows& rows, std::span<const uint32_t> indexes) {
  sql_.clear();
  if (auto refusal = statements_->append(rows, indexes, sql_)) return {Kind::refused, std::move(*refusal)};
  if (indexes.size() > 1 && sql_.size() > batch_bytes_) return {Kind::too_much, {}};
  if (packet_bytes_ != 0 && sql_.size() + kPacketMargin > packet_bytes_) {
    return {Kind::too_much, fmt::format("its {} bytes are more than max_allowed_packet of the server ({})", sql_.size(),
                                        packet_bytes_)};
  }
  return named(session_.execute(sql_));
}

TargetOutcome MysqlTable::write_epoch(const TargetEpoch& epoch) {
  return named(session_.execute(fmt::format(
      "INSERT INTO {} (job, sink, state_id, epoch) VALUES ({}, {}, {}, {}) ON DUPLICATE KEY UPDATE state_id = "
      "VALUES(state_id), epoch = VALUES(epoch)",
      kEpochs, literal(job_), literal(sink_), literal(epoch.state), epoch.epoch)));
}

}  // namespace

std::string MysqlLogin::describe() const {
  const std::string place = socket.empty() ? fmt::format("{}:{}", host, port) : socket;
  return fmt::format("{}@{}/{}", user, place, database);
}

std::unique_ptr<MysqlTarget> make_mysql_table(MysqlLogin login, std::string table, std::string job, std::string sink,
                                              uint64_t batch_bytes) {
  return std::make_unique<MysqlTable>(std::move(login), std::move(table), std::move(job), std::move(sink), batch_bytes);
}

}  // namespace tidemark::core
