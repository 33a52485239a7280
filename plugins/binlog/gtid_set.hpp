// SPDX-License-Identifier: Apache-2.0
// Sets of MySQL GTIDs: intervals of numbers per source (uuid and tag), as in PREVIOUS_GTIDS, gtid_executed and
// options.
// Invariants: intervals are sorted, do not touch, and are never empty; gaps are kept; a source without an interval is
// not in the set, so that equal sets have equal texts.
// Plain value; any thread. Source: MySQL manual "GTID Sets"; "Previous_gtids_event".
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"
#include "binlog/gtid_event.hpp"

namespace tidemark::binlog {

/// Who gave the numbers. Ordered as the server prints them: by uuid, the untagged ones first.
struct GtidSource {
  std::array<uint8_t, 16> uuid{};
  std::string tag;

  auto operator<=>(const GtidSource&) const = default;
};

/// Numbers `first` to `last`, both in it.
struct GtidInterval {
  uint64_t first = 0;
  uint64_t last = 0;

  bool operator==(const GtidInterval&) const = default;
};

/// The largest number that a server gives.
inline constexpr uint64_t kGtidNumberMax = (uint64_t{1} << 63) - 2;

class GtidSet {
 public:
  /// `uuid:[tag:]a-b[:c][:tag2:d-e],...` in any order, with blanks and line breaks anywhere between the parts; uuids
  /// with or without dashes and braces; capitals are taken for small letters. Blank text is the empty set. Errors
  /// without file.
  static Outcome<GtidSet> parse(std::string_view text);

  /// `interval` must be 1 <= first <= last <= kGtidNumberMax.
  void add(const GtidSource& source, GtidInterval interval);
  void add(const GtidEvent& gtid);
  void merge(const GtidSet& other);

  /// False for anonymous groups and MariaDB's.
  bool contains(const GtidEvent& gtid) const;
  bool contains(const GtidSource& source, uint64_t number) const;
  /// Every GTID of `other` is in this set.
  bool contains(const GtidSet& other) const;

  bool empty() const { return sources_.empty(); }
  const std::map<GtidSource, std::vector<GtidInterval>>& sources() const { return sources_; }
  /// As the server prints it: "uuid:1-5:8:tag:1-2,\nuuid:...".
  std::string to_text() const;

  bool operator==(const GtidSet&) const = default;

 private:
  std::map<GtidSource, std::vector<GtidInterval>> sources_;
};

/// Body of a PREVIOUS_GTIDS event, in the format before MySQL 8.3 or the one with tags. Errors without file.
Outcome<GtidSet> parse_previous_gtids(std::span<const uint8_t> body);

/// Appends "00010203-0405-...".
void append_uuid(const std::array<uint8_t, 16>& uuid, std::string& out);

}  // namespace tidemark::binlog
