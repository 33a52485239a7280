// SPDX-License-Identifier: Apache-2.0
//
// A parsed TOML file as plain values with their places: the only view of TOML that the rest of config has (toml++
// stays inside toml_tree.cpp). Table entries stand in file order. String values have their environment variables
// replaced. Immutable after parsing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/environment.hpp"
#include "config/job/source_text.hpp"
#include "config/job/toml_time.hpp"

namespace tidemark::config {

struct TomlEntry;

struct TomlNode {
  enum class Kind : uint8_t { text, integer, floating, boolean, time, list, table };

  Kind kind = Kind::table;
  Span span;         ///< of the value (texts: with quotes); of the header for [tables]
  std::string text;  ///< texts: the value; numbers, booleans and times: as spelled in the file
  int64_t integer = 0;
  bool boolean = false;
  TomlTime time;
  bool substituted = false;        ///< a text that held ${...} or $$: places inside it are not known
  bool from_environment = false;   ///< a text that was one whole ${...}: may stand for a number and the like
  bool placeholder = false;        ///< a text with an unset variable that was allowed to be unset
  std::vector<TomlEntry> entries;  ///< of a table
  std::vector<TomlNode> items;     ///< of a list
};

struct TomlEntry {
  std::string key;
  Span key_span;
  TomlNode value;
};

/// "a text", "an integer", ... for messages.
std::string_view kind_name(TomlNode::Kind kind) noexcept;

/// Place of the text inside its quotes; of the whole literal when it is empty or was substituted.
Span text_span(const SourceText& source, const TomlNode& node);

/// Parses file number `file` of `diagnostics`. Syntax errors (the first only: the parser stops there) and problems
/// with environment variables (all) are added; empty after a syntax error.
std::optional<TomlNode> parse_toml(uint32_t file, const Environment& environment, bool allow_missing_env,
                                   Diagnostics& diagnostics);

}  // namespace tidemark::config
