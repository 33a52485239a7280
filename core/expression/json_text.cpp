// SPDX-License-Identifier: Apache-2.0
//
// Validity is nlohmann's to tell; behind it, a walk that knows strings and brackets is enough.
#include "core/expression/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace tidemark::core {
namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Walks over a JSON text; at its end, whatever is asked for is not there.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// A string with its quotes; empty where none begins.
  std::string_view take_string() {
    skip_blanks();
    const size_t begin = at_;
    if (at_ >= text_.size() || text_[at_] != '"') return {};
    skip_string();
    return text_.substr(begin, at_ - begin);
  }
  /// A value of any type; empty at the end of the text or of what encloses it.
  std::string_view take_value() {
    skip_blanks();
    const size_t begin = at_;
    size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (depth == 0) break;
        --depth;
        ++at_;
      } else if (depth == 0 && (c == ',' || is_blank(c))) {
        break;
      } else {
        ++at_;
        continue;
      }
      if (depth == 0) break;
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  void skip_string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool is_name(std::string_view quoted, std::string_view name) {
  if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2) == name;
  TextArena arena;
  return unquote_json(quoted, arena) == name;
}

std::optional<std::string_view> find_member(std::string_view object, std::string_view name) {
  Walker walker(object);
  std::optional<std::string_view> found;
  if (!walker.take('{')) return found;
  do {
    const std::string_view member = walker.take_string();
    if (member.size() < 2 || !walker.take(':')) return found;
    const std::string_view value = walker.take_value();
    if (value.empty()) return found;
    if (is_name(member, name)) found = value;
  } while (walker.take(','));
  return found;
}

std::optional<std::string_view> find_element(std::string_view array, uint32_t index) {
  Walker walker(array);
  if (!walker.take('[')) return index == 0 ? std::optional(array) : std::nullopt;
  do {
    const std::string_view value = walker.take_value();
    if (value.empty()) return std::nullopt;
    if (index-- == 0) return value;
  } while (walker.take(','));
  return std::nullopt;
}

// Four hexadecimal digits.
bool read_unit(std::string_view text, uint32_t& out) {
  if (text.size() < 4) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, out, 16);
  return error == std::errc() && end == text.data() + 4;
}

char* put_utf8(char* at, uint32_t point) {
  if (point < 0x80) {
    *at++ = static_cast<char>(point);
    return at;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::array<uint32_t, 4> kLead = {0, 0xc0, 0xe0, 0xf0};
  *at++ = static_cast<char>(kLead[static_cast<size_t>(more)] | point >> (6 * more));
  for (int i = more - 1; i >= 0; --i) *at++ = static_cast<char>(0x80 | (point >> (6 * i) & 0x3f));
  return at;
}

// The code point of "\uXXXX" (and of its second half) behind the "\u"; takes it off.
bool take_escaped_point(std::string_view& rest, uint32_t& point) {
  if (!read_unit(rest, point)) return false;
  rest.remove_prefix(4);
  if (point < 0xd800 || point > 0xdfff) return true;
  uint32_t low = 0;
  if (point > 0xdbff || !rest.starts_with("\\u") || !read_unit(rest.substr(2), low)) return false;
  if (low < 0xdc00 || low > 0xdfff) return false;
  rest.remove_prefix(6);
  point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
  return true;
}

// The byte that "\n" and the like stand for; 0 for others.
char simple_escape(char c) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
  const size_t at = kNames.find(c);
  return at == std::string_view::npos ? '\0' : kBytes[at];
}

/// Reads a path from the front.
class PathReader {
 public:
  explicit PathReader(std::string_view path) : path_(path) {}

  std::variant<JsonPath, JsonPathError> run() {
    while (at_ < path_.size() && path_[at_] == ' ') ++at_;
    if (at_ == path_.size() || path_[at_] != '$') return fail("a path begins with $", "such as '$.items[0].price'");
    ++at_;
    while (at_ < path_.size()) {
      const char c = path_[at_];
      if (c == ' ') {
        ++at_;
      } else if (!(c == '.' ? take_name() : c == '[' ? take_index() : fail_leg())) {
        return std::move(error_);
      }
    }
    return std::move(out_);
  }

 private:
  JsonPathError fail(std::string text, std::string help) { return {at_, std::move(text), std::move(help)}; }
  bool set_error(std::string text, std::string help) {
    error_ = fail(std::move(text), std::move(help));
    return false;
  }
  bool fail_leg() {
    if (path_[at_] == '*') return fail_wildcard();
    return set_error("a path goes on with .name or [number]", "names with other characters stand in \"\"");
  }
  bool fail_wildcard() { return set_error("wildcards are not supported in paths", "a path leads to one value"); }

  bool take_name() {
    ++at_;
    if (at_ < path_.size() && path_[at_] == '*') return fail_wildcard();
    if (at_ < path_.size() && path_[at_] == '"') return take_quoted_name();
    const size_t begin = at_;
    while (at_ < path_.size() && is_name_part(path_[at_])) ++at_;
    if (at_ == begin) return set_error("a name is expected behind the point", "such as $.price or $.\"unit price\"");
    out_.legs.push_back({false, 0, std::string(path_.substr(begin, at_ - begin))});
    return true;
  }
  static bool is_name_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           static_cast<uint8_t>(c) >= 0x80;
  }
  bool take_quoted_name() {
    Walker walker(path_.substr(at_));
    const std::string_view quoted = walker.take_string();
    TextArena arena;
    const auto name = is_json(quoted) ? unquote_json(quoted, arena) : std::nullopt;
    if (!name) return set_error("the closing \" is missing, or an escape is none of JSON's", "");
    at_ += quoted.size();
    out_.legs.push_back({false, 0, std::string(*name)});
    return true;
  }
  bool take_index() {
    ++at_;
    if (at_ < path_.size() && path_[at_] == '*') return fail_wildcard();
    uint32_t index = 0;
    const char* begin = path_.data() + at_;
    const auto [end, error] = std::from_chars(begin, path_.data() + path_.size(), index);
    if (error != std::errc() || end == path_.data() + path_.size() || *end != ']') {
      return set_error("a number and ] are expected behind [", "elements count from 0: $.items[0]");
    }
    at_ += static_cast<size_t>(end - begin) + 1;
    out_.legs.push_back({true, index, {}});
    return true;
  }

  std::string_view path_;
  size_t at_ = 0;
  JsonPath out_;
  JsonPathError error_;
};

JsonType number_type(std::string_view value) {
  if (value.find_first_of(".eE") != std::string_view::npos) return JsonType::floating;
  const char* end = value.data() + value.size();
  int64_t whole = 0;
  if (std::from_chars(value.data(), end, whole).ec == std::errc()) return JsonType::integer;
  uint64_t large = 0;
  const bool fits = value.front() != '-' && std::from_chars(value.data(), end, large).ec == std::errc();
  return fits ? JsonType::unsigned_integer : JsonType::floating;
}

}  // namespace

std::variant<JsonPath, JsonPathError> parse_json_path(std::string_view path) {
  return PathReader(path).run();
}

bool is_json(std::string_view text) noexcept {
  return nlohmann::json::accept(text.begin(), text.end());
}

std::string_view trim_json(std::string_view json) noexcept {
  while (!json.empty() && is_blank(json.front())) json.remove_prefix(1);
  while (!json.empty() && is_blank(json.back())) json.remove_suffix(1);
  return json;
}

std::optional<std::string_view> find_json(std::string_view json, const JsonPath& path) {
  std::string_view value = trim_json(json);
  for (const JsonPath::Leg& leg : path.legs) {
    const auto next = leg.is_index ? find_element(value, leg.index) : find_member(value, leg.name);
    if (!next) return std::nullopt;
    value = *next;
  }
  return value;
}

std::optional<JsonType> json_type_of(std::string_view value) noexcept {
  if (value.empty()) return std::nullopt;
  switch (value.front()) {
    case '{':
      return JsonType::object;
    case '[':
      return JsonType::array;
    case '"':
      return JsonType::string;
    case 't':
    case 'f':
      return JsonType::boolean;
    case 'n':
      return JsonType::null;
    default:
      return number_type(value);
  }
}

std::string_view json_type_name(JsonType type) noexcept {
  constexpr std::array<std::string_view, 8> kNames = {"OBJECT",           "ARRAY",  "STRING",  "INTEGER",
                                                      "UNSIGNED INTEGER", "DOUBLE", "BOOLEAN", "NULL"};
  return kNames[static_cast<size_t>(type)];
}

std::optional<std::string_view> unquote_json(std::string_view quoted, TextArena& arena) {
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') return std::nullopt;
  std::string_view rest = quoted.substr(1, quoted.size() - 2);
  size_t escape = rest.find('\\');
  if (escape == std::string_view::npos) return rest;
  const size_t room = rest.size();  // no escape is shorter than what it stands for
  char* begin = arena.take(room);
  char* at = begin;
  for (; escape != std::string_view::npos; escape = rest.find('\\')) {
    at = std::copy_n(rest.data(), escape, at);
    rest.remove_prefix(escape + 1);
    if (rest.empty()) return std::nullopt;
    const char name = rest.front();
    rest.remove_prefix(1);
    if (name == 'u') {
      uint32_t point = 0;
      if (!take_escaped_point(rest, point)) return std::nullopt;
      at = put_utf8(at, point);
    } else if (const char byte = simple_escape(name); byte != '\0') {
      *at++ = byte;
    } else {
      return std::nullopt;
    }
  }
  at = std::copy_n(rest.data(), rest.size(), at);
  return std::string_view(begin, static_cast<size_t>(at - begin));
}

int64_t count_json(std::string_view value) noexcept {
  Walker walker(value);
  const bool object = walker.take('{');
  if (!object && !walker.take('[')) return 1;
  int64_t count = 0;
  do {
    if (object && (walker.take_string().empty() || !walker.take(':'))) return count;
    if (walker.take_value().empty()) return count;
    ++count;
  } while (walker.take(','));
  return count;
}

}  // namespace tidemark::core
