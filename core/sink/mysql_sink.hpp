// SPDX-License-Identifier: Apache-2.0
//
// The sink of type mysql: upserts and deletes by key, exactly once. flush() writes the epoch's rows and the number of
// the epoch in one transaction of the target and holds it open; the rows are part of the epoch's progress; committed()
// ends the transaction. Where the process or the connection dies in between, the rows are written again from the
// progress, unless the target has that epoch. So neither a row is lost or written twice, nor does it matter that the
// epoch would be another one if its input were read again. One thread (the committer's).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/sink/mysql_target.hpp"
#include "core/sink/sink.hpp"

namespace tidemark::core {

struct MysqlSinkOptions {
  MysqlLogin login;
  std::string job;  ///< with the sink's id, the name of its epochs in the target
  std::string sink;
  std::string table;
  std::vector<std::string> key;
  uint32_t batch_rows = 1000;
  uint64_t batch_bytes = uint64_t{4} << 20;
  SinkRetry retry;
  bool set_aside = false;  ///< rows that the target refuses; false: they are an error
};

std::unique_ptr<Sink> make_mysql_sink(const MysqlSinkOptions& options);
/// The same with a target of the caller's.
std::unique_ptr<Sink> make_mysql_sink(const MysqlSinkOptions& options, std::unique_ptr<MysqlTarget> target);

}  // namespace tidemark::core
