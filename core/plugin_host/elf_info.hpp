// SPDX-License-Identifier: Apache-2.0
//
// Reads a plugin's metadata out of its ELF section ".tidemark" without loading the library, so that a wrong
// file, another ABI or a bad option table is found before any plugin code runs. Every offset and size of the
// file is checked: damaged input gives an error, never a read outside it. Pure functions but for the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"

namespace tidemark::core {

/// What a plugin may provide; the ABI's bits.
enum class PluginKind : uint32_t { source = 1, generator = 2 };
/// "source", "watermark generator".
const char* kind_name(PluginKind kind) noexcept;

/// One option that a plugin takes in the job file.
struct PluginOption {
  std::string name;
  std::string type;  ///< "text", "int", "bool", "duration", "size", "list" or "float"
  std::string default_value;
  std::string help;
  bool required = false;
  uint32_t of = 0;  ///< bits of PluginKind: whose option it is; 0 = of all

  bool is_of(PluginKind kind) const noexcept { return of == 0 || (of & static_cast<uint32_t>(kind)) != 0; }
};

/// What a plugin says of itself.
struct PluginInfo {
  std::string name;  ///< `type = "..."` or `strategy = "plugin:..."` in the job file
  std::string version;
  std::string compiler;
  std::string description;
  uint32_t abi_major = 0;
  uint32_t abi_minor = 0;
  uint32_t kinds = static_cast<uint32_t>(PluginKind::source);  ///< bits of PluginKind
  std::vector<PluginOption> options;
  std::filesystem::path path;  ///< absolute

  bool provides(PluginKind kind) const noexcept { return (kinds & static_cast<uint32_t>(kind)) != 0; }
  /// Null when the plugin has no such option.
  const PluginOption* find_option(std::string_view option) const noexcept;
};

/// The metadata in the bytes of an ELF shared library. The error says what is wrong with them, without a path.
Result<PluginInfo> parse_plugin_info(std::string_view elf);

/// The metadata of the file at `path`. Errors name the full path and a remedy.
Result<PluginInfo> read_plugin_info(const std::filesystem::path& path);

}  // namespace tidemark::core
