// SPDX-License-Identifier: Apache-2.0
//
// A reader of ELF section headers that knows just enough to find one section by name. All reads go through
// Bytes, which refuses whatever does not lie inside the file.
#include "core/plugin_host/elf_info.hpp"

#include <elf.h>
#include <tidemark/abi.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "core/base/files.hpp"

namespace tidemark::core {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr Elf64_Half kMachine = EM_RISCV;
#else
#error "add the ELF machine number of this processor"
#endif

constexpr const char* kRebuild = "; rebuild it with this tidemark's SDK (tidemark_add_plugin, TIDEMARK_SOURCE)";

Status bad(std::string text) {
  return {Code::plugin, std::move(text)};
}

/// A T copied from `offset`; empty when it does not lie inside.
template <typename T>
std::optional<T> read_at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

Status check_header(std::string_view elf) {
  if (elf.size() < EI_NIDENT || elf.substr(0, SELFMAG) != std::string_view(ELFMAG, SELFMAG)) {
    return bad("it is not a shared library (no ELF header); give the plugin's .so file");
  }
  const auto header = read_at<Elf64_Ehdr>(elf, 0);
  if (elf[EI_CLASS] != ELFCLASS64 || elf[EI_DATA] != ELFDATA2LSB || (header && header->e_machine != kMachine)) {
    return bad("it was built for another processor; rebuild it for this machine");
  }
  if (!header) return bad("the file is cut off inside its ELF header; copy it again");
  if (header->e_type != ET_DYN) return bad("it is an ELF file, but not a shared library; build it as a MODULE library");
  return {};
}

/// The content of the section named `wanted`.
Result<std::string_view> find_section(std::string_view elf, std::string_view wanted) {
  const auto header = *read_at<Elf64_Ehdr>(elf, 0);
  const Status cut_off = bad("the file is cut off or damaged (its section table lies outside it); copy it again");
  const auto section_at = [&](uint64_t index) -> std::optional<Elf64_Shdr> {
    uint64_t offset = 0;
    if (__builtin_add_overflow(header.e_shoff, index * sizeof(Elf64_Shdr), &offset)) return std::nullopt;
    return read_at<Elf64_Shdr>(elf, offset);
  };
  if (header.e_shoff == 0 || header.e_shnum == 0) return bad("it has no section table; do not strip it with sstrip");
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum) return cut_off;
  if (!section_at(header.e_shnum - 1u)) return cut_off;
  const auto names = section_at(header.e_shstrndx);
  if (!names || names->sh_offset > elf.size() || elf.size() - names->sh_offset < names->sh_size) return cut_off;
  const std::string_view table = elf.substr(names->sh_offset, names->sh_size);
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    const auto section = section_at(i);
    if (!section) return cut_off;
    if (section->sh_name >= table.size()) continue;
    const std::string_view name = table.substr(section->sh_name);
    if (name.substr(0, name.find('\0')) != wanted || section->sh_type == SHT_NOBITS) continue;
    if (section->sh_offset > elf.size() || elf.size() - section->sh_offset < section->sh_size) return cut_off;
    return elf.substr(section->sh_offset, section->sh_size);
  }
  return bad("it is a shared library, but not a tidemark plugin (no section " + std::string(wanted) + ")" + kRebuild);
}

/// The text in a fixed array, up to its NUL; empty when it has none.
template <size_t N>
std::optional<std::string> text_of(const char (&text)[N]) {
  const void* const nul = std::memchr(text, 0, N);
  if (nul == nullptr) return std::nullopt;
  return std::string(text);
}

bool is_plugin_name(std::string_view name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::string version_text(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

/// Major must be equal, the host's minor at least the plugin's.
Status check_abi(const tidemark_plugin_info& info) {
  if (info.magic != TIDEMARK_PLUGIN_MAGIC) {
    return bad(std::string("its metadata does not begin with tidemark's magic number") + kRebuild);
  }
  const std::string versions = "it was built for plugin ABI " + version_text(info.abi_major, info.abi_minor) +
                               ", this tidemark has " + version_text(TIDEMARK_ABI_MAJOR, TIDEMARK_ABI_MINOR);
  if (info.abi_major != TIDEMARK_ABI_MAJOR) return bad(versions + kRebuild);
  if (info.abi_minor > TIDEMARK_ABI_MINOR) return bad(versions + "; upgrade tidemark or rebuild it with an older SDK");
  return {};
}

Result<PluginOption> parse_option(std::string_view section, uint64_t offset) {
  const auto option = read_at<tidemark_option_info>(section, offset);
  const Status damaged = bad(std::string("its option table is damaged") + kRebuild);
  if (!option) return damaged;
  auto name = text_of(option->name), type = text_of(option->type), fallback = text_of(option->default_value),
       help = text_of(option->help);
  if (!name || name->empty() || !type || !fallback || !help) return damaged;
  static constexpr std::string_view kTypes[] = {"text", "int", "bool", "duration", "size", "list", "float"};
  if (std::find(std::begin(kTypes), std::end(kTypes), *type) == std::end(kTypes)) {
    return bad("its option '" + *name + "' has the unknown type '" + *type + "'" + kRebuild);
  }
  return PluginOption{*std::move(name), *std::move(type),      *std::move(fallback),
                      *std::move(help), option->required != 0, option->of};
}

}  // namespace

const char* kind_name(PluginKind kind) noexcept {
  return kind == PluginKind::generator ? "watermark generator" : "source";
}

const PluginOption* PluginInfo::find_option(std::string_view option) const noexcept {
  for (const PluginOption& known : options) {
    if (known.name == option) return &known;
  }
  return nullptr;
}

Result<PluginInfo> parse_plugin_info(std::string_view elf) {
  if (Status status = check_header(elf); !status) return status;
  const auto section = find_section(elf, TIDEMARK_INFO_SECTION);
  if (!section) return section.status();
  // The part up to the options never moved; what an older SDK lacks at the end reads as zero.
  tidemark_plugin_info raw{};
  std::memcpy(&raw, section->data(), std::min(section->size(), sizeof raw));
  if (Status status = check_abi(raw); !status) return status;
  const Status damaged = bad(std::string("its metadata is damaged") + kRebuild);
  if (raw.struct_size > section->size() || raw.struct_size < offsetof(tidemark_plugin_info, options) ||
      raw.option_count > TIDEMARK_OPTIONS_MAX || raw.option_size < sizeof(tidemark_option_info) ||
      offsetof(tidemark_plugin_info, options) + uint64_t{raw.option_count} * raw.option_size > section->size()) {
    return damaged;
  }
  PluginInfo out;
  auto name = text_of(raw.name), version = text_of(raw.version), compiler = text_of(raw.compiler),
       description = text_of(raw.description);
  if (!name || !version || !compiler || !description) return damaged;
  if (!is_plugin_name(*name)) {
    return bad("its name '" + *name + "' is not made of lower-case letters, digits and underscores" + kRebuild);
  }
  out.name = *std::move(name);
  out.version = *std::move(version);
  out.compiler = *std::move(compiler);
  out.description = *std::move(description);
  out.abi_major = raw.abi_major;
  out.abi_minor = raw.abi_minor;
  const bool says_kinds = raw.struct_size >= offsetof(tidemark_plugin_info, provides) + sizeof raw.provides;
  if (says_kinds && raw.provides != 0) out.kinds = raw.provides;
  for (uint64_t i = 0; i < raw.option_count; ++i) {
    auto option = parse_option(*section, offsetof(tidemark_plugin_info, options) + i * raw.option_size);
    if (!option) return option.status();
    if (out.find_option(option->name) != nullptr) {
      return bad("its option '" + option->name + "' is declared twice" + kRebuild);
    }
    out.options.push_back(*std::move(option));
  }
  return out;
}

Result<PluginInfo> read_plugin_info(const std::filesystem::path& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error).lexically_normal();
  const std::string context = "plugin file " + absolute.string();
  const auto kind = std::filesystem::status(absolute, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    return bad("there is no such file; check the path").with_context(context);
  }
  if (kind == std::filesystem::file_type::directory) {
    return bad("it is a directory; give the plugin's .so file, or its folder in [plugins] paths").with_context(context);
  }
  if (kind != std::filesystem::file_type::regular) {
    const std::string reason = error ? error.message() : "it is not a regular file";
    return bad(reason + "; give the plugin's .so file").with_context(context);
  }
  const auto content = read_file(absolute);
  if (!content) return content.status().with_context("plugin file");
  auto info = parse_plugin_info(*content);
  if (!info) return info.status().with_context(context);
  info->path = absolute;
  return info;
}

}  // namespace tidemark::core
