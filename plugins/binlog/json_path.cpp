// SPDX-License-Identifier: Apache-2.0
// Paths of JSON diffs: $.member."quoted member"[3][last-1]. See json_diff.hpp. Any thread; no state.
#include <charconv>

#include "binlog/json_diff.hpp"
#include "binlog/utf8.hpp"

namespace tidemark::binlog {

namespace {

// Four hex digits at the start of `text`.
std::optional<uint32_t> hex_unit(std::string_view text) {
  uint32_t unit = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, unit, 16);
  if (error != std::errc{} || end != text.data() + 4) return std::nullopt;
  return unit;
}

class PathParser {
 public:
  explicit PathParser(std::string_view text) : rest_(text) {}

  std::optional<std::vector<JsonPathLeg>> parse() {
    std::vector<JsonPathLeg> legs;
    if (!eat('$')) return std::nullopt;
    while (!rest_.empty()) {
      legs.emplace_back();
      if (eat('.') ? !parse_member(legs.back()) : !eat('[') || !parse_element(legs.back())) return std::nullopt;
    }
    return legs;
  }

 private:
  bool eat(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool parse_member(JsonPathLeg& leg) {
    leg.is_member = true;
    if (eat('"')) {
      size_t end = 0;
      while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
      if (end >= rest_.size() || !unescape(rest_.substr(0, end), leg.key)) return false;
      rest_.remove_prefix(end + 1);
      return true;
    }
    const size_t end = std::min(rest_.find_first_of(".[*"), rest_.size());
    if (end == 0 || rest_.substr(end).starts_with('*') || !unescape(rest_.substr(0, end), leg.key)) return false;
    rest_.remove_prefix(end);
    return true;
  }

  bool parse_element(JsonPathLeg& leg) {
    if (rest_.starts_with("last")) {
      rest_.remove_prefix(4);
      leg.from_end = true;
      if (eat(']')) return true;
      if (!eat('-')) return false;
    }
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), leg.index);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return eat(']');
  }

  static bool unescape(std::string_view text, std::string& out) {
    while (!text.empty()) {
      const size_t plain = std::min(text.find('\\'), text.size());
      out.append(text.substr(0, plain));
      text.remove_prefix(plain);
      if (text.empty()) break;
      if (text.size() < 2 || !unescape_one(text, out)) return false;
    }
    return true;
  }

  static bool unescape_one(std::string_view& text, std::string& out) {
    constexpr std::string_view kFrom = "\"\\/bfnrt";
    constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    const char code = text[1];
    text.remove_prefix(2);
    if (code != 'u') {
      const size_t index = kFrom.find(code);
      if (index == std::string_view::npos) return false;
      out += kTo[index];
      return true;
    }
    auto unit = hex_unit(text);
    if (!unit) return false;
    text.remove_prefix(4);
    if (*unit < 0xd800 || *unit > 0xdfff) {
      append_utf8_character(out, *unit);
      return true;
    }
    const auto low = text.starts_with("\\u") ? hex_unit(text.substr(2)) : std::nullopt;
    if (*unit > 0xdbff || !low || *low < 0xdc00 || *low > 0xdfff) return false;
    text.remove_prefix(6);
    append_utf8_character(out, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::vector<JsonPathLeg>> parse_json_path(std::string_view path) {
  return PathParser(path).parse();
}

}  // namespace tidemark::binlog
