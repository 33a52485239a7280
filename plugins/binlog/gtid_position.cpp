// SPDX-License-Identifier: Apache-2.0
// See the header. No state; any thread.
#include "binlog/gtid_position.hpp"

#include <charconv>

#include "binlog/ascii_text.hpp"
#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint32_t kCountMask = (1u << 28) - 1;  // flags stand in the upper bits
constexpr size_t kEntryBytes = 16;

/// Reads a number that ends at `end` or, where that is 0, at the text's end.
template <class T>
bool take_number(std::string_view& text, char end, T& number) {
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  if (end == 0) return text.empty();
  if (text.empty() || text.front() != end) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

bool read_mariadb_gtid(std::string_view text, MariadbGtid& gtid) {
  text = trimmed(text);
  return take_number(text, '-', gtid.domain) && take_number(text, '-', gtid.server_id) &&
         take_number(text, 0, gtid.sequence);
}

Outcome<GtidPosition> GtidPosition::parse(std::string_view text) {
  GtidPosition position;
  while (!text.empty()) {
    const size_t end = text.find(',');
    const std::string_view part = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (part.empty()) continue;
    MariadbGtid gtid;
    if (!read_mariadb_gtid(part, gtid)) {
      return DecodeError{ErrorKind::unsupported,
                         "GTID list: '" + std::string(part.substr(0, 60)) + "' is not a GTID of MariaDB",
                         {},
                         0,
                         "write domain-server-sequence, as 0-1-42, one per domain with ',' between"};
    }
    position.entries_.push_back(gtid);
  }
  return position;
}

void GtidPosition::advance(const MariadbGtid& gtid) {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->domain != gtid.domain) continue;
    *entry = gtid;
    return;
  }
  entries_.push_back(gtid);
}

const MariadbGtid* GtidPosition::find(uint32_t domain) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->domain == domain) return &*entry;
  }
  return nullptr;
}

std::string GtidPosition::to_text() const {
  std::string out;
  for (const MariadbGtid& gtid : entries_) {
    if (!out.empty()) out += ',';
    out += std::to_string(gtid.domain) + '-' + std::to_string(gtid.server_id) + '-' + std::to_string(gtid.sequence);
  }
  return out;
}

Outcome<GtidPosition> parse_gtid_list(std::span<const uint8_t> body) {
  ByteCursor cursor(body);
  const uint32_t count = cursor.u32() & kCountMask;
  if (!cursor.ok() || count > cursor.left() / kEntryBytes) {
    return DecodeError{ErrorKind::corrupt, "GTID_LIST event is cut short", {}, 0, {}};
  }
  GtidPosition position;
  position.entries_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    MariadbGtid gtid;
    gtid.domain = cursor.u32();
    gtid.server_id = cursor.u32();
    gtid.sequence = cursor.u64();
    position.entries_.push_back(gtid);
  }
  return position;
}

}  // namespace tidemark::binlog
