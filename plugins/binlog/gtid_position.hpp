// SPDX-License-Identifier: Apache-2.0
// MariaDB's GTIDs as values: one "domain-server-sequence", and lists of them as in GTID_LIST events and
// gtid_slave_pos.
// Invariants: a list keeps its order, which is that of the log: of a domain the last entry is where the log stands.
// Plain values; any thread. Source: MariaDB KB "GTID", "GTID_LIST_EVENT".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/decode_error.hpp"

namespace tidemark::binlog {

struct MariadbGtid {
  uint32_t domain = 0;
  uint32_t server_id = 0;
  uint64_t sequence = 0;

  bool operator==(const MariadbGtid&) const = default;
};

/// "0-1-42", blanks around it allowed; false if it is not one.
bool read_mariadb_gtid(std::string_view text, MariadbGtid& gtid);

class GtidPosition {
 public:
  /// "0-1-42,1-7-3", blanks between the parts allowed. Blank text is the empty list. Errors without file.
  static Outcome<GtidPosition> parse(std::string_view text);

  /// Takes the place of its domain's last entry.
  void advance(const MariadbGtid& gtid);
  /// The last entry of the domain; nullptr if there is none.
  const MariadbGtid* find(uint32_t domain) const;
  const std::vector<MariadbGtid>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  /// "0-1-42,1-7-3".
  std::string to_text() const;

  bool operator==(const GtidPosition&) const = default;

 private:
  friend Outcome<GtidPosition> parse_gtid_list(std::span<const uint8_t> body);
  std::vector<MariadbGtid> entries_;
};

/// Body of a GTID_LIST event. Errors without file.
Outcome<GtidPosition> parse_gtid_list(std::span<const uint8_t> body);

}  // namespace tidemark::binlog
