// SPDX-License-Identifier: Apache-2.0
//
// The only user of Boost.DLL. Its headers throw; what they throw becomes a Status here.
#include "core/plugin_host/plugin_loader.hpp"

// Boost 1.74's library_info.hpp forgets these.
#include <fstream>
#include <string>
#include <vector>
#define BOOST_DLL_USE_STD_FS
#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/base/log.hpp"
#include "core/plugin_host/abi_error.hpp"

namespace tidemark::core {
namespace {

/// One library of this process.
struct Library {
  boost::dll::shared_library handle;
  std::shared_ptr<const LoadedPlugin> plugin;
};

/// Never destroyed: threads and objects of plugins may outlive main().
std::vector<Library>& libraries() {
  static std::vector<Library>& list = *std::make_unique<std::vector<Library>>().release();
  return list;
}

int32_t unsupported(tidemark_error* error, const char* what) noexcept {
  if (error != nullptr) {
    error->code = TIDEMARK_E_UNSUPPORTED;
    const std::string_view text(what);
    text.copy(error->message, sizeof error->message - 1);
    error->message[std::min(text.size(), sizeof error->message - 1)] = '\0';
  }
  return TIDEMARK_E_UNSUPPORTED;
}

/// What the plugin must have for what it provides; names of those that are absent.
std::string missing_functions(const LoadedPlugin& plugin) {
  std::string out;
  const auto need = [&out](bool there, const char* name) {
    if (!there) out += (out.empty() ? "" : ", ") + std::string(name);
  };
  if (plugin.info.provides(PluginKind::generator)) {
    const tidemark_generator_api& generator = plugin.generator;
    need(generator.create != nullptr, "generator.create");
    need(generator.destroy != nullptr, "generator.destroy");
    need(generator.on_batch != nullptr, "generator.on_batch");
    need(generator.snapshot != nullptr, "generator.snapshot");
    need(generator.restore != nullptr, "generator.restore");
  }
  if (!plugin.info.provides(PluginKind::source)) return out;
  const tidemark_source_api& api = plugin.api;
  need(api.create != nullptr, "create");
  need(api.destroy != nullptr, "destroy");
  need(api.schema != nullptr, "schema");
  need(api.discover != nullptr, "discover");
  need(api.open_reader != nullptr, "open_reader");
  need(api.close_reader != nullptr, "close_reader");
  need(api.add_splits != nullptr, "add_splits");
  need(api.poll_next != nullptr, "poll_next");
  need(api.snapshot_split != nullptr, "snapshot_split");
  return out;
}

/// Stubs in place of optional functions, so that no caller tests for null. source_features stays null: it has no
/// way to say "unsupported", and PluginSource takes the table's features then.
void install_stubs(tidemark_source_api& api) {
  if (api.notify_no_more_splits == nullptr) {
    api.notify_no_more_splits = [](void*, tidemark_error* error) {
      return unsupported(error, "the plugin has no notify_no_more_splits");
    };
  }
  if (api.release_split == nullptr) {
    api.release_split = [](void*, uint32_t, tidemark_error* error) {
      return unsupported(error, "the plugin has no release_split");
    };
  }
  if (api.pause_or_resume_splits == nullptr) {
    api.pause_or_resume_splits = [](void*, const uint32_t*, uint64_t, const uint32_t*, uint64_t,
                                    tidemark_error* error) {
      return unsupported(error, "the plugin has no pause_or_resume_splits");
    };
  }
  if (api.checkpoint_complete == nullptr) {
    api.checkpoint_complete = [](void*, uint64_t, tidemark_error* error) {
      return unsupported(error, "the plugin has no checkpoint_complete");
    };
  }
  if (api.wake_up == nullptr) api.wake_up = [](void*) {};
}

/// A copy of the plugin's own table, as far as both sides know it.
void take_generator(LoadedPlugin& plugin) {
  const tidemark_generator_api* const table = plugin.api.generator;
  if (table == nullptr) return;
  std::memcpy(&plugin.generator, table, std::min<size_t>(table->struct_size, sizeof plugin.generator));
  if (plugin.generator.on_tick == nullptr) {
    plugin.generator.on_tick = [](void*, int64_t, int64_t*, tidemark_error*) -> int32_t { return TIDEMARK_OK; };
  }
}

/// The host as the entry function sees it: no reader yet, so nothing but its versions and the log.
const tidemark_host& entry_host() {
  static const tidemark_host host = [] {
    tidemark_host out{};
    out.struct_size = sizeof out;
    out.abi_minor = TIDEMARK_ABI_MINOR;
    out.notify = [](void*) {};
    out.acquire_async = [](void*, uint32_t, uint32_t) -> tidemark_batch* { return nullptr; };
    out.grow_heap_async = [](void*, tidemark_batch*, uint64_t) -> int32_t { return TIDEMARK_E_NO_MEMORY; };
    out.release_async = [](void*, tidemark_batch*) {};
    out.log = [](void*, int32_t, tidemark_str message) { log_info(std::string_view(message.data, message.size)); };
    out.metric = [](void*, tidemark_str, double) {};
    return out;
  }();
  return host;
}

Status load_failure(const PluginInfo& info, const std::string& reason) {
  return {Code::plugin, "cannot load plugin " + info.name + " from " + info.path.string() + ": " + reason +
                            "; install the library that is missing, or rebuild the plugin on this machine"};
}

}  // namespace

Result<std::shared_ptr<const LoadedPlugin>> negotiate(const PluginInfo& info, tidemark_plugin_entry* entry) {
  const std::string context = "plugin " + info.name + " (" + info.path.string() + ")";
  auto loaded = std::make_shared<LoadedPlugin>();
  loaded->info = info;
  tidemark_source_api& api = loaded->api;
  api.struct_size = sizeof api;
  tidemark_error error = make_abi_error();
  const int32_t code = entry(&entry_host(), &api, &error);
  if (code != TIDEMARK_OK) return abi_status(code, error).with_context(context);
  if (api.struct_size > sizeof api || api.struct_size < offsetof(tidemark_source_api, create)) {
    return Status(Code::plugin, context + ": its entry function reports a table of " + std::to_string(api.struct_size) +
                                    " bytes; rebuild it with this SDK");
  }
  take_generator(*loaded);
  const std::string missing = missing_functions(*loaded);
  if (!missing.empty()) {
    return Status(Code::plugin, context + ": it lacks " + missing + "; rebuild it with this SDK");
  }
  install_stubs(api);
  return std::shared_ptr<const LoadedPlugin>(std::move(loaded));
}

Result<std::shared_ptr<const LoadedPlugin>> load_plugin(const PluginInfo& info) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (const Library& library : libraries()) {
    if (library.plugin != nullptr && library.plugin->info.path == info.path) return library.plugin;
  }
  boost::dll::shared_library handle;
  tidemark_plugin_entry* entry = nullptr;
  try {
    handle.load(info.path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    entry = &handle.get<tidemark_plugin_entry>(TIDEMARK_ENTRY_SYMBOL);
  } catch (const std::exception& e) {
    return load_failure(info, e.what());
  }
  auto plugin = negotiate(info, entry);
  // A plugin that is refused stays loaded too: its code has run.
  libraries().push_back({std::move(handle), plugin ? *plugin : nullptr});
  if (!plugin) return plugin.status();
  log_info("plugin " + info.name + " " + info.version + " in use: " + info.path.string());
  return *plugin;
}

}  // namespace tidemark::core
