// SPDX-License-Identifier: Apache-2.0
//
// MysqlTarget: the table that a sink of type mysql writes to, as steps of one transaction at a time. Behind it a
// server (mysql_table.cpp), in tests a map that fails where it is told to. After anything but a refused row the
// transaction is lost, and begin() starts over, connecting anew where it must. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/secret.hpp"
#include "core/base/status.hpp"
#include "core/sink/mysql_progress.hpp"
#include "core/sink/result_rows.hpp"

namespace tidemark::core {

/// Where and as whom to log in.
struct MysqlLogin {
  std::string user;
  SecretSource password;
  std::string host;
  uint16_t port = 3306;
  std::string socket;  ///< path; empty: by TCP
  std::string database;

  /// "app@db-host:3306/bi".
  std::string describe() const;
};

/// What came of a step.
struct TargetOutcome {
  enum class Kind : uint8_t {
    ok,
    refused,   ///< the target does not take one of the rows; the transaction stands as it was before the step
    too_much,  ///< too many rows for one step; the same
    failed,    ///< the server is away, the table lacks a column, ...: the transaction is lost
  };
  Kind kind = Kind::ok;
  std::string text{};  ///< why

  bool is_ok() const noexcept { return kind == Kind::ok; }
};

class MysqlTarget {
 public:
  MysqlTarget() = default;
  MysqlTarget(const MysqlTarget&) = delete;
  MysqlTarget& operator=(const MysqlTarget&) = delete;
  virtual ~MysqlTarget() = default;

  /// Connects and checks that the table can hold rows of this layout by this key. Once, before anything else.
  virtual Status open(const std::shared_ptr<const BatchLayout>& layout, const std::vector<std::string>& key) = 0;
  /// An id that no other call ever gives.
  virtual Result<std::string> new_state_id() = 0;
  /// "the row of job `a` and sink `b` in table tidemark_epochs of app@host:3306/bi" for messages.
  virtual std::string describe_epoch() const = 0;

  virtual TargetOutcome begin() = 0;
  /// The epoch that the target has; no other writer can change it before the transaction ends.
  virtual TargetOutcome read_epoch(std::optional<TargetEpoch>& epoch) = 0;
  /// Writes rows of `rows`: all of them upserts, or all removals. All, or none when refused.
  virtual TargetOutcome write(const ResultRows& rows, std::span<const uint32_t> indexes) = 0;
  virtual TargetOutcome write_epoch(const TargetEpoch& epoch) = 0;
  /// After a failure it is not known whether the transaction took place.
  virtual TargetOutcome commit() = 0;
  /// Lets go of the transaction.
  virtual void abandon() = 0;
};

/// A table on a MySQL or MariaDB server.
std::unique_ptr<MysqlTarget> make_mysql_table(MysqlLogin login, std::string table, std::string job, std::string sink,
                                              uint64_t batch_bytes);

}  // namespace tidemark::core
