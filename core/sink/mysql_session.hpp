// SPDX-License-Identifier: Apache-2.0
//
// MysqlSession: one connection to a MySQL or MariaDB server through MySQL Connector/C++, which appears in its
// implementation alone: its exceptions end there and become outcomes. Statements are texts in utf8mb4; the session's
// time zone is UTC and its mode strict, so that a value that does not fit is an error and not another value. One thread
// at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/sink/mysql_target.hpp"

namespace tidemark::core {

/// Rows of a query, cells as texts; empty for NULL.
using SqlRows = std::vector<std::vector<std::optional<std::string>>>;

class MysqlSession {
 public:
  explicit MysqlSession(MysqlLogin login);
  ~MysqlSession();

  bool is_connected() const noexcept;
  /// The server answers; a connection that was not used for long may be gone.
  bool is_alive();
  /// Connects anew and sets the session up; autocommit is off.
  TargetOutcome connect();
  void close() noexcept;

  TargetOutcome execute(const std::string& sql);
  TargetOutcome query(const std::string& sql, SqlRows& rows);
  TargetOutcome commit();
  void rollback() noexcept;

 private:
  struct Connection;
  MysqlLogin login_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tidemark::core
