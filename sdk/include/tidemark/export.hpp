// SPDX-License-Identifier: Apache-2.0
//
// TIDEMARK_SOURCE: what makes a class into a plugin. It puts the metadata, built at compile time, into the ELF
// section ".tidemark", where the host reads it without loading the library, and defines the entry function that
// fills the ABI's table. Every entry of the table is a captureless lambda behind guard(), so that nothing is
// thrown across the boundary. Threads: as abi.h says for each entry.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/easy_source.hpp>
#include <tidemark/reader.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark {
inline namespace v1 {

/// Fifth field of an option that the job must give: {"path", "text", "", "File to read", tidemark::kRequired}.
inline constexpr bool kRequired = true;

/// One option as TIDEMARK_SOURCE takes it. type: text, int, bool, duration, size, list or float.
struct OptionSpec {
  const char* name;
  const char* type;
  const char* default_value;
  const char* help;
  bool required = false;
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

consteval tidemark_plugin_info make_info(std::string_view name, std::string_view version,
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
  }
  return info;
}

/// What the host's `void* source` points to.
struct SourceHandle {
  Host host;
  std::unique_ptr<Source> source;
  std::optional<Schema> schema;

  const Schema& known_schema() {
    if (!schema) schema = source->schema();
    return *schema;
  }
};

/// What the host's `void* reader` points to. The reader goes first: it uses the rest.
struct ReaderHandle {
  ReaderHandle(const Schema& schema, std::span<const uint32_t> projection) : layout(schema, projection) {}

  Layout layout;
  ReaderOutput output{layout};
  std::unique_ptr<SourceReader> reader;
};

inline SourceHandle& source_of(void* source) noexcept {
  return *static_cast<SourceHandle*>(source);
}
inline ReaderHandle& reader_of(void* reader) noexcept {
  return *static_cast<ReaderHandle*>(reader);
}
inline tidemark_str str_of(std::string_view text) noexcept {
  return {text.data(), text.size()};
}
inline std::string text_of(tidemark_str text) {
  return {text.data == nullptr ? "" : text.data, text.size};
}

/// Makes the source of an author's class, which is a Source or of the easy layer.
template <typename Author>
std::unique_ptr<Source> make_source(const Options& options, Host host) {
  if constexpr (!std::derived_from<Author, Source>) {
    return std::make_unique<EasySource<Author>>(options, host);
  } else if constexpr (std::constructible_from<Author, const Options&, Host>) {
    return std::make_unique<Author>(options, host);
  } else {
    return std::make_unique<Author>(options);
  }
}

/// Entries that need the author's class: only create.
template <typename Author, const tidemark_plugin_info& Info>
void fill_source(tidemark_source_api& api) noexcept {
  api.create = [](const tidemark_host* host, const tidemark_option* options, uint64_t count,
                  tidemark_error* error) noexcept -> void* {
    std::unique_ptr<SourceHandle> handle;
    const int32_t code = guard(error, TIDEMARK_E_CONFIG, [&] {
      handle = std::make_unique<SourceHandle>();
      handle->host = Host(host);
      handle->source = make_source<Author>(Options(options, count, &Info), Host(host));
      return TIDEMARK_OK;
    });
    return code == TIDEMARK_OK ? handle.release() : nullptr;
  };
}

inline void fill_discovery(tidemark_source_api& api) noexcept {
  api.destroy = [](void* source) noexcept { delete static_cast<SourceHandle*>(source); };
  api.schema = [](void* source, tidemark_schema_out out, tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_CONFIG, [&] {
      for (const Column& column : source_of(source).known_schema().columns) {
        out.column(out.self, str_of(column.name), static_cast<uint32_t>(column.type), column.precision, column.scale,
                   column.nullable ? 1 : 0, str_of(column.comment));
      }
      return TIDEMARK_OK;
    });
  };
  api.discover = [](void* source, tidemark_splits_out out, tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_IO, [&] {
      for (const FoundSplit& found : source_of(source).source->discover()) {
        out.split(out.self, str_of(found.id), str_of(found.note));
      }
      return source_of(source).source->no_more_splits() ? TIDEMARK_END : TIDEMARK_OK;
    });
  };
  api.source_features = [](void* source) noexcept -> uint64_t { return source_of(source).source->features(); };
  api.open_reader = [](void* source, const tidemark_host* host, const tidemark_projection* projection,
                       tidemark_error* error) noexcept -> void* {
    std::unique_ptr<ReaderHandle> handle;
    const int32_t code = guard(error, TIDEMARK_E_IO, [&] {
      handle = std::make_unique<ReaderHandle>(source_of(source).known_schema(),
                                              std::span(projection->columns, projection->column_count));
      handle->reader = source_of(source).source->open_reader({handle->layout, Host(host)});
      if (handle->reader == nullptr) {
        fail(SourceError("open_reader() gave no reader").kind(ErrorKind::internal));
      } else {
        handle->reader->start();
      }
      return TIDEMARK_OK;
    });
    return code == TIDEMARK_OK ? handle.release() : nullptr;
  };
}

inline void fill_splits(tidemark_source_api& api) noexcept {
  api.close_reader = [](void* reader) noexcept { delete static_cast<ReaderHandle*>(reader); };
  api.add_splits = [](void* reader, const tidemark_split* splits, uint64_t count,
                      tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_IO, [&] {
      std::vector<Split> out;
      const auto* at = reinterpret_cast<const std::byte*>(splits);
      for (uint64_t i = 0; i < count; ++i) {  // entries may have grown: their own size is the step
        const auto& split = *reinterpret_cast<const tidemark_split*>(at);
        out.push_back({text_of(split.id), text_of(split.position), split.split});
        at += split.struct_size;
      }
      reader_of(reader).reader->add_splits(out);
      return TIDEMARK_OK;
    });
  };
  api.notify_no_more_splits = [](void* reader, tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_INTERNAL, [&] {
      reader_of(reader).reader->notify_no_more_splits();
      return TIDEMARK_OK;
    });
  };
  api.release_split = [](void* reader, uint32_t split, tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_INTERNAL, [&] {
      reader_of(reader).reader->release_split(split);
      return TIDEMARK_OK;
    });
  };
  api.pause_or_resume_splits = [](void* reader, const uint32_t* pause, uint64_t pause_count, const uint32_t* resume,
                                  uint64_t resume_count, tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_INTERNAL, [&] {
      reader_of(reader).reader->pause_or_resume_splits({pause, pause_count}, {resume, resume_count});
      return TIDEMARK_OK;
    });
  };
}

inline void fill_reading(tidemark_source_api& api) noexcept {
  api.poll_next = [](void* reader, const tidemark_output* output, tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_DATA, [&]() -> int32_t {
      ReaderHandle& handle = reader_of(reader);
      if (!handle.reader->is_available()) return TIDEMARK_NOTHING;
      handle.output.bind(*output);
      const Status status = handle.reader->poll_next(handle.output);
      return status == Status::failed ? TIDEMARK_E_INTERNAL : static_cast<int32_t>(status);
    });
  };
  api.snapshot_split = [](void* reader, uint32_t split, tidemark_bytes_out out,
                          tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_STATE, [&] {
      const std::string position = reader_of(reader).reader->snapshot_state(split);
      out.write(out.self, position.data(), position.size());
      return TIDEMARK_OK;
    });
  };
  api.checkpoint_complete = [](void* reader, uint64_t epoch, tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_INTERNAL, [&] {
      reader_of(reader).reader->notify_checkpoint_complete(epoch);
      return TIDEMARK_OK;
    });
  };
  api.wake_up = [](void* reader) noexcept { reader_of(reader).reader->wake_up(); };
}

/// The entry function's body: fills as much of the host's table as the host has room for.
template <typename Author, const tidemark_plugin_info& Info>
int32_t plugin_entry(tidemark_source_api* api) noexcept {
  tidemark_source_api full{};
  full.struct_size = std::min<uint32_t>(api->struct_size, sizeof full);
  full.abi_minor = TIDEMARK_ABI_MINOR;
  fill_source<Author, Info>(full);
  fill_discovery(full);
  fill_splits(full);
  fill_reading(full);
  std::memcpy(api, &full, full.struct_size);
  return TIDEMARK_OK;
}

}  // namespace detail
}  // namespace v1
}  // namespace tidemark

/// TIDEMARK_SOURCE(Class, "name", "version", {"option", "type", "default", "help"}, ...): once per plugin, at
/// namespace scope, without a semicolon. Class: a tidemark::Source, or of the easy layer. The name is what
/// `type = "..."` in a job file says: lower-case letters, digits and underscores.
#define TIDEMARK_SOURCE(Class, plugin_name, plugin_version, ...)                                                       \
  extern "C" {                                                                                                         \
  __attribute__((visibility("default"))) extern const tidemark_plugin_info tidemark_plugin_info_v1;                    \
  __attribute__((visibility("default"))) int32_t tidemark_plugin_entry_v1(const tidemark_host*, tidemark_source_api*,  \
                                                                          tidemark_error*);                            \
  }                                                                                                                    \
  __attribute__((section(TIDEMARK_INFO_SECTION), used)) constinit const tidemark_plugin_info tidemark_plugin_info_v1 = \
      ::tidemark::detail::make_info(plugin_name, plugin_version, {__VA_ARGS__});                                       \
  int32_t tidemark_plugin_entry_v1(const tidemark_host*, tidemark_source_api* api, tidemark_error*) {                  \
    return ::tidemark::detail::plugin_entry<Class, tidemark_plugin_info_v1>(api);                                      \
  }
