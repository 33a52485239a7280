// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/plan/job_plugin.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "config/job/codes.hpp"
#include "config/job/nearest_name.hpp"

namespace tidemark::core {
namespace {

std::vector<config::OptionSchema> option_schema(const PluginInfo& info, PluginKind kind) {
  std::vector<config::OptionSchema> out;
  for (const PluginOption& option : info.options) {
    if (!option.is_of(kind)) continue;
    const auto type = config::option_type_from(option.type);
    out.push_back(
        {option.name, type.value_or(config::OptionType::text), option.default_value, option.required, option.help});
  }
  return out;
}

// What stands between a pair of `quote` in `text`, from `*at` on; moves `*at` behind it.
std::string_view quoted(std::string_view text, char quote, size_t* at) {
  const size_t begin = text.find(quote, *at);
  const size_t end = begin == std::string_view::npos ? begin : text.find(quote, begin + 1);
  if (end == std::string_view::npos) return {};
  *at = end + 1;
  return text.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::optional<JobPlugin> find_job_plugin(const PluginCatalog& catalog, PluginKind kind,
                                         const config::Spanned<std::string>& name, const config::GivenOptions& given,
                                         config::Diagnostics& diagnostics) {
  const auto found = catalog.find(name.value, kind);
  if (!found) {
    auto& finding = diagnostics.error(config::code::kUnknownPlugin, name.span, found.status().message());
    const std::vector<std::string> names = catalog.names(kind);
    if (const auto near = config::nearest_name(name.value, names)) {
      finding.with_help(fmt::format("did you mean \"{}{}\"?", kind == PluginKind::generator ? "plugin:" : "", *near));
    }
    return std::nullopt;
  }
  const std::vector<config::OptionSchema> options = option_schema(**found, kind);
  const size_t errors_before = diagnostics.error_count();
  config::check_plugin_options(given, options, diagnostics);
  if (diagnostics.error_count() > errors_before) return std::nullopt;

  auto plugin = load_plugin(**found);
  if (!plugin) {
    diagnostics.error(config::code::kPluginProblem, name.span, plugin.status().message());
    return std::nullopt;
  }
  JobPlugin out{*std::move(plugin), {}};
  for (config::OptionValue& value : config::effective_options(given, options)) {
    out.options.emplace_back(std::move(value.name), std::move(value.value));
  }
  return out;
}

void report_plugin_problem(const config::GivenOptions& given, const std::string& text,
                           config::Diagnostics& diagnostics) {
  const std::string_view marker = "option '";
  size_t at = text.find(marker);
  std::string_view name;
  std::string_view value;
  if (at != std::string::npos) {
    at += marker.size() - 1;
    name = quoted(text, '\'', &at);
    const size_t next = text.find_first_of("'\"", at);
    if (next != std::string::npos) value = quoted(text, text[next], &at);
  }
  config::report_option(given, name, value, text, diagnostics);
}

}  // namespace tidemark::core
