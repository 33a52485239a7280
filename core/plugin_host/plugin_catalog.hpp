// SPDX-License-Identifier: Apache-2.0
//
// PluginCatalog: which plugins there are, found by reading files and never by running them. Places are searched
// in order: [plugins] paths of the job, TIDEMARK_PLUGIN_PATH, the install folder. The first of a name wins across
// places; two of one name in one folder are an error for that name. Each bad file gives one problem, and the
// other plugins go on. Built once at start, then constant.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/plugin_host/elf_info.hpp"

namespace tidemark::core {

/// A folder whose *.so files are plugins, or one plugin file.
struct PluginPlace {
  std::filesystem::path path;
  std::string origin;          ///< for messages: "job.toml:12:10", "TIDEMARK_PLUGIN_PATH", ...
  bool may_be_absent = false;  ///< the install folder: nothing to say when it is not there
};

/// The places in their order. Relative job paths start at `job_folder`; `environment` is the value of
/// TIDEMARK_PLUGIN_PATH (folders or files with ':' between), `install_folder` may be empty.
std::vector<PluginPlace> plugin_places(std::vector<PluginPlace> job_paths, const std::filesystem::path& job_folder,
                                       std::string_view environment, const std::filesystem::path& install_folder);

/// A file that cannot be used, and why.
struct PluginProblem {
  std::filesystem::path path;
  std::string name;  ///< the plugin's, when it could be read
  Status status;     ///< cause, full path, where the path was given, remedy
};

/// A good plugin that another of its name comes before.
struct ShadowedPlugin {
  PluginInfo info;
  std::filesystem::path used;
};

class PluginCatalog {
 public:
  /// Reads all places.
  static PluginCatalog scan(std::span<const PluginPlace> places);

  /// Usable plugins, by name.
  const std::vector<PluginInfo>& plugins() const noexcept { return plugins_; }
  const std::vector<PluginProblem>& problems() const noexcept { return problems_; }
  const std::vector<ShadowedPlugin>& shadowed() const noexcept { return shadowed_; }

  /// The plugin of this name, of the kind that is wanted. The error (config) says which there are, where was
  /// searched, and the problems of files that may have been meant, or what the plugin of that name provides instead.
  /// Owned by the catalog.
  Result<const PluginInfo*> find(std::string_view name, std::optional<PluginKind> kind = std::nullopt) const;
  /// Names of the usable plugins of a kind (of all), in order.
  std::vector<std::string> names(std::optional<PluginKind> kind = std::nullopt) const;

 private:
  void scan_place(const PluginPlace& place);
  void add_folder(std::vector<PluginInfo> found, const std::string& origin);
  bool is_refused(std::string_view name) const noexcept;

  std::vector<PluginInfo> plugins_;
  std::vector<PluginProblem> problems_;
  std::vector<ShadowedPlugin> shadowed_;
  std::vector<std::string> refused_names_;  // twice in one folder
  std::vector<std::string> searched_;
};

}  // namespace tidemark::core
