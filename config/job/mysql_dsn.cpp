// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "config/job/mysql_dsn.hpp"

#include <charconv>
#include <optional>

namespace tidemark::config {
namespace {

constexpr std::string_view kScheme = "mysql://";
constexpr std::string_view kSocket = "socket=";

core::Status wrong(std::string text) {
  return {core::Code::config, std::move(text)};
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// A % that no two digits follow stands for itself.
std::string decoded(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    const auto high = text[at] == '%' && at + 2 < text.size() ? hex_digit(text[at + 1]) : std::nullopt;
    const auto low = high ? hex_digit(text[at + 2]) : std::nullopt;
    if (low) {
      out.push_back(static_cast<char>(*high << 4 | *low));
      at += 2;
    } else {
      out.push_back(text[at]);
    }
  }
  return out;
}

core::Status read_login(std::string_view text, MysqlDsn& out) {
  const size_t colon = text.find(':');
  out.user = decoded(text.substr(0, colon));
  if (out.user.empty()) return wrong("there is no user in front of `@`");
  if (colon == std::string_view::npos) return {};
  out.has_password = true;
  out.password = core::Secret(decoded(text.substr(colon + 1)));
  return {};
}

core::Status read_host(std::string_view text, MysqlDsn& out) {
  const size_t bracket = text.starts_with('[') ? text.find(']') : 0;  // an IPv6 address
  const size_t colon = text.find(':', bracket);
  const std::string_view host = text.substr(0, colon);
  out.host = host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
  if (out.host.empty()) return wrong("there is no host");
  if (colon == std::string_view::npos) return {};
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (error != std::errc{} || end != port.data() + port.size() || out.port == 0) {
    return wrong("the port is no number from 1 to 65535");
  }
  return {};
}

}  // namespace

core::Result<MysqlDsn> read_mysql_dsn(std::string_view text) {
  MysqlDsn out;
  if (!text.starts_with(kScheme)) return wrong("it does not begin with mysql://");
  text.remove_prefix(kScheme.size());
  if (const size_t at = text.rfind('@'); at != std::string_view::npos) {
    if (core::Status login = read_login(text.substr(0, at), out); !login) return login;
    text.remove_prefix(at + 1);
  }
  if (const size_t question = text.find('?'); question != std::string_view::npos) {
    const std::string_view option = text.substr(question + 1);
    if (!option.starts_with(kSocket)) return wrong("behind `?` stands something else than socket=<path>");
    out.socket = decoded(option.substr(kSocket.size()));
    text = text.substr(0, question);
  }
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash + 1 == text.size()) return wrong("it names no database behind the host");
  if (core::Status host = read_host(text.substr(0, slash), out); !host) return host;
  out.database = decoded(text.substr(slash + 1));
  if (out.database.find('/') != std::string::npos) return wrong("there is more than one `/` behind the host");
  return out;
}

}  // namespace tidemark::config
