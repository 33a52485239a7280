// SPDX-License-Identifier: Apache-2.0
// Which changes `binlog cat` takes: a half-open range of positions or commit times, tables, GTIDs.
//
// Invariants: a change is taken if every bound and list given takes it; a position is that of the change's rows event
// as it is printed (of the whole transaction, if that is compressed), a time is that of the commit. Constant after
// parse().
// Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/cat_input.hpp"
#include "binlog/decode_error.hpp"
#include "binlog/gtid_filter.hpp"
#include "binlog/table_pattern.hpp"
#include "binlog/transaction_reader.hpp"

namespace tidemark::binlog {

/// As given by the user; empty = not given.
struct CatFilterTexts {
  /// "FILE:POSITION", "POSITION" if there is one file only, or a time such as 2026-03-29T00:00:00Z. Taken is from
  /// `from` on, up to but not with `to`.
  std::string from;
  std::string to;
  /// Patterns "[database.]table"; several = any of them.
  std::vector<std::string> tables{};
  /// As GtidFilter::parse reads them; several = any of them.
  std::vector<std::string> gtids{};
};

/// "2026-03-29T01:02:03[.123456](Z|+02:00)" in microseconds since the epoch; nullopt = not such a text.
std::optional<int64_t> parse_rfc3339(std::string_view text);

class CatFilter {
 public:
  /// Takes everything.
  CatFilter() = default;
  /// Errors are the user's; they name the option.
  static Outcome<CatFilter> parse(const CatFilterTexts& texts, std::span<const CatInput> inputs);

  /// Whether the change can be of use; `file` is the index among the inputs.
  bool takes_position(size_t file, uint64_t position) const;
  /// Nothing from this position on is taken.
  bool ends_before(size_t file, uint64_t position) const;
  bool takes_table(std::string_view database, std::string_view table) const;
  /// Of the transaction as a whole: time and GTID.
  bool takes_group(const GroupInfo& group) const;
  /// A bound is a time, so that transactions without one are left out.
  bool needs_time() const { return from_.time_us.has_value() || to_.time_us.has_value(); }

 private:
  struct Place {
    size_t file;
    uint64_t position;
    auto operator<=>(const Place&) const = default;
  };
  struct Bound {
    std::optional<Place> place;
    std::optional<int64_t> time_us;
  };
  static Outcome<Bound> parse_bound(std::string_view option, const std::string& text, std::span<const CatInput> inputs);

  Bound from_;
  Bound to_;
  std::vector<TablePattern> tables_;
  std::vector<GtidFilter> gtids_;
};

}  // namespace tidemark::binlog
