// SPDX-License-Identifier: Apache-2.0
// Which groups a GTID filter of a user means: MySQL GTID sets, single GTIDs and ranges of MariaDB, or both.
// Invariant: a filter holds at least one GTID; groups without a GTID never match.
// Plain value; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "binlog/decode_error.hpp"
#include "binlog/gtid_event.hpp"
#include "binlog/gtid_position.hpp"
#include "binlog/gtid_set.hpp"

namespace tidemark::binlog {

class GtidFilter {
 public:
  /// Entries with ',' between: "uuid:1-5:8:tag:3" of MySQL; "0-1-42" or "0-1-5..0-1-9" of MariaDB, a range being one
  /// of sequences within a domain and server. Errors without file.
  static Outcome<GtidFilter> parse(std::string_view text);

  bool matches(const GtidEvent& gtid) const;

 private:
  struct Range {
    MariadbGtid first;
    uint64_t last_sequence;
  };

  GtidSet set_;
  std::vector<Range> ranges_;
};

}  // namespace tidemark::binlog
