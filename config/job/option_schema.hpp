// SPDX-License-Identifier: Apache-2.0
//
// A plugin's options, as it declares them, and the check of what a source gives it: so that errors about plugin
// options look the same as all others. Knows nothing of plugins themselves; the caller brings the schema.
// Pure but for the findings it adds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"

namespace tidemark::config {

enum class OptionType : uint8_t { text, integer, boolean, duration, size, list, floating };

/// "text", "int", "bool", "duration", "size", "list", "float"; empty for anything else.
std::optional<OptionType> option_type_from(std::string_view name);

struct OptionSchema {
  std::string name;
  OptionType type = OptionType::text;
  std::string default_value;  ///< as a user would write it; empty = none
  bool required = false;
  std::string help;
};

/// Adds findings for options that the plugin does not have (with the nearest name, or the table that the key belongs
/// in), that are of the wrong type, or that are required and missing. One text is taken as a list of one.
void check_plugin_options(const SourceSpec& source, std::span<const OptionSchema> schema, Diagnostics& diagnostics);

/// Adds what a plugin says about one of its options, at that place of the file: at `value` where the option holds
/// it, else at the option, else at the source.
Diagnostic& report_option(const SourceSpec& source, std::string_view name, std::string_view value, std::string text,
                          Diagnostics& diagnostics);

/// An option as a plugin receives it; a list is repeated entries of one name.
struct OptionValue {
  std::string name;
  std::string value;
};

/// What the source gives, in file order, then the defaults of what it does not give, in schema order. Sizes become
/// plain bytes; all else is as written.
std::vector<OptionValue> effective_options(const SourceSpec& source, std::span<const OptionSchema> schema);

}  // namespace tidemark::config
