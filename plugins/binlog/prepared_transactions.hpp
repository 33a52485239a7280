// SPDX-License-Identifier: Apache-2.0
// XA transactions that were prepared and have no verdict yet: where their rows stand in the log. Rows are kept by
// reference, as logs are files: XA COMMIT reads them again.
// Invariants: one entry per name, in the order of preparation; the bytes hold all of it, so that a reader goes on after
// a restart with what it knew.
// Plain value; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/xid.hpp"

namespace tidemark::binlog {

/// A group that ends with XA_PREPARE.
struct PreparedTransaction {
  Xid xid;
  std::string file;  ///< name in the log's directory
  uint64_t position = 0;
  /// First event of the file, to tell one file from another of its name.
  uint32_t file_timestamp_s = 0;
  uint32_t file_server_id = 0;
  uint64_t row_events = 0;
  std::string gtid;  ///< "" if it has none

  bool operator==(const PreparedTransaction&) const = default;
  /// "binlog.000001:158".
  std::string place() const { return file + ":" + std::to_string(position); }
};

class PreparedTransactions {
 public:
  /// Takes the place of an entry of the same name.
  void remember(PreparedTransaction transaction);
  void forget(const Xid& xid);
  /// nullptr if it is not known.
  const PreparedTransaction* find(const Xid& xid) const;

  /// In the order of preparation.
  const std::vector<PreparedTransaction>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  /// For the end of a bounded read: how many there are, and that their rows are in no result. Not for an empty set.
  std::string pending_text() const;

  /// Appends its bytes.
  void serialise(std::string& out) const;
  /// False, and nothing kept, if the bytes are not those of serialise().
  bool deserialise(std::string_view bytes);

 private:
  std::vector<PreparedTransaction> all_;
};

}  // namespace tidemark::binlog
