// SPDX-License-Identifier: Apache-2.0
//
// `tidemark plugin ls | info`: what plugins there are, from their metadata alone; no plugin code runs. Problems
// of single files go to standard error and make the exit code 78. Main thread.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/plan/job_sources.hpp"

namespace tidemark::core {
namespace {

struct PluginOptions {
  std::string name;
  std::string job;
  std::vector<std::string> paths;
};

PluginCatalog scan(const PluginOptions& options) {
  std::optional<config::JobSpec> spec;
  if (!options.job.empty()) spec = load_job_file(options.job, true).spec;
  std::vector<PluginPlace> places;
  for (const std::string& path : options.paths) places.push_back({std::filesystem::absolute(path), "--path", false});
  for (PluginPlace& place : job_plugin_places(spec ? &*spec : nullptr)) places.push_back(std::move(place));
  return PluginCatalog::scan(places);
}

std::string kinds_of(const PluginInfo& info) {
  std::string out;
  if (info.provides(PluginKind::source)) out = "source";
  if (info.provides(PluginKind::generator)) out += out.empty() ? "generator" : ",generator";
  return out;
}

int list(const PluginOptions& options) {
  const PluginCatalog catalog = scan(options);
  std::printf("%-20s %-10s %-6s %-16s %s\n", "NAME", "VERSION", "ABI", "PROVIDES", "FILE");
  for (const PluginInfo& info : catalog.plugins()) {
    std::printf("%-20s %-10s %-6s %-16s %s\n", info.name.c_str(), info.version.c_str(),
                fmt::format("{}.{}", info.abi_major, info.abi_minor).c_str(), kinds_of(info).c_str(),
                info.path.c_str());
  }
  for (const ShadowedPlugin& shadowed : catalog.shadowed()) {
    std::fprintf(stderr, "note: %s is not used: %s comes first\n", shadowed.info.path.c_str(), shadowed.used.c_str());
  }
  for (const PluginProblem& problem : catalog.problems()) {
    std::fprintf(stderr, "tidemark: error: %s\n", problem.status.message().c_str());
  }
  return catalog.problems().empty() ? kExitOk : kExitConfig;
}

void print_options(const PluginInfo& info, PluginKind kind) {
  const char* const format = kind == PluginKind::source ? "\noptions of a source of type \"%s\":\n"
                                                        : "\nstrategy_options with strategy = \"plugin:%s\":\n";
  std::printf(format, info.name.c_str());
  for (const PluginOption& option : info.options) {
    if (!option.is_of(kind)) continue;
    const std::string value = option.required                ? "required"
                              : option.default_value.empty() ? "no default"
                                                             : "default " + option.default_value;
    std::printf("  %-18s %-9s %s\n%*s%s\n", option.name.c_str(), option.type.c_str(), value.c_str(), 31, "",
                option.help.c_str());
  }
}

int info(const PluginOptions& options) {
  const bool is_file = options.name.find('/') != std::string::npos || options.name.ends_with(".so");
  Result<PluginInfo> found = Status(Code::plugin, "");
  if (is_file) {
    found = read_plugin_info(std::filesystem::absolute(options.name));
  } else {
    const PluginCatalog catalog = scan(options);
    auto in_catalog = catalog.find(options.name);
    found = in_catalog ? Result<PluginInfo>(**in_catalog) : Result<PluginInfo>(in_catalog.status());
  }
  if (!found) return report(found.status());
  std::printf("name      %s\nversion   %s\nprovides  %s\nabi       %u.%u\ncompiler  %s\nfile      %s\n",
              found->name.c_str(), found->version.c_str(), kinds_of(*found).c_str(), found->abi_major, found->abi_minor,
              found->compiler.c_str(), found->path.c_str());
  if (!found->description.empty()) std::printf("about     %s\n", found->description.c_str());
  for (const PluginKind kind : {PluginKind::source, PluginKind::generator}) {
    if (found->provides(kind)) print_options(*found, kind);
  }
  return kExitOk;
}

}  // namespace

void add_plugin_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<PluginOptions>();
  CLI::App* command = app.add_subcommand("plugin", "List and look into plugins");
  command->require_subcommand(1);
  command->add_option("--path", options->paths, "Folder or file to search first")->type_name("PATH");
  command->add_option("--job", options->job, "Also search the [plugins] paths of this job file")->type_name("FILE");
  CLI::App* ls = command->add_subcommand("ls", "The plugins that jobs can use, and files that cannot be used");
  ls->callback([options, &action] { action = [options] { return list(*options); }; });
  CLI::App* about = command->add_subcommand("info", "Name, version and options of one plugin");
  about->add_option("name", options->name, "Name of a plugin, or a file")->required();
  about->callback([options, &action] { action = [options] { return info(*options); }; });
}

}  // namespace tidemark::core
