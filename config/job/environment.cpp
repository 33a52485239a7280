// SPDX-License-Identifier: Apache-2.0
//
// Substitution of ${...}. One pass, left to right.
#include "config/job/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace tidemark::config {
namespace {

bool is_name(std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::all_of(name.begin(), name.end(), is_part);
}

struct Reference {
  std::string name;
  char kind = 0;  // '-' default, '?' message, 0 neither
  std::string argument;
};

// The inside of ${...}; empty when it cannot be read.
std::optional<Reference> read_reference(std::string_view inside) {
  const size_t colon = inside.find(':');
  Reference out{std::string(inside.substr(0, colon)), 0, {}};
  if (!is_name(out.name)) return std::nullopt;
  if (colon == std::string_view::npos) return out;
  const std::string_view rest = inside.substr(colon + 1);
  if (rest.empty() || (rest.front() != '-' && rest.front() != '?')) return std::nullopt;
  out.kind = rest.front();
  out.argument = rest.substr(1);
  if (out.argument.find("${") != std::string::npos) return std::nullopt;
  return out;
}

// The value of one reference, or a problem in `out`.
void resolve(const Reference& reference, size_t offset, size_t length, const Environment& environment,
             bool allow_missing, Substituted& out) {
  const std::optional<std::string> value = environment(reference.name);
  const bool missing = !value || (reference.kind != 0 && value->empty());
  if (!missing) {
    out.text += *value;
  } else if (reference.kind == '-') {
    out.text += reference.argument;
  } else if (allow_missing) {
    out.text += "placeholder";
    out.placeholder = true;
  } else {
    const std::string why = reference.kind == '?' && !reference.argument.empty() ? ": " + reference.argument : "";
    out.problems.push_back(
        {offset, length, true,
         fmt::format("the environment variable `{}` is {}{}", reference.name, value ? "empty" : "not set", why),
         fmt::format("set it, give a default as in ${{{}:-value}}, or check with --allow-missing-env",
                     reference.name)});
  }
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Substituted substitute(std::string_view text, const Environment& environment, bool allow_missing) {
  Substituted out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t dollar = text.find('$', at);
    out.text += text.substr(at, dollar - at);
    if (dollar == std::string_view::npos) break;
    const char next = dollar + 1 < text.size() ? text[dollar + 1] : '\0';
    if (next != '$' && next != '{') {
      out.text += '$';
      at = dollar + 1;
      continue;
    }
    out.changed = true;
    if (next == '$') {
      out.text += '$';
      at = dollar + 2;
      continue;
    }
    const size_t close = text.find('}', dollar);
    if (close == std::string_view::npos) {
      out.problems.push_back({dollar, text.size() - dollar, false, "`${` without its closing `}`",
                              "write ${NAME}, or $$ for a dollar sign"});
      break;
    }
    const size_t length = close + 1 - dollar;
    if (const auto reference = read_reference(text.substr(dollar + 2, length - 3))) {
      resolve(*reference, dollar, length, environment, allow_missing, out);
      out.whole = length == text.size();
    } else {
      out.problems.push_back({dollar, length, false, "not a reference to an environment variable",
                              "write ${NAME}, ${NAME:-default} or ${NAME:?message}; $$ is a dollar sign"});
    }
    at = close + 1;
  }
  return out;
}

}  // namespace tidemark::config
