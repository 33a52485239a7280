// SPDX-License-Identifier: Apache-2.0
// See the header. No state; any thread.
#include "binlog/xid.hpp"

#include <charconv>
#include <vector>

#include "binlog/byte_cursor.hpp"
#include "binlog/sql_tokenizer.hpp"

namespace tidemark::binlog {

namespace {

constexpr size_t kPartMax = 64;

void append_hex(std::string_view bytes, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "X'";
  for (const char c : bytes) {
    out += kDigits[static_cast<uint8_t>(c) >> 4];
    out += kDigits[static_cast<uint8_t>(c) & 15];
  }
  out += '\'';
}

std::optional<std::string> from_hex_digits(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    uint8_t byte = 0;
    const auto [stop, code] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (code != std::errc() || stop != digits.data() + i + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

using Tokens = std::vector<SqlToken>;

/// The string at `at`, which moves behind it. Tokens end with kEnd.
std::optional<std::string> take_string(const Tokens& tokens, size_t& at) {
  const SqlToken& token = tokens[at];
  const bool prefixed = token.is("X") && tokens[at + 1].kind == TokenKind::kString;
  if (prefixed) {
    at += 2;
    return from_hex_digits(tokens[at - 1].value());
  }
  ++at;
  if (token.text.starts_with("0x")) return from_hex_digits(token.text.substr(2));
  if (token.kind == TokenKind::kString || token.kind == TokenKind::kDoubleQuoted) return token.value();
  --at;
  return std::nullopt;
}

/// A server prints the number of a format as unsigned 64 bits, and keeps 32.
bool take_format(std::string_view text, uint32_t& format_id) {
  uint64_t number = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  format_id = static_cast<uint32_t>(number);
  return code == std::errc() && stop == text.data() + text.size();
}

}  // namespace

std::string Xid::to_text() const {
  std::string out;
  append_hex(gtrid, out);
  out += ',';
  append_hex(bqual, out);
  return out + ',' + std::to_string(format_id);
}

std::optional<Xid> read_xid(std::string_view statement) {
  const Tokens tokens = tokenize(statement);
  if (tokens.size() < 4 || !tokens[0].is("XA")) return std::nullopt;
  size_t at = 2;
  Xid xid;
  auto gtrid = take_string(tokens, at);
  if (!gtrid) return std::nullopt;
  xid.gtrid = *std::move(gtrid);
  if (tokens[at].is(',')) {
    auto bqual = take_string(tokens, ++at);
    if (!bqual) return std::nullopt;
    xid.bqual = *std::move(bqual);
  }
  if (tokens[at].is(',')) {
    ++at;
    if (tokens[at].kind != TokenKind::kNumber || !take_format(tokens[at].text, xid.format_id)) return std::nullopt;
  }
  if (xid.gtrid.size() > kPartMax || xid.bqual.size() > kPartMax) return std::nullopt;
  return xid;
}

std::optional<XaPrepare> parse_xa_prepare(std::span<const uint8_t> body) {
  ByteCursor cursor(body);
  XaPrepare prepare;
  prepare.one_phase = cursor.u8() != 0;
  prepare.xid.format_id = cursor.u32();
  const uint32_t gtrid_bytes = cursor.u32();
  const uint32_t bqual_bytes = cursor.u32();
  if (gtrid_bytes > kPartMax || bqual_bytes > kPartMax) return std::nullopt;
  prepare.xid.gtrid = cursor.text(gtrid_bytes);
  prepare.xid.bqual = cursor.text(bqual_bytes);
  if (!cursor.ok()) return std::nullopt;
  return prepare;
}

}  // namespace tidemark::binlog
