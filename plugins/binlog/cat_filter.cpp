// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: any.
#include "binlog/cat_filter.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace tidemark::binlog {
namespace {

constexpr const char* kBoundForms =
    "write FILE:POSITION, POSITION for a single file, or a time like "
    "2026-03-29T00:00:00Z";

DecodeError refused(std::string text, std::string remedy) {
  return {ErrorKind::unsupported, std::move(text), {}, 0, std::move(remedy)};
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Takes `digits` digits and the character behind them off the front; -1 = they are not there.
int take_digits(std::string_view& text, size_t digits, char behind) {
  unsigned number = 0;
  if (text.size() < digits || !read_number(text.substr(0, digits), number)) return -1;
  text.remove_prefix(digits);
  if (behind == '\0') return static_cast<int>(number);
  if (!text.starts_with(behind)) return -1;
  text.remove_prefix(1);
  return static_cast<int>(number);
}

/// "Z" or "+hh:mm" in minutes.
std::optional<int> zone_minutes(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const int hours = take_digits(text, 2, ':');
  const int minutes = take_digits(text, 2, '\0');
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return sign * (hours * 60 + minutes);
}

/// ".123" in microseconds, taken off the front; digits beyond the sixth are cut.
std::optional<int64_t> take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  text.remove_prefix(1);
  int64_t micros = 0;
  size_t digits = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1)) {
    if (digits++ < 6) micros = micros * 10 + (text[0] - '0');
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 6; ++digits) micros *= 10;
  return micros;
}

}  // namespace

std::optional<int64_t> parse_rfc3339(std::string_view text) {
  using namespace std::chrono;
  const int y = take_digits(text, 4, '-');
  const int m = take_digits(text, 2, '-');
  const int d = take_digits(text, 2, '\0');
  if (y < 0 || m < 0 || d < 0 || text.empty() || (text[0] != 'T' && text[0] != 't' && text[0] != ' ')) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const int hour = take_digits(text, 2, ':');
  const int minute = take_digits(text, 2, ':');
  const int second = take_digits(text, 2, '\0');
  const auto micros = take_fraction(text);
  const auto zone = zone_minutes(text);
  const year_month_day date{year{y}, month{static_cast<unsigned>(m)}, day{static_cast<unsigned>(d)}};
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return std::nullopt;
  if (!date.ok() || !micros || !zone) return std::nullopt;
  const sys_time<microseconds> time =
      sys_days{date} + hours{hour} + minutes{minute - *zone} + seconds{second} + microseconds{*micros};
  return time.time_since_epoch().count();
}

Outcome<CatFilter::Bound> CatFilter::parse_bound(std::string_view option, const std::string& text,
                                                 std::span<const CatInput> inputs) {
  const std::string head = std::string(option) + " " + text + ": ";
  Bound bound;
  if (text.empty()) return bound;
  bound.time_us = parse_rfc3339(text);
  if (bound.time_us) return bound;
  const size_t colon = text.rfind(':');
  uint64_t position = 0;
  if (!read_number(std::string_view(text).substr(colon == std::string::npos ? 0 : colon + 1), position)) {
    return refused(head + "neither a position nor a time", kBoundForms);
  }
  if (colon == std::string::npos) {
    if (inputs.size() != 1) return refused(head + "which of the files is meant?", "write FILE:" + text);
    bound.place = Place{0, position};
    return bound;
  }
  const std::string file = text.substr(0, colon);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].name() != file && inputs[i].path != file) continue;
    if (bound.place) return refused(head + "several of the files have this name", "write the file's whole path");
    bound.place = Place{i, position};
  }
  if (!bound.place) return refused(head + "no such file among those to read", kBoundForms);
  return bound;
}

Outcome<CatFilter> CatFilter::parse(const CatFilterTexts& texts, std::span<const CatInput> inputs) {
  CatFilter filter;
  auto from = parse_bound("--from", texts.from, inputs);
  if (!from) return std::move(from).error();
  filter.from_ = *from;
  auto to = parse_bound("--to", texts.to, inputs);
  if (!to) return std::move(to).error();
  filter.to_ = *to;
  for (const std::string& text : texts.tables) {
    auto pattern = TablePattern::parse(text);
    if (!pattern) return refused("--table: " + pattern.error().text, pattern.error().remedy);
    filter.tables_.push_back(std::move(pattern).value());
  }
  for (const std::string& text : texts.gtids) {
    auto gtids = GtidFilter::parse(text);
    if (!gtids) return refused("--gtid " + text + ": " + gtids.error().text, gtids.error().remedy);
    filter.gtids_.push_back(std::move(gtids).value());
  }
  return filter;
}

bool CatFilter::takes_position(size_t file, uint64_t position) const {
  const Place here{file, position};
  return (!from_.place || here >= *from_.place) && (!to_.place || here < *to_.place);
}

bool CatFilter::ends_before(size_t file, uint64_t position) const {
  return to_.place && Place{file, position} >= *to_.place;
}

bool CatFilter::takes_table(std::string_view database, std::string_view table) const {
  return tables_.empty() || std::any_of(tables_.begin(), tables_.end(),
                                        [&](const TablePattern& pattern) { return pattern.matches(database, table); });
}

bool CatFilter::takes_group(const GroupInfo& group) const {
  const auto has = [&](const GtidFilter& gtids) { return gtids.matches(group.gtid); };
  if (!gtids_.empty() && std::none_of(gtids_.begin(), gtids_.end(), has)) return false;
  if (!needs_time()) return true;
  const int64_t time = group.commit_time_us;
  if (time == kNoTime) return false;
  return (!from_.time_us || time >= *from_.time_us) && (!to_.time_us || time < *to_.time_us);
}

}  // namespace tidemark::binlog
