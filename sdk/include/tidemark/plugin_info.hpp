// SPDX-License-Identifier: Apache-2.0
//
// The metadata of a plugin, built at compile time: name, version, what the library provides and its options. What is
// wrong in it is an error of the compiler that names the fault. Also what all exporting macros share: the two
// exported symbols, and texts of the ABI. Values and constant evaluation; any thread.
#pragma once

#include <tidemark/abi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tidemark {
inline namespace v1 {

/// Fifth field of an option that the job must give: {"path", "text", "", "File to read", tidemark::kRequired}.
inline constexpr bool kRequired = true;

/// Whose option it is, in a library that provides both.
enum class OptionOf : uint32_t {
  all = 0,
  source = TIDEMARK_PROVIDES_SOURCE,
  generator = TIDEMARK_PROVIDES_GENERATOR,
};

/// One option as the macros take it. type: text, int, bool, duration, size, list or float.
struct OptionSpec {
  const char* name;
  const char* type;
  const char* default_value;
  const char* help;
  bool required = false;
  OptionOf of = OptionOf::all;
};

namespace detail {

// Not constexpr: a call during constant evaluation is the compile-time error, and its name says what is wrong.
inline void text_of_plugin_metadata_is_too_long() {}
inline void plugin_name_must_be_lower_case_letters_digits_and_underscores() {}
inline void option_type_must_be_text_int_bool_duration_size_list_or_float() {}
inline void too_many_options() {}

template <size_t N>
consteval void put_text(char (&out)[N], std::string_view text) {
  if (text.size() >= N) text_of_plugin_metadata_is_too_long();
  for (size_t i = 0; i < text.size(); ++i) out[i] = text[i];
}

consteval void check_name(std::string_view name) {
  bool good = !name.empty() && name[0] >= 'a' && name[0] <= 'z';
  for (const char c : name) good = good && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_');
  if (!good) plugin_name_must_be_lower_case_letters_digits_and_underscores();
}

consteval void check_option_type(std::string_view type) {
  bool known = false;
  for (const std::string_view good : {"text", "int", "bool", "duration", "size", "list", "float"}) {
    known = known || type == good;
  }
  if (!known) option_type_must_be_text_int_bool_duration_size_list_or_float();
}

consteval tidemark_plugin_info make_info(uint32_t provides, std::string_view name, std::string_view version,
                                         std::initializer_list<OptionSpec> options, std::string_view description = {}) {
  tidemark_plugin_info info{};
  info.magic = TIDEMARK_PLUGIN_MAGIC;
  info.struct_size = sizeof info;
  info.abi_major = TIDEMARK_ABI_MAJOR;
  info.abi_minor = TIDEMARK_ABI_MINOR;
  check_name(name);
  put_text(info.name, name);
  put_text(info.version, version);
#ifdef __clang__
  put_text(info.compiler, "clang " __clang_version__);
#else
  put_text(info.compiler, "gcc " __VERSION__);
#endif
  put_text(info.description, description);
  info.provides = provides;
  info.option_size = sizeof(tidemark_option_info);
  if (options.size() > TIDEMARK_OPTIONS_MAX) too_many_options();
  for (const OptionSpec& option : options) {
    tidemark_option_info& out = info.options[info.option_count++];
    check_option_type(option.type);
    put_text(out.name, option.name);
    put_text(out.type, option.type);
    put_text(out.default_value, option.default_value);
    put_text(out.help, option.help);
    out.required = option.required ? 1 : 0;
    out.of = static_cast<uint32_t>(option.of);
  }
  return info;
}

/// Copies as much of the plugin's table to the host's as the host has room for.
inline int32_t give_table(tidemark_source_api& full, tidemark_source_api* api) noexcept {
  full.struct_size = std::min<uint32_t>(api->struct_size, sizeof full);
  full.abi_minor = TIDEMARK_ABI_MINOR;
  std::memcpy(api, &full, full.struct_size);
  return TIDEMARK_OK;
}

inline tidemark_str str_of(std::string_view text) noexcept {
  return {text.data(), text.size()};
}
inline std::string text_of(tidemark_str text) {
  return {text.data == nullptr ? "" : text.data, text.size};
}

}  // namespace detail
}  // namespace v1
}  // namespace tidemark

/// The two symbols of a plugin: its metadata, in an ELF section of its own, and the entry function, which is called
/// with `api` and whose value is the code.
#define TIDEMARK_DETAIL_EXPORT(make_info_call, entry_call)                                                             \
  extern "C" {                                                                                                         \
  __attribute__((visibility("default"))) extern const tidemark_plugin_info tidemark_plugin_info_v1;                    \
  __attribute__((visibility("default"))) int32_t tidemark_plugin_entry_v1(const tidemark_host*, tidemark_source_api*,  \
                                                                          tidemark_error*);                            \
  }                                                                                                                    \
  __attribute__((section(TIDEMARK_INFO_SECTION), used)) constinit const tidemark_plugin_info tidemark_plugin_info_v1 = \
      make_info_call;                                                                                                  \
  int32_t tidemark_plugin_entry_v1(const tidemark_host*, tidemark_source_api* api, tidemark_error*) {                  \
    return entry_call;                                                                                                 \
  }
