// SPDX-License-Identifier: Apache-2.0
//
// The only place that knows MySQL Connector/C++. Which errors are about a row's values is decided by number: those are
// refusals, everything else is a failure of the server, the table or the rights, after which the transaction is lost.
#include "core/sink/mysql_session.hpp"

#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <cppconn/statement.h>
#include <fmt/format.h>
#include <mysql_connection.h>

#include <algorithm>
#include <array>
#include <functional>

namespace tidemark::core {
namespace {

using Kind = TargetOutcome::Kind;

constexpr int kConnectSeconds = 10;
// Longer than a lock is waited for (50 s by default), so that the server's own word comes first.
constexpr int kAnswerSeconds = 120;

constexpr const char* kSetUp =
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
    "NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', autocommit = 0";

// Of MySQL and MariaDB: what is wrong is a value.
constexpr std::array kRowErrors = {
    1048,                                // a column cannot be NULL
    1062,                                // a value that a unique index has already
    1216, 1217, 1451, 1452,              // a foreign key
    1264, 1265, 1292, 1366, 1367, 1406,  // out of range, cut, of another type, another charset, too long
    1411, 1416, 1525, 1526,              // a wrong value, no geometry, no partition for it
    1644,                                // a trigger's SIGNAL
    1690,                                // out of range in an expression
    1748,                                // no partition that is being written to
    3140, 3141, 3156, 3819, 3903,        // JSON, a check constraint (MySQL), a functional index
    4025, 4038,                          // a check constraint (MariaDB), JSON
};

TargetOutcome outcome_of(const sql::SQLException& error) {
  const int number = error.getErrorCode();
  const bool is_row = std::find(kRowErrors.begin(), kRowErrors.end(), number) != kRowErrors.end();
  std::string text = error.what();
  if (number != 0) text += fmt::format(" (error {})", number);
  return {is_row ? Kind::refused : Kind::failed, std::move(text)};
}

TargetOutcome caught(const std::function<void()>& call) {
  try {
    call();
    return {};
  } catch (const sql::SQLException& error) {
    return outcome_of(error);
  } catch (const std::exception& error) {
    return {Kind::failed, error.what()};
  }
}

}  // namespace

struct MysqlSession::Connection {
  std::unique_ptr<sql::Connection> sql;
};

MysqlSession::MysqlSession(MysqlLogin login) : login_(std::move(login)), connection_(std::make_unique<Connection>()) {}

MysqlSession::~MysqlSession() {
  close();
}

bool MysqlSession::is_connected() const noexcept {
  return connection_->sql != nullptr;
}

bool MysqlSession::is_alive() {
  bool alive = false;
  (void)caught([&] { alive = is_connected() && connection_->sql->isValid(); });
  return alive;
}

void MysqlSession::close() noexcept {
  (void)caught([this] {
    const std::unique_ptr<sql::Connection> closing = std::move(connection_->sql);
    if (closing != nullptr) closing->close();
  });
}

TargetOutcome MysqlSession::connect() {
  close();
  auto password = login_.password.read();
  if (!password) return {Kind::failed, password.status().message()};
  TargetOutcome done = caught([&] {
    sql::ConnectOptionsMap options;
    const std::string host =
        login_.socket.empty() ? fmt::format("tcp://{}:{}", login_.host, login_.port) : "unix://" + login_.socket;
    options["hostName"] = sql::SQLString(host);
    options["userName"] = sql::SQLString(login_.user);
    options["password"] = sql::SQLString(password->reveal());
    options["schema"] = sql::SQLString(login_.database);
    options["OPT_CONNECT_TIMEOUT"] = kConnectSeconds;
    options["OPT_READ_TIMEOUT"] = kAnswerSeconds;
    options["OPT_WRITE_TIMEOUT"] = kAnswerSeconds;
    options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
    connection_->sql.reset(get_driver_instance()->connect(options));
    const std::unique_ptr<sql::Statement> statement(connection_->sql->createStatement());
    statement->execute(kSetUp);
  });
  if (!done.is_ok()) {
    close();
    done.kind = Kind::failed;
  }
  return done;
}

TargetOutcome MysqlSession::execute(const std::string& sql) {
  return caught([&] {
    const std::unique_ptr<sql::Statement> statement(connection_->sql->createStatement());
    statement->execute(sql);
  });
}

TargetOutcome MysqlSession::query(const std::string& sql, SqlRows& rows) {
  rows.clear();
  return caught([&] {
    const std::unique_ptr<sql::Statement> statement(connection_->sql->createStatement());
    const std::unique_ptr<sql::ResultSet> found(statement->executeQuery(sql));
    const unsigned columns = found->getMetaData()->getColumnCount();
    while (found->next()) {
      auto& row = rows.emplace_back();
      for (unsigned column = 1; column <= columns; ++column) {
        const sql::SQLString text = found->getString(column);
        row.push_back(found->wasNull() ? std::nullopt : std::optional<std::string>(text.asStdString()));
      }
    }
  });
}

TargetOutcome MysqlSession::commit() {
  return execute("COMMIT");  // the connector's own commit() does not look at what the server said
}

void MysqlSession::rollback() noexcept {
  if (is_connected() && !execute("ROLLBACK").is_ok()) close();
}

}  // namespace tidemark::core
