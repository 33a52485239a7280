// SPDX-License-Identifier: Apache-2.0
//
// One pass over the bytes. A doubled quote inside quotes is that quote; a backslash is an ordinary character, as in
// standard SQL (job files have escapes of their own).
#include "core/expression/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::core {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<uint8_t>(c) >= 0x80;
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Longer ones first.
constexpr std::array<std::string_view, 28> kSymbols = {
    "<=>", "<=", ">=", "<>", "!=", "||", "&&", "->>", "->", ":=", "(", ")", ",", "+",
    "-",   "*",  "/",  "%",  "=",  "<",  ">",  ".",   ";",  "&",  "|", "^", "~", "!"};

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  OrExpressionError<std::vector<Token>> run() {
    if (text_.size() > kExpressionBytesMax) {
      return error(0, text_.size(), fmt::format("an expression has at most {} bytes", kExpressionBytesMax),
                   "make it shorter");
    }
    while (true) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      if (!take()) return std::move(error_);
    }
    tokens_.push_back({TokenKind::end, {text_.empty() ? 0 : text_.size() - 1, 1}, ""});
    return std::move(tokens_);
  }

 private:
  ExpressionError error(size_t offset, size_t size, std::string text, std::string help) {
    return {ExpressionErrorCode::syntax, {offset, size}, std::move(text), std::move(help)};
  }

  bool take() {
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return take_number();
    if (c == '`' || c == '"' || c == '\'') return take_quoted(c);
    const size_t begin = at_;
    if (is_name_start(c)) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
      return add(TokenKind::name, begin, std::string(text_.substr(begin, at_ - begin)));
    }
    for (const std::string_view symbol : kSymbols) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      at_ += symbol.size();
      return add(TokenKind::symbol, begin, std::string(symbol));
    }
    const auto byte = static_cast<uint8_t>(c);
    error_ = error(at_, 1,
                   byte < 0x20 || byte == 0x7f ? fmt::format("the byte 0x{:02x} means nothing here", byte)
                                               : fmt::format("`{}` means nothing here", c),
                   "names with such characters stand in backticks, texts in single quotes");
    return false;
  }

  bool take_number() {
    const size_t begin = at_;
    const auto digits = [this] {
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      size_t next = at_ + 1;
      if (next < text_.size() && (text_[next] == '+' || text_[next] == '-')) ++next;
      if (next < text_.size() && is_digit(text_[next])) {
        at_ = next;
        digits();
      }
    }
    if (at_ < text_.size() && is_name_part(text_[at_])) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
      error_ = error(begin, at_ - begin, fmt::format("`{}` is no number", text_.substr(begin, at_ - begin)),
                     "a column whose name begins with a digit stands in backticks");
      return false;
    }
    return add(TokenKind::number, begin, std::string(text_.substr(begin, at_ - begin)));
  }

  bool take_quoted(char quote) {
    const size_t begin = at_++;
    std::string value;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != quote) {
        value += c;
      } else if (at_ < text_.size() && text_[at_] == quote) {
        value += quote;
        ++at_;
      } else {
        if (quote != '\'' && value.empty()) {
          error_ = error(begin, 2, "a name is expected between the quotes", "texts stand in single quotes: ''");
          return false;
        }
        return add(quote == '\'' ? TokenKind::text : TokenKind::quoted_name, begin, std::move(value));
      }
    }
    error_ = error(begin, text_.size() - begin, fmt::format("the closing {} is missing", quote),
                   quote == '\'' ? "write '' for a single quote inside a text" : "");
    return false;
  }

  bool add(TokenKind kind, size_t begin, std::string value) {
    tokens_.push_back({kind, {begin, at_ - begin}, std::move(value)});
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
  ExpressionError error_;
};

}  // namespace

OrExpressionError<std::vector<Token>> tokenize_expression(std::string_view text) {
  return Tokenizer(text).run();
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string canonical_expression(std::string_view text) {
  const auto words = tokenize_expression(text);
  const auto* tokens = std::get_if<std::vector<Token>>(&words);
  if (tokens == nullptr) return std::string(text);
  std::string out;
  for (const Token& token : *tokens) {
    if (token.kind == TokenKind::end) break;
    out += (out.empty() ? "" : " ");
    out += text.substr(token.place.offset, token.place.size);
  }
  return out;
}

}  // namespace tidemark::core
