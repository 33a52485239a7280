// SPDX-License-Identifier: Apache-2.0
//
// Option checks. Values stay texts: the plugin reads them; here they must only be of the right form.
#include "config/job/option_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "config/job/key_catalog.hpp"
#include "config/job/nearest_name.hpp"
#include "config/job/units.hpp"

namespace tidemark::config {
namespace {

struct TypeInfo {
  OptionType type;
  std::string_view name;   // in a schema
  std::string_view words;  // for people
  const char* example;
};
constexpr std::array<TypeInfo, 7> kTypes = {{
    {OptionType::text, "text", "a text", "write it in quotes"},
    {OptionType::integer, "int", "an integer", "such as 10"},
    {OptionType::boolean, "bool", "true or false", "write true or false, without quotes"},
    {OptionType::duration, "duration", "a duration", R"(write "10s", "500ms" or "2m")"},
    {OptionType::size, "size", "a size", R"(write "64MiB" or "64MB")"},
    {OptionType::list, "list", "a list of texts", R"(write ["first", "second"])"},
    {OptionType::floating, "float", "a number", "such as 0.5"},
}};

const TypeInfo& info_of(OptionType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeInfo& info) { return info.type == type; });
}

using Kind = PluginOption::Kind;

template <typename T>
bool is_number(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && at == end;
}

// True when the value has the form that the type asks for. Texts are taken for numbers and booleans only when they
// read as one, which is how a ${VARIABLE} arrives.
bool fits(const PluginOption& option, OptionType type) {
  if (option.kind == Kind::table) return false;
  if (option.kind == Kind::list) return type == OptionType::list;
  const std::string& value = option.values.front().value;
  const bool text = option.kind == Kind::text;
  switch (type) {
    case OptionType::text:
      return text || option.kind == Kind::time;
    case OptionType::integer:
      return option.kind == Kind::integer || (text && is_number<int64_t>(value));
    case OptionType::boolean:
      return option.kind == Kind::boolean || (text && (value == "true" || value == "false"));
    case OptionType::duration: {
      const DurationText read = text ? read_duration(value) : DurationText{};
      return text && read.problem == UnitProblem::none && read.value >= 0;
    }
    case OptionType::size:
      return option.kind == Kind::integer ? !value.starts_with('-')
                                          : text && read_size(value).problem == UnitProblem::none;
    case OptionType::list:
      return text;
    case OptionType::floating:
      return option.kind == Kind::integer || option.kind == Kind::floating || (text && is_number<double>(value));
  }
  return false;
}

void check_value(const PluginOption& option, const OptionSchema& schema, Diagnostics& diagnostics) {
  if (option.placeholder || fits(option, schema.type)) return;
  const TypeInfo& type = info_of(schema.type);
  const bool number = option.kind == Kind::integer || option.kind == Kind::floating;
  Diagnostic& finding = schema.type == OptionType::duration && number
                            ? diagnostics.error(code::kNotADuration, option.span, "a duration needs a unit")
                            : diagnostics.error(schema.type == OptionType::duration ? code::kNotADuration
                                                : schema.type == OptionType::size   ? code::kNotASize
                                                                                    : code::kWrongType,
                                                option.span, fmt::format("`{}` must be {}", option.name, type.words));
  finding.with_help(type.example);
  if (!schema.help.empty()) finding.with_note(fmt::format("`{}`: {}", schema.name, schema.help));
}

void check_unknown(const PluginOption& option, const GivenOptions& given, const std::vector<std::string>& names,
                   Diagnostics& diagnostics) {
  std::string help;
  if (given.source != nullptr) {
    const std::span<const std::string_view> planned = planned_keys_of(TableKind::source);
    if (std::find(planned.begin(), planned.end(), option.name) != planned.end()) {
      diagnostics
          .error(code::kNotSupportedYet, option.name_span,
                 fmt::format("`{}` is not supported yet with {}", option.name, given.wanted_by))
          .with_help("remove it for now");
      return;
    }
    help = suggest_key(TableKind::source, option.name, {given.source->id.value, "", ""}, names);
  } else if (const auto near = nearest_name(option.name, names)) {
    help = fmt::format("did you mean `{}`?", *near);
  }
  diagnostics
      .error(code::kUnknownKey, option.name_span, fmt::format("unknown key `{}` in {}", option.name, given.table))
      .with_help(help)
      .with_note(fmt::format("tidemark plugin info {} lists its options", given.plugin));
}

}  // namespace

std::optional<OptionType> option_type_from(std::string_view name) {
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeInfo& info) { return info.name == name; });
  return found == kTypes.end() ? std::nullopt : std::optional<OptionType>(found->type);
}

GivenOptions options_of_source(const SourceSpec& source) {
  return {source.options,
          source.type.value,
          fmt::format("type \"{}\"", source.type.value),
          fmt::format("[sources.{}]", source.id.value),
          source.span,
          &source};
}

GivenOptions options_of_generator(const SourceSpec& source) {
  const WatermarkSpec& watermark = source.watermark;
  return {watermark.generator_options,
          watermark.generator.value,
          fmt::format("strategy \"plugin:{}\"", watermark.generator.value),
          fmt::format("`strategy_options` of [sources.{}.watermark]", source.id.value),
          watermark.generator.span,
          nullptr};
}

void check_plugin_options(const GivenOptions& given, std::span<const OptionSchema> schema, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const OptionSchema& option : schema) names.push_back(option.name);
  for (const PluginOption& option : given.options) {
    const auto found =
        std::find_if(schema.begin(), schema.end(), [&](const OptionSchema& one) { return one.name == option.name; });
    if (found == schema.end()) {
      check_unknown(option, given, names, diagnostics);
    } else {
      check_value(option, *found, diagnostics);
      if (found->required && option.kind == Kind::list && option.values.empty()) {
        diagnostics.error(code::kMissingKey, option.span, fmt::format("`{}` is empty", option.name))
            .with_help(found->help);
      }
    }
  }
  for (const OptionSchema& option : schema) {
    const bool there = std::any_of(given.options.begin(), given.options.end(),
                                   [&](const PluginOption& one) { return one.name == option.name; });
    if (there || !option.required) continue;
    diagnostics
        .error(code::kMissingKey, given.span,
               fmt::format("{} lacks `{}`, which {} needs", given.table, option.name, given.wanted_by))
        .with_help(option.help);
  }
}

Diagnostic& report_option(const GivenOptions& given, std::string_view name, std::string_view value, std::string text,
                          Diagnostics& diagnostics) {
  Span at = given.span;
  for (const PluginOption& option : given.options) {
    if (option.name != name) continue;
    at = option.name_span;
    for (const Spanned<std::string>& one : option.values) {
      if (one.value == value) return diagnostics.error(code::kPluginProblem, one.span, std::move(text));
    }
  }
  return diagnostics.error(code::kPluginProblem, at, std::move(text));
}

std::vector<OptionValue> effective_options(const GivenOptions& given, std::span<const OptionSchema> schema) {
  std::vector<OptionValue> out;
  const auto add = [&](const std::string& name, const std::string& value, OptionType type) {
    const SizeText size = type == OptionType::size ? read_size(value) : SizeText{0, UnitProblem::malformed, {}};
    out.push_back({name, size.problem == UnitProblem::none ? fmt::format("{}", size.bytes) : value});
  };
  for (const PluginOption& option : given.options) {
    const auto declared =
        std::find_if(schema.begin(), schema.end(), [&](const OptionSchema& one) { return one.name == option.name; });
    const OptionType type = declared == schema.end() ? OptionType::text : declared->type;
    for (const Spanned<std::string>& value : option.values) add(option.name, value.value, type);
  }
  for (const OptionSchema& option : schema) {
    const bool there = std::any_of(given.options.begin(), given.options.end(),
                                   [&](const PluginOption& one) { return one.name == option.name; });
    if (!there && !option.default_value.empty()) add(option.name, option.default_value, option.type);
  }
  return out;
}

}  // namespace tidemark::config
