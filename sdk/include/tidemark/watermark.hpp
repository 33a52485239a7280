// SPDX-License-Identifier: Apache-2.0
//
// Watermark generators of one's own: derive from WatermarkGenerator, and name the class in
// TIDEMARK_WATERMARK_GENERATOR. A job takes it with `strategy = "plugin:<name>"` and gives it options in
// `strategy_options = { ... }`; every split has an instance of its own.
// Errors: throw SourceError (or fail() without exceptions) with cause, object and remedy; the job ends with plugin,
// split and text. Ownership: the host owns the instance; spans and views are borrowed for the call.
// Threads: calls on one instance come from one thread at a time, those of other instances may run beside them.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/errors.hpp>
#include <tidemark/host.hpp>
#include <tidemark/options.hpp>
#include <tidemark/plugin_info.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark {
inline namespace v1 {

/// What a generator sees of a batch of its split, row by row.
class RowTimes {
 public:
  explicit RowTimes(const tidemark_row_times& rows) noexcept : rows_(rows) {}

  size_t size() const noexcept { return rows_.rows; }
  /// Microseconds since the epoch, UTC; TIDEMARK_NO_TIME for a row that says nothing about time.
  std::span<const int64_t> event_times() const noexcept { return {rows_.event_time_us, rows_.rows}; }
  /// True for the rows that the job's `marker` picks; never without a marker in the job.
  bool is_marker(size_t row) const noexcept { return rows_.markers != nullptr && rows_.markers[row] != 0; }

 private:
  const tidemark_row_times& rows_;
};

/// Makes the watermark of one split. Constructed from `const Options&` or from `const Options&, Host`.
class WatermarkGenerator {
 public:
  WatermarkGenerator() = default;
  WatermarkGenerator(const WatermarkGenerator&) = delete;
  WatermarkGenerator& operator=(const WatermarkGenerator&) = delete;
  virtual ~WatermarkGenerator() = default;

  /// After the rows of a batch were handed on. The watermark now (no row at or below it is to come), empty where
  /// there is nothing new. The host keeps it from stepping back.
  virtual std::optional<int64_t> on_batch(const RowTimes& rows) = 0;
  /// About every emit_interval while the split is not idle. now_us: a monotonic clock of the split, which stands still
  /// while the split has unread data, is paused or is blocked; another zero in each run.
  virtual std::optional<int64_t> on_tick(int64_t now_us) {
    static_cast<void>(now_us);
    return std::nullopt;
  }
  /// All that restore() needs to go on; any bytes.
  virtual std::string snapshot() const = 0;
  /// At most once, before any other call: what snapshot() gave in an earlier run, maybe of another version.
  virtual void restore(std::string_view state) = 0;
};

namespace detail {

inline WatermarkGenerator& generator_of(void* generator) noexcept {
  return *static_cast<WatermarkGenerator*>(generator);
}

inline void put_watermark(const std::optional<int64_t>& said, int64_t* watermark) noexcept {
  if (said) *watermark = *said;
}

/// The table of functions over an author's class; `Info` has the options' defaults.
template <typename Author, const tidemark_plugin_info& Info>
const tidemark_generator_api* generator_table() noexcept {
  static constexpr tidemark_generator_api kTable = {
      sizeof(tidemark_generator_api),
      TIDEMARK_ABI_MINOR,
      [](const tidemark_host* host, tidemark_str, const tidemark_option* options, uint64_t count,
         tidemark_error* error) noexcept -> void* {
        std::unique_ptr<WatermarkGenerator> made;
        const int32_t code = guard(error, TIDEMARK_E_CONFIG, [&] {
          if constexpr (std::constructible_from<Author, const Options&, Host>) {
            made = std::make_unique<Author>(Options(options, count, &Info), Host(host));
          } else {
            made = std::make_unique<Author>(Options(options, count, &Info));
          }
          return TIDEMARK_OK;
        });
        return code == TIDEMARK_OK ? made.release() : nullptr;
      },
      [](void* generator) noexcept { delete static_cast<WatermarkGenerator*>(generator); },
      [](void* generator, const tidemark_row_times* rows, int64_t* watermark,
         tidemark_error* error) noexcept -> int32_t {
        return guard(error, TIDEMARK_E_DATA, [&] {
          put_watermark(generator_of(generator).on_batch(RowTimes(*rows)), watermark);
          return TIDEMARK_OK;
        });
      },
      [](void* generator, int64_t now_us, int64_t* watermark, tidemark_error* error) noexcept -> int32_t {
        return guard(error, TIDEMARK_E_INTERNAL, [&] {
          put_watermark(generator_of(generator).on_tick(now_us), watermark);
          return TIDEMARK_OK;
        });
      },
      [](void* generator, tidemark_bytes_out out, tidemark_error* error) noexcept -> int32_t {
        return guard(error, TIDEMARK_E_STATE, [&] {
          const std::string state = generator_of(generator).snapshot();
          out.write(out.self, state.data(), state.size());
          return TIDEMARK_OK;
        });
      },
      [](void* generator, tidemark_str state, tidemark_error* error) noexcept -> int32_t {
        return guard(error, TIDEMARK_E_STATE, [&] {
          generator_of(generator).restore(std::string_view(state.data, state.size));
          return TIDEMARK_OK;
        });
      },
  };
  return &kTable;
}

/// The entry function's body of a library that provides a generator alone.
template <typename Author, const tidemark_plugin_info& Info>
int32_t generator_entry(tidemark_source_api* api) noexcept {
  tidemark_source_api full{};
  full.generator = generator_table<Author, Info>();
  return give_table(full, api);
}

}  // namespace detail
}  // namespace v1
}  // namespace tidemark

/// TIDEMARK_WATERMARK_GENERATOR(Class, "name", "version", {"option", "type", "default", "help"}, ...): once per plugin,
/// at namespace scope, without a semicolon. The name is what `strategy = "plugin:<name>"` says.
#define TIDEMARK_WATERMARK_GENERATOR(Class, plugin_name, plugin_version, ...)                                   \
  TIDEMARK_DETAIL_EXPORT(                                                                                       \
      (::tidemark::detail::make_info(TIDEMARK_PROVIDES_GENERATOR, plugin_name, plugin_version, {__VA_ARGS__})), \
      (::tidemark::detail::generator_entry<Class, tidemark_plugin_info_v1>(api)))

/// The same for a library with both (include <tidemark/source.hpp> too): one name, and a sixth field of each option
/// says whose it is: {"percentile", "float", "99", "...", false, tidemark::OptionOf::generator}.
#define TIDEMARK_SOURCE_AND_GENERATOR(SourceClass, GeneratorClass, plugin_name, plugin_version, ...)            \
  TIDEMARK_DETAIL_EXPORT((::tidemark::detail::make_info(TIDEMARK_PROVIDES_SOURCE | TIDEMARK_PROVIDES_GENERATOR, \
                                                        plugin_name, plugin_version, {__VA_ARGS__})),           \
                         (::tidemark::detail::source_entry<SourceClass, tidemark_plugin_info_v1>(               \
                             api, ::tidemark::detail::generator_table<GeneratorClass, tidemark_plugin_info_v1>())))
