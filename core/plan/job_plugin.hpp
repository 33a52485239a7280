// SPDX-License-Identifier: Apache-2.0
//
// What sources and watermark generators of a job have in common: finding the plugin by the name that the job gives,
// checking its options against what it declares, loading it; and what a plugin says against the job, as a finding at
// the option that it names. Serial, at start.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/job/diagnostic.hpp"
#include "config/job/option_schema.hpp"
#include "core/plugin_host/host_table.hpp"
#include "core/plugin_host/plugin_catalog.hpp"
#include "core/plugin_host/plugin_loader.hpp"

namespace tidemark::core {

/// A loaded plugin, with the options that it is to be created with.
struct JobPlugin {
  std::shared_ptr<const LoadedPlugin> plugin;
  PluginOptions options;
};

/// Empty after a finding at `name` (no such plugin, with the nearest name; none of that kind; it cannot be loaded) or
/// at an option.
std::optional<JobPlugin> find_job_plugin(const PluginCatalog& catalog, PluginKind kind,
                                         const config::Spanned<std::string>& name, const config::GivenOptions& given,
                                         config::Diagnostics& diagnostics);

/// Adds a plugin's own words as a finding. Plugins name the option that they mean as "option 'name'", and may quote
/// its value behind that.
void report_plugin_problem(const config::GivenOptions& given, const std::string& text,
                           config::Diagnostics& diagnostics);

}  // namespace tidemark::core
