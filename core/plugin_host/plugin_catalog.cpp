// SPDX-License-Identifier: Apache-2.0
//
// Directory entries are taken in name order, so that messages and choices never depend on the file system.
#include "core/plugin_host/plugin_catalog.hpp"

#include <algorithm>
#include <utility>

#include "core/base/log.hpp"

namespace tidemark::core {
namespace {

std::string with_origin(const std::string& origin) {
  return origin.empty() ? std::string() : " (given by " + origin + ")";
}

/// The *.so entries of a folder, by name.
Result<std::vector<std::filesystem::path>> libraries_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".so") out.push_back(entry->path());
  }
  if (error) {
    return Status(Code::plugin, "cannot read the plugin folder " + folder.string() + ": " + error.message() +
                                    "; check owner and mode");
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<PluginPlace> plugin_places(std::vector<PluginPlace> job_paths, const std::filesystem::path& job_folder,
                                       std::string_view environment, const std::filesystem::path& install_folder) {
  std::vector<PluginPlace> out = std::move(job_paths);
  for (PluginPlace& place : out) {
    if (place.path.is_relative()) place.path = job_folder / place.path;
  }
  while (!environment.empty()) {
    const size_t colon = std::min(environment.find(':'), environment.size());
    if (colon > 0) out.push_back({environment.substr(0, colon), "TIDEMARK_PLUGIN_PATH", false});
    environment.remove_prefix(std::min(colon + 1, environment.size()));
  }
  if (!install_folder.empty()) out.push_back({install_folder, "the install folder", true});
  return out;
}

PluginCatalog PluginCatalog::scan(std::span<const PluginPlace> places) {
  PluginCatalog out;
  for (const PluginPlace& place : places) out.scan_place(place);
  std::sort(out.plugins_.begin(), out.plugins_.end(),
            [](const PluginInfo& a, const PluginInfo& b) { return a.name < b.name; });
  return out;
}

void PluginCatalog::scan_place(const PluginPlace& place) {
  std::error_code error;
  const auto path = std::filesystem::absolute(place.path, error).lexically_normal();
  searched_.push_back(path.string());
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    if (place.may_be_absent) return;
    problems_.push_back({path,
                         {},
                         Status(Code::plugin, "there is no plugin or plugin folder at " + path.string() +
                                                  with_origin(place.origin) + "; check the path")});
    return;
  }
  std::vector<std::filesystem::path> files = {path};
  if (kind == std::filesystem::file_type::directory) {
    auto listed = libraries_in(path);
    if (!listed) {
      problems_.push_back({path, {}, Status(Code::plugin, listed.status().message() + with_origin(place.origin))});
      return;
    }
    files = *std::move(listed);
  }
  std::vector<PluginInfo> found;
  for (const auto& file : files) {
    auto info = read_plugin_info(file);
    if (info) {
      found.push_back(*std::move(info));
    } else {
      problems_.push_back({file, {}, Status(Code::plugin, info.status().message() + with_origin(place.origin))});
    }
  }
  add_folder(std::move(found), place.origin);
}

void PluginCatalog::add_folder(std::vector<PluginInfo> found, const std::string& origin) {
  std::stable_sort(found.begin(), found.end(),
                   [](const PluginInfo& a, const PluginInfo& b) { return a.name < b.name; });
  for (auto first = found.begin(); first != found.end();) {
    const std::string name = first->name;
    const auto last = std::find_if(first, found.end(), [&](const PluginInfo& info) { return info.name != name; });
    const auto known =
        std::find_if(plugins_.begin(), plugins_.end(), [&](const PluginInfo& info) { return info.name == name; });
    if (known != plugins_.end()) {
      for (auto it = first; it != last; ++it) {
        if (it->path != known->path) shadowed_.push_back({*it, known->path});
      }
    } else if (last - first > 1) {
      std::string text = "the plugin '" + name + "' is twice in one folder: " + first->path.string();
      for (auto it = first + 1; it != last; ++it) text += " and " + it->path.string();
      problems_.push_back(
          {first->path, name, Status(Code::plugin, text + with_origin(origin) + "; remove or rename all but one")});
      refused_names_.push_back(name);
    } else if (!is_refused(name)) {
      log_debug("plugin " + name + " " + first->version + " found at " + first->path.string());
      plugins_.push_back(std::move(*first));
    }
    first = last;
  }
}

bool PluginCatalog::is_refused(std::string_view name) const noexcept {
  return std::find(refused_names_.begin(), refused_names_.end(), name) != refused_names_.end();
}

std::vector<std::string> PluginCatalog::names(std::optional<PluginKind> kind) const {
  std::vector<std::string> out;
  for (const PluginInfo& info : plugins_) {
    if (!kind || info.provides(*kind)) out.push_back(info.name);
  }
  return out;
}

Result<const PluginInfo*> PluginCatalog::find(std::string_view name, std::optional<PluginKind> kind) const {
  const std::string what = kind == PluginKind::generator ? "watermark generators" : "plugins";
  std::string text = "there is no usable plugin '" + std::string(name) + "'";
  for (const PluginInfo& info : plugins_) {
    if (info.name != name) continue;
    if (!kind || info.provides(*kind)) return &info;
    text = "the plugin '" + info.name + "' (" + info.path.string() + ") provides no " + kind_name(*kind);
  }
  for (const PluginProblem& problem : problems_) {
    // A file is meant when its name or its metadata says so.
    if (problem.name == name || problem.path.stem() == name) text += "; " + problem.status.message();
  }
  text += "; " + what + " here:";
  const std::vector<std::string> usable = names(kind);
  for (const std::string& one : usable) text += " " + one;
  if (usable.empty()) text += " none";
  text += "; searched:";
  for (const std::string& place : searched_) text += " " + place;
  return Status(Code::config, text + "; add its folder to [plugins] paths");
}

}  // namespace tidemark::core
