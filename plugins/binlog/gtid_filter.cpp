// SPDX-License-Identifier: Apache-2.0
// See the header. A ':' tells MySQL's entries. No state; any thread.
#include "binlog/gtid_filter.hpp"

#include <algorithm>
#include <string>

namespace tidemark::binlog {

namespace {

constexpr std::string_view kRange = "..";

DecodeError malformed(std::string_view entry, const char* what) {
  return {ErrorKind::unsupported,
          "GTID filter: '" + std::string(entry.substr(0, 60)) + "' " + what,
          {},
          0,
          "write uuid:1-5 or uuid:tag:1-5 for MySQL, 0-1-42 or 0-1-5..0-1-9 for MariaDB, with ',' between"};
}

}  // namespace

Outcome<GtidFilter> GtidFilter::parse(std::string_view text) {
  GtidFilter filter;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find(',');
    const std::string_view entry = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (entry.find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
    if (entry.find(':') != std::string_view::npos) {
      auto set = GtidSet::parse(entry);
      if (!set) return std::move(set).error();
      filter.set_.merge(*set);
      continue;
    }
    const size_t dots = entry.find(kRange);
    MariadbGtid first;
    if (!read_mariadb_gtid(entry.substr(0, dots), first)) return malformed(entry, "is not a GTID");
    MariadbGtid last = first;
    if (dots != std::string_view::npos && !read_mariadb_gtid(entry.substr(dots + kRange.size()), last)) {
      return malformed(entry, "does not end with a GTID of MariaDB");
    }
    const bool same = first.domain == last.domain && first.server_id == last.server_id;
    if (!same || last.sequence < first.sequence) {
      return malformed(entry, "is not a range of one domain and server, the lower sequence first");
    }
    filter.ranges_.push_back({first, last.sequence});
  }
  if (filter.set_.empty() && filter.ranges_.empty()) return malformed(text, "holds no GTID");
  return filter;
}

bool GtidFilter::matches(const GtidEvent& gtid) const {
  if (gtid.kind != GtidKind::mariadb) return set_.contains(gtid);
  return std::ranges::any_of(ranges_, [&](const Range& range) {
    return range.first.domain == gtid.domain && range.first.server_id == gtid.server_id &&
           range.first.sequence <= gtid.number && gtid.number <= range.last_sequence;
  });
}

}  // namespace tidemark::binlog
