// SPDX-License-Identifier: Apache-2.0
// See the header. Texts are read part by part: parts are what stands between commas and colons.
// No state; any thread.
#include "binlog/gtid_set.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "binlog/ascii_text.hpp"
#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

constexpr size_t kTagMax = 32;
constexpr uint8_t kTaggedFormat = 1;

/// Cuts the part before the next `separator` off `text`.
std::string_view next_part(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = trimmed(text.substr(0, end));
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return part;
}

DecodeError malformed(std::string_view part, const char* what) {
  return {ErrorKind::unsupported,
          "GTID set: '" + std::string(part.substr(0, 60)) + "' " + what,
          {},
          0,
          "write uuid:1-5, uuid:tag:1-5, several ranges with ':' and several uuids with ',' between"};
}

bool read_uuid(std::string_view text, std::array<uint8_t, 16>& uuid) {
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') text = text.substr(1, text.size() - 2);
  const bool dashes = text.size() == 36;
  if (!dashes && text.size() != 32) return false;
  size_t at = 0;
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (dashes && (i == 4 || i == 6 || i == 8 || i == 10) && text[at++] != '-') return false;
    const int high = hex_digit(text[at++]);
    const int low = hex_digit(text[at++]);
    if (high < 0 || low < 0) return false;
    uuid[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return true;
}

/// Small letters; nullopt if it is no tag.
std::optional<std::string> read_tag(std::string_view text) {
  if (text.empty() || text.size() > kTagMax) return std::nullopt;
  std::string tag(text);
  for (char& c : tag) {
    c = ascii_lower(c);
    const bool legal = (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
    if (!legal) return std::nullopt;
  }
  if (tag.front() >= '0' && tag.front() <= '9') return std::nullopt;
  return tag;
}

bool read_number(std::string_view text, uint64_t& number) {
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && stop == text.data() + text.size() && number >= 1 && number <= kGtidNumberMax;
}

bool read_interval(std::string_view text, GtidInterval& interval) {
  const size_t dash = text.find('-');
  if (!read_number(trimmed(text.substr(0, dash)), interval.first)) return false;
  interval.last = interval.first;
  return dash == std::string_view::npos ||
         (read_number(trimmed(text.substr(dash + 1)), interval.last) && interval.last >= interval.first);
}

std::optional<DecodeError> read_source(std::string_view text, GtidSet& set) {
  std::string_view rest = text;
  GtidSource source;
  if (!read_uuid(next_part(rest, ':'), source.uuid)) return malformed(text, "does not begin with a uuid");
  if (trimmed(rest).empty()) return malformed(text, "has no numbers");
  bool numbered = true;  // the tag has numbers
  while (!rest.empty()) {
    const std::string_view part = next_part(rest, ':');
    GtidInterval interval;
    if (read_interval(part, interval)) {
      set.add(source, interval);
      numbered = true;
      continue;
    }
    auto tag = read_tag(part);
    if (!tag) return malformed(part, "is neither a range of numbers from 1 nor a tag");
    if (!numbered) return malformed(source.tag, "is a tag without numbers");
    source.tag = *std::move(tag);
    numbered = false;
  }
  if (!numbered) return malformed(source.tag, "is a tag without numbers");
  return std::nullopt;
}

bool is_mysql(const GtidEvent& gtid) {
  return gtid.kind == GtidKind::mysql || (gtid.kind == GtidKind::mysql_tagged && gtid.number != 0);
}

DecodeError corrupt(const char* text) {
  return {ErrorKind::corrupt, text, {}, 0, {}};
}

std::optional<DecodeError> read_intervals(ByteCursor& cursor, const GtidSource& source, GtidSet& set) {
  constexpr size_t kIntervalBytes = 16;
  const uint64_t intervals = cursor.u64();
  if (intervals > cursor.left() / kIntervalBytes) return corrupt("PREVIOUS_GTIDS event is cut short");
  for (uint64_t i = 0; i < intervals; ++i) {
    const uint64_t first = cursor.u64();
    const uint64_t end = cursor.u64();
    if (first < 1 || end <= first || end - 1 > kGtidNumberMax) {
      return corrupt("PREVIOUS_GTIDS event has an interval that is none");
    }
    set.add(source, {first, end - 1});
  }
  return std::nullopt;
}

void append_interval(const GtidInterval& interval, std::string& out) {
  out += ':' + std::to_string(interval.first);
  if (interval.last != interval.first) out += '-' + std::to_string(interval.last);
}

}  // namespace

Outcome<GtidSet> GtidSet::parse(std::string_view text) {
  GtidSet set;
  while (!text.empty()) {
    const std::string_view part = next_part(text, ',');
    if (part.empty()) continue;
    if (auto error = read_source(part, set)) return *std::move(error);
  }
  return set;
}

void GtidSet::add(const GtidSource& source, GtidInterval interval) {
  std::vector<GtidInterval>& all = sources_[source];
  // The first that ends right before this one or later, and what of them begins right behind it or earlier.
  const auto begin = std::lower_bound(all.begin(), all.end(), interval.first,
                                      [](const GtidInterval& one, uint64_t first) { return one.last + 1 < first; });
  auto end = begin;
  for (; end != all.end() && end->first <= interval.last + 1; ++end) {
    interval.first = std::min(interval.first, end->first);
    interval.last = std::max(interval.last, end->last);
  }
  if (begin == end) {
    all.insert(begin, interval);
    return;
  }
  *begin = interval;
  all.erase(begin + 1, end);
}

void GtidSet::add(const GtidEvent& gtid) {
  const bool legal = is_mysql(gtid) && gtid.number >= 1 && gtid.number <= kGtidNumberMax;
  if (legal) add({gtid.uuid, gtid.tag}, {gtid.number, gtid.number});
}

void GtidSet::merge(const GtidSet& other) {
  for (const auto& [source, intervals] : other.sources_) {
    for (const GtidInterval& interval : intervals) add(source, interval);
  }
}

bool GtidSet::contains(const GtidSource& source, uint64_t number) const {
  const auto found = sources_.find(source);
  if (found == sources_.end()) return false;
  const auto at = std::lower_bound(found->second.begin(), found->second.end(), number,
                                   [](const GtidInterval& one, uint64_t wanted) { return one.last < wanted; });
  return at != found->second.end() && at->first <= number;
}

bool GtidSet::contains(const GtidEvent& gtid) const {
  return is_mysql(gtid) && contains({gtid.uuid, gtid.tag}, gtid.number);
}

bool GtidSet::contains(const GtidSet& other) const {
  for (const auto& [source, intervals] : other.sources_) {
    const auto found = sources_.find(source);
    if (found == sources_.end()) return false;
    for (const GtidInterval& interval : intervals) {
      // Intervals of a set do not touch, so one of ours must hold all of it.
      const bool covered = std::ranges::any_of(found->second, [&](const GtidInterval& ours) {
        return ours.first <= interval.first && interval.last <= ours.last;
      });
      if (!covered) return false;
    }
  }
  return true;
}

std::string GtidSet::to_text() const {
  std::string out;
  const std::array<uint8_t, 16>* uuid = nullptr;
  for (const auto& [source, intervals] : sources_) {
    if (uuid == nullptr || *uuid != source.uuid) {
      if (uuid != nullptr) out += ",\n";
      append_uuid(source.uuid, out);
      uuid = &source.uuid;
    }
    if (!source.tag.empty()) out.append(1, ':').append(source.tag);
    for (const GtidInterval& interval : intervals) append_interval(interval, out);
  }
  return out;
}

Outcome<GtidSet> parse_previous_gtids(std::span<const uint8_t> body) {
  ByteCursor cursor(body);
  const auto word = cursor.bytes(8);
  if (!cursor.ok()) return corrupt("PREVIOUS_GTIDS event is cut short");
  const bool tagged = word[0] == kTaggedFormat && word[7] == kTaggedFormat;
  const uint64_t count = tagged ? load_le(word.data() + 1, 6) : load_le(word.data(), 8);
  GtidSet set;
  for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
    GtidSource source;
    for (uint8_t& byte : source.uuid) byte = cursor.u8();
    if (tagged) {
      const std::string_view written = cursor.text(cursor.variable_length());
      auto tag = written.empty() ? std::string() : read_tag(written);
      if (cursor.ok() && !tag) return corrupt("PREVIOUS_GTIDS event has a tag that is none");
      if (tag) source.tag = *std::move(tag);
    }
    if (auto error = read_intervals(cursor, source, set)) return *std::move(error);
  }
  if (!cursor.ok()) return corrupt("PREVIOUS_GTIDS event is cut short");
  if (!cursor.at_end()) return corrupt("PREVIOUS_GTIDS event has bytes behind its last interval");
  return set;
}

void append_uuid(const std::array<uint8_t, 16>& uuid, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[uuid[i] >> 4];
    out += kDigits[uuid[i] & 15];
  }
}

}  // namespace tidemark::binlog
