// SPDX-License-Identifier: Apache-2.0
//
// The options of a source as the job gave them ([sources.<id>]), read by name and type. An option that is
// absent takes the default that TIDEMARK_SOURCE declares; one that is absent without a default, or malformed,
// is a SourceError that names it. Lengths of time and points in time are microseconds. Values; any thread.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/errors.hpp>

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark {
inline namespace v1 {

/// "500ms", "5s", "1m30s", "0.5h" (ns us ms s m h d) to microseconds; empty when it is none or does not fit.
inline std::optional<int64_t> parse_duration_us(std::string_view text) noexcept {
  struct Unit {
    std::string_view name;
    int64_t ns;
  };
  static constexpr Unit kUnits[] = {{"ns", 1},
                                    {"us", 1'000},
                                    {"ms", 1'000'000},
                                    {"s", 1'000'000'000},
                                    {"m", 60'000'000'000},
                                    {"h", 3'600'000'000'000},
                                    {"d", 86'400'000'000'000}};
  long double total_ns = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    long double number = 0, place = 1;
    bool point = false, any = false;
    size_t at = 0;
    for (; at < text.size() && ((text[at] >= '0' && text[at] <= '9') || (text[at] == '.' && !point)); ++at) {
      if (text[at] == '.') {
        point = true;
        continue;
      }
      any = true;
      number = number * 10 + (text[at] - '0');
      if (point) place *= 10;
    }
    size_t end = at;
    while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
    const std::string_view unit = text.substr(at, end - at);
    int64_t ns = 0;
    for (const Unit& known : kUnits) {
      if (known.name == unit) ns = known.ns;
    }
    if (!any || ns == 0) return std::nullopt;
    total_ns += number / place * static_cast<long double>(ns);
    text.remove_prefix(end);
  }
  const long double us = total_ns / 1000;
  if (us >= 9.2e18L) return std::nullopt;
  return static_cast<int64_t>(us + 0.5L);
}

/// "2026-01-31T12:00:00Z", with a fraction of up to 6 digits and "+02:00" in place of Z, to microseconds UTC.
inline std::optional<int64_t> parse_timestamp_us(std::string_view text) noexcept {
  const auto number = [&text](size_t at, size_t size) -> int64_t {
    int64_t value = 0;
    if (at + size > text.size()) return -1;
    for (const char c : text.substr(at, size)) {
      if (c < '0' || c > '9') return -1;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' ||
      text[16] != ':') {
    return std::nullopt;
  }
  const int64_t year = number(0, 4), month = number(5, 2), day = number(8, 2), hour = number(11, 2),
                minute = number(14, 2), second = number(17, 2);
  static constexpr int64_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
      second < 0 || second > 59) {
    return std::nullopt;
  }
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (day > kDays[month - 1] + (leap && month == 2 ? 1 : 0)) return std::nullopt;
  size_t at = 19;
  int64_t fraction = 0, digits = 0;
  if (text[at] == '.') {
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      if (++digits > 6) return std::nullopt;
      fraction = fraction * 10 + (text[at] - '0');
    }
    if (digits == 0) return std::nullopt;
    for (; digits < 6; ++digits) fraction *= 10;
  }
  int64_t offset_s = 0;
  if (text.substr(at) != "Z") {
    if (text.size() != at + 6 || (text[at] != '+' && text[at] != '-') || text[at + 3] != ':') return std::nullopt;
    const int64_t hours = number(at + 1, 2), minutes = number(at + 4, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    offset_s = (hours * 3600 + minutes * 60) * (text[at] == '-' ? -1 : 1);
  }
  // Days from civil: years are counted from March, so that the leap day is the last one.
  const int64_t y = month > 2 ? year : year - 1;
  const int64_t era = (y >= 0 ? y : y - 399) / 400, year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  const int64_t days = era * 146097 + day_of_era - 719468;
  return (days * 86400 + hour * 3600 + minute * 60 + second - offset_s) * 1'000'000 + fraction;
}

class Options {
 public:
  Options() = default;
  /// For tests of a source: Options{{"path", "a.csv"}}.
  Options(std::initializer_list<std::pair<std::string, std::string>> given) : given_(given) {}
  /// What the host gives; `info` (may be null) holds the defaults and outlives this.
  Options(const tidemark_option* options, uint64_t count, const tidemark_plugin_info* info) : info_(info) {
    for (uint64_t i = 0; i < count; ++i) {
      given_.emplace_back(std::string(options[i].name.data, options[i].name.size),
                          std::string(options[i].value.data, options[i].value.size));
    }
  }

  /// True when the job gives it.
  bool has(std::string_view name) const noexcept {
    for (const auto& [key, value] : given_) {
      if (key == name) return true;
    }
    return false;
  }
  /// The given value, else the declared default, else empty optional.
  std::optional<std::string> find(std::string_view name) const {
    for (const auto& [key, value] : given_) {
      if (key == name) return value;
    }
    const uint32_t count = info_ == nullptr ? 0 : info_->option_count;
    for (uint32_t i = 0; i < count; ++i) {
      const tidemark_option_info& option = info_->options[i];
      if (name == option.name && option.default_value[0] != '\0') return std::string(option.default_value);
    }
    return std::nullopt;
  }

  std::string text(std::string_view name) const { return required(name); }
  std::string text(std::string_view name, std::string_view if_absent) const {
    return find(name).value_or(std::string(if_absent));
  }
  int64_t integer(std::string_view name) const {
    const std::string value = required(name);
    return parse_integer(name, value);
  }
  double real(std::string_view name) const {
    const std::string value = required(name);
    double out = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error != std::errc{} || end != value.data() + value.size()) malformed(name, value, "a number such as 0.5");
    return out;
  }
  bool boolean(std::string_view name) const {
    const std::string value = required(name);
    if (value != "true" && value != "false") malformed(name, value, "true or false");
    return value == "true";
  }
  /// Microseconds.
  int64_t duration_us(std::string_view name) const {
    const std::string value = required(name);
    const auto out = parse_duration_us(value);
    if (!out) malformed(name, value, "a length of time such as \"500ms\", \"5s\" or \"1m30s\"");
    return out.value_or(0);
  }
  /// Microseconds since the epoch, UTC.
  int64_t timestamp_us(std::string_view name) const {
    const std::string value = required(name);
    const auto out = parse_timestamp_us(value);
    if (!out) malformed(name, value, "a time such as 2026-01-31T12:00:00Z");
    return out.value_or(0);
  }
  /// "64MiB", "10kB", "4096" to bytes.
  uint64_t size_bytes(std::string_view name) const {
    const std::string value = required(name);
    const size_t digits = value.find_first_not_of("0123456789");
    const std::string_view unit = digits == std::string::npos ? "B" : std::string_view(value).substr(digits);
    struct Unit {
      std::string_view name;
      uint64_t bytes;
    };
    static constexpr Unit kUnits[] = {{"B", 1},         {"kB", 1'000},    {"MB", 1'000'000}, {"GB", 1000000000},
                                      {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    uint64_t factor = 0;
    for (const Unit& known : kUnits) {
      if (known.name == unit) factor = known.bytes;
    }
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + std::min(digits, value.size()), number);
    if (factor == 0 || digits == 0 || error != std::errc{} || number > std::numeric_limits<uint64_t>::max() / factor) {
      malformed(name, value, "a size such as \"64MiB\"");
      return 0;
    }
    return number * factor;
  }
  /// All entries of a list in order; the declared default is a list of one; empty when there is neither.
  std::vector<std::string> list(std::string_view name) const {
    std::vector<std::string> out;
    for (const auto& [key, value] : given_) {
      if (key == name) out.push_back(value);
    }
    if (out.empty()) {
      if (auto value = find(name)) out.push_back(*std::move(value));
    }
    return out;
  }

 private:
  std::string required(std::string_view name) const {
    auto value = find(name);
    if (!value) fail(SourceError("option is missing", name, "add it to the source").kind(ErrorKind::config));
    return value.value_or("");
  }
  static int64_t parse_integer(std::string_view name, const std::string& value) {
    int64_t out = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error != std::errc{} || end != value.data() + value.size()) malformed(name, value, "a whole number");
    return out;
  }
  static void malformed(std::string_view name, std::string_view value, std::string_view wanted) {
    fail(
        SourceError("option '" + std::string(name) + "' is not " + std::string(wanted), value).kind(ErrorKind::config));
  }

  std::vector<std::pair<std::string, std::string>> given_;
  const tidemark_plugin_info* info_ = nullptr;
};

}  // namespace v1
}  // namespace tidemark
