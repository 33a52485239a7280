// SPDX-License-Identifier: Apache-2.0
//
// Loads a plugin that the catalog found and negotiates its table of functions. Libraries are bound at once
// (rtld_now: a missing dependency is named here, not at the first poll), see nothing of each other (rtld_local)
// and are never unloaded: whether unloading works depends on the plugin's code by accident.
// Serial: loading happens at start, on one thread at a time (a mutex holds it to that).
#pragma once

#include <tidemark/abi.h>

#include <memory>

#include "core/base/status.hpp"
#include "core/plugin_host/elf_info.hpp"

namespace tidemark::core {

/// A loaded plugin; lives to the end of the process. What it provides (info.provides) is whole: no function of `api`,
/// or of `generator`, is null then. What the plugin may leave out is a stub that answers TIDEMARK_E_UNSUPPORTED
/// (source_features: the table's features; on_tick: nothing new).
struct LoadedPlugin {
  PluginInfo info;
  tidemark_source_api api{};
  tidemark_generator_api generator{};
};

/// Loads `info.path`, once per process, and logs the path in use. Errors carry the dynamic loader's own reason.
Result<std::shared_ptr<const LoadedPlugin>> load_plugin(const PluginInfo& info);

/// Calls `entry` with the host's table and checks what it filled: required functions are there, the rest gets
/// stubs. Split off from loading for plugins that are linked in.
Result<std::shared_ptr<const LoadedPlugin>> negotiate(const PluginInfo& info, tidemark_plugin_entry* entry);

}  // namespace tidemark::core
