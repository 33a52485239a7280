// SPDX-License-Identifier: Apache-2.0
// Names of XA transactions, from statements and from XA_PREPARE events, normalised so that all spellings of one name
// are equal.
// Invariant: what is not a name of a legal size is refused, never cut.
// Plain value; any thread. Source: MySQL manual "XA Transaction SQL Statements"; "XA_prepare_event".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::binlog {

struct Xid {
  uint32_t format_id = 1;
  std::string gtrid;  ///< bytes, as those of `bqual`
  std::string bqual;

  auto operator<=>(const Xid&) const = default;
  /// "X'7831',X'',1", as servers log it.
  std::string to_text() const;
};

/// The name in XA START, END, PREPARE, COMMIT or ROLLBACK: 'gtrid'[, 'bqual'[, format]], strings also as X'..' and
/// 0x..; nullopt if there is none.
std::optional<Xid> read_xid(std::string_view statement);

struct XaPrepare {
  bool one_phase = false;  ///< a commit: nothing comes later
  Xid xid;
};

/// Body of an XA_PREPARE event; nullopt if it is damaged.
std::optional<XaPrepare> parse_xa_prepare(std::span<const uint8_t> body);

}  // namespace tidemark::binlog
