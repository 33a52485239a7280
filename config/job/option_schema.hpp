// SPDX-License-Identifier: Apache-2.0
//
// A plugin's options, as it declares them, and the check of what the job gives it, for a source or for a watermark
// generator: so that errors about plugin options look the same as all others. Knows nothing of plugins themselves; the
// caller brings the schema. Pure but for the findings it adds.
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

/// Options that the job gives a plugin, and where they stand. Borrows from the spec.
struct GivenOptions {
  const std::vector<PluginOption>& options;
  std::string plugin;                  ///< its name
  std::string wanted_by;               ///< what needs an option: `type "csv"`
  std::string table;                   ///< where options are written: "[sources.orders]"
  Span span;                           ///< where one that is missing is reported
  const SourceSpec* source = nullptr;  ///< set when the table has keys of the host's own beside them
};
/// What [sources.<id>] gives its source.
GivenOptions options_of_source(const SourceSpec& source);
/// What strategy_options gives the generator of strategy = "plugin:<name>".
GivenOptions options_of_generator(const SourceSpec& source);

/// Adds findings for options that the plugin does not have (with the nearest name, or the table that the key belongs
/// in), that are of the wrong type, or that are required and missing. One text is taken as a list of one.
void check_plugin_options(const GivenOptions& given, std::span<const OptionSchema> schema, Diagnostics& diagnostics);

/// Adds what a plugin says about one of its options, at that place of the file: at `value` where the option holds
/// it, else at the option, else at given.span.
Diagnostic& report_option(const GivenOptions& given, std::string_view name, std::string_view value, std::string text,
                          Diagnostics& diagnostics);

/// An option as a plugin receives it; a list is repeated entries of one name.
struct OptionValue {
  std::string name;
  std::string value;
};

/// What the job gives, in file order, then the defaults of what it does not give, in schema order. Sizes become
/// plain bytes; all else is as written.
std::vector<OptionValue> effective_options(const GivenOptions& given, std::span<const OptionSchema> schema);

}  // namespace tidemark::config
