// SPDX-License-Identifier: Apache-2.0
//
// TIDEMARK_SOURCE: what makes a class into a plugin. It puts the metadata (plugin_info.hpp) into the ELF section
// ".tidemark", where the host reads it without loading the library, and defines the entry function that fills the
// ABI's table. Every entry of the table is a captureless lambda behind guard(), so that nothing is thrown across the
// boundary. Threads: as abi.h says for each entry.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/easy_source.hpp>
#include <tidemark/plugin_info.hpp>
#include <tidemark/reader.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark {
inline namespace v1 {
namespace detail {

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
  ReaderHandle(const Schema& schema, std::span<const uint32_t> projection, uint32_t wants)
      : layout(schema, projection, wants) {}

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
/// Hosts of minor 1 do not ask.
inline EventTime event_time_of(const tidemark_projection& projection) noexcept {
  constexpr size_t kEnd = offsetof(tidemark_projection, event_time) + sizeof projection.event_time;
  return projection.struct_size >= kEnd ? static_cast<EventTime>(projection.event_time) : EventTime::commit;
}

/// Hosts before minor 3 want nothing: the field was reserved.
inline uint32_t wants_of(const tidemark_projection& projection) noexcept {
  constexpr size_t kEnd = offsetof(tidemark_projection, wants) + sizeof projection.wants;
  return projection.struct_size >= kEnd ? projection.wants : 0;
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
  api.primary_key = [](void* source, tidemark_key_out out, tidemark_error* error) noexcept -> int32_t {
    return guard(error, TIDEMARK_E_CONFIG, [&]() -> int32_t {
      const Schema& schema = source_of(source).known_schema();
      if (schema.primary_key.empty()) {
        fail(SourceError(schema.no_key.empty() ? "it does not say what tells rows apart" : schema.no_key)
                 .kind(ErrorKind::unsupported));
      }
      for (const uint32_t column : schema.primary_key) out.column(out.self, column);
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
                                              std::span(projection->columns, projection->column_count),
                                              wants_of(*projection));
      handle->reader = source_of(source).source->open_reader({handle->layout, Host(host), event_time_of(*projection)});
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

/// The entry function's body. generator: null where the library has none.
template <typename Author, const tidemark_plugin_info& Info>
int32_t source_entry(tidemark_source_api* api, const tidemark_generator_api* generator) noexcept {
  tidemark_source_api full{};
  fill_source<Author, Info>(full);
  fill_discovery(full);
  fill_splits(full);
  fill_reading(full);
  full.generator = generator;
  return give_table(full, api);
}

}  // namespace detail
}  // namespace v1
}  // namespace tidemark

/// TIDEMARK_SOURCE(Class, "name", "version", {"option", "type", "default", "help"}, ...): once per plugin, at
/// namespace scope, without a semicolon. Class: a tidemark::Source, or of the easy layer. The name is what
/// `type = "..."` in a job file says: lower-case letters, digits and underscores.
#define TIDEMARK_SOURCE(Class, plugin_name, plugin_version, ...)                                             \
  TIDEMARK_DETAIL_EXPORT(                                                                                    \
      (::tidemark::detail::make_info(TIDEMARK_PROVIDES_SOURCE, plugin_name, plugin_version, {__VA_ARGS__})), \
      (::tidemark::detail::source_entry<Class, tidemark_plugin_info_v1>(api, nullptr)))
