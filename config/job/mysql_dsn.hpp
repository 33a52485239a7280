// SPDX-License-Identifier: Apache-2.0
//
// The address of a MySQL or MariaDB database: mysql://[user[:password]@]host[:port]/database[?socket=/path]. %XX stands
// for a byte in user, password and database. A password may also stand as it is: the host begins behind the last `@`,
// and the password behind the first `:`. Pure functions; what is wrong is said without the text, which may hold a
// password.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/secret.hpp"
#include "core/base/status.hpp"

namespace tidemark::config {

struct MysqlDsn {
  std::string user;
  bool has_password = false;
  core::Secret password;
  std::string host;
  uint16_t port = 3306;
  std::string database;
  std::string socket;  ///< path; empty: by TCP
};

/// Code::config says what is wrong.
core::Result<MysqlDsn> read_mysql_dsn(std::string_view text);

}  // namespace tidemark::config
