// SPDX-License-Identifier: Apache-2.0
//
// A job as its file says, typed, with defaults filled in and every value's place kept, so that later checks can
// still point at it. Ids are unique over sources, transforms,
// aggregates and sinks; lists stand in file order. Values; made
// by load_job, read-only afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/job/mysql_dsn.hpp"
#include "config/job/source_text.hpp"
#include "config/job/spanned.hpp"
#include "config/job/test_spec.hpp"
#include "core/base/secret.hpp"
#include "core/base/time.hpp"

namespace tidemark::config {

/// Of the updates and deletes of a source: ignored (append), or applied as minus the old row, plus the new one.
enum class InputMode : uint8_t { append, changelog };

/// What happens to changes that a source cannot read in full: the job fails, or they are stored with their reason.
enum class OnBadEvent : uint8_t { fail, set_aside };

/// What a TRUNCATE does to the results: nothing (it is said and counted), or the table's rows, which are kept, are
/// taken out.
enum class OnTruncate : uint8_t { ignore, apply };

/// What becomes of a row image without a column that the job needs: it is a bad event, or it is completed from the kept
/// row.
enum class OnPartialImage : uint8_t { reject, complete };

/// What becomes of a row that takes away from a group what was never added to it (the job began mid-history).
enum class NoBase : uint8_t { set_aside, delta, fail };

/// How watermarks are made from event times. none: only the end of the input closes windows.
/// source: the source's plugin says them itself (emit_watermark). punctuated: rows that the marker picks.
/// plugin: a generator that a plugin provides ("plugin:<name>").
enum class WatermarkStrategy : uint8_t { bounded_out_of_orderness, ascending, none, source, punctuated, plugin };

/// What the watermark does while every split of a source is idle.
enum class AllIdle : uint8_t { hold, flush, end_of_time, advance_after };

/// How a split that was idle comes back: at once (hold), or when it has caught up.
enum class OnResume : uint8_t { hold, catch_up };

/// What happens to a row whose event time is further ahead of the wall clock than max_future. In no case does it move
/// the watermark. clamp: it counts in the window of its own time.
enum class OnFuture : uint8_t { clamp, set_aside, fail };

/// An option that only a plugin knows.
struct PluginOption {
  enum class Kind : uint8_t { text, integer, floating, boolean, time, list, table };
  std::string name;
  Span name_span;
  Kind kind = Kind::text;
  Span span;                                 ///< of the value
  std::vector<Spanned<std::string>> values;  ///< one, or a list's items; numbers and booleans as they are spelled
  bool placeholder = false;                  ///< an unset variable stands in it (LoadOptions::allow_missing_env)
};

/// `alignment` of a watermark table: shards that are max_drift ahead of the group's slowest wait for it.
struct AlignmentSpec {
  Span span;
  bool given = false;
  Spanned<std::string> group;  ///< sources that name the same group are aligned with each other
  Spanned<core::Micros> max_drift_us;
  Spanned<core::Micros> update_interval_us;
  Spanned<core::Micros> timeout_us;  ///< a shard that failed or is disconnected for longer sets no limit any more
};

struct WatermarkSpec {
  Span span;                   ///< header of the table; of the source's where there is none
  Spanned<std::string> field;  ///< a column, an expression, "$commit_time" (the source's own) or "$header_time"
  Spanned<WatermarkStrategy> strategy;
  Spanned<std::string> marker;                    ///< an expression; with strategy punctuated
  Spanned<std::string> generator;                 ///< the plugin; with strategy plugin
  std::vector<PluginOption> generator_options;    ///< strategy_options
  Spanned<core::Micros> max_out_of_orderness_us;  ///< 0 with strategy ascending
  Spanned<core::Micros> idle_timeout_us;          ///< 0 = "never"
  Spanned<core::Micros> emit_interval_us;
  Spanned<AllIdle> all_idle;
  core::Micros advance_after_us = 0;  ///< with AllIdle::advance_after
  core::Micros lag_us = 0;            ///< with AllIdle::advance_after
  Spanned<OnResume> on_resume;
  Spanned<core::Micros> max_future_us;  ///< not given: no guard
  Spanned<OnFuture> on_future;
  AlignmentSpec alignment;
};

/// True where a `field` is an expression, and not the name of a column or of a time that the source has itself. A name
/// with blanks or operators in it stands in backticks, which make it an expression.
bool is_expression(std::string_view field) noexcept;

/// [[sources.<id>.shard]]: what differs for the shards that the pattern matches.
struct ShardSpec {
  Span span;
  Spanned<std::string> name;  ///< a glob over the split's name
  Spanned<std::string> time_zone;
};

struct SourceSpec {
  Spanned<std::string> id;
  Span span;
  Spanned<std::string> type;  ///< the plugin's name
  Spanned<InputMode> mode;
  Spanned<OnBadEvent> on_bad_event;
  Spanned<NoBase> no_base;
  Spanned<OnTruncate> on_truncate;
  Spanned<OnPartialImage> on_partial_image;

  /// It knows which rows were counted, by their key.
  bool keeps_rows() const noexcept {
    return on_truncate.value == OnTruncate::apply || on_partial_image.value == OnPartialImage::complete;
  }

  Spanned<std::string> time_zone;              ///< of event times without one (DATETIME); UTC by default
  std::vector<ShardSpec> shards;               ///< overrides for single shards
  Spanned<core::Micros> discover_interval_us;  ///< between two looks for new shards while running
  WatermarkSpec watermark;
  std::vector<PluginOption> options;
};

/// [transforms.<id>] with type = "map": rows on their way from its inputs, fewer and with more columns.
struct TransformSpec {
  Spanned<std::string> id;
  Span span;
  std::vector<Spanned<std::string>> inputs;  ///< sources, transforms and aggregates
  Spanned<std::string> where;                ///< a condition; empty: every row
  struct Assignment {
    Spanned<std::string> name;
    Spanned<std::string> expression;
  };
  std::vector<Assignment> set;             ///< computed from the input's columns, not from each other
  std::vector<Spanned<std::string>> drop;  ///< columns that are not there behind it
};

/// One of key_by: a column, or "<expression> AS <name>".
struct KeySpec {
  Spanned<std::string> expression;
  Spanned<std::string> name;  ///< in the results
};

/// One output column: `name = "expression over aggregates"`.
struct ColumnSpec {
  Spanned<std::string> name;
  Spanned<std::string> expression;  ///< as written
};

enum class WindowType : uint8_t { tumbling, sliding, cumulative, session, global };
enum class WindowTime : uint8_t { event, processing };

struct WindowSpec {
  Span span;
  Spanned<WindowType> type;
  Spanned<core::Micros> size_us;      ///< tumbling, sliding; cumulative: max_size
  Spanned<core::Micros> slide_us;     ///< sliding; cumulative: step
  Spanned<core::Micros> offset_us;    ///< of the starts
  Spanned<core::Micros> gap_us;       ///< session
  Spanned<core::Micros> max_size_us;  ///< session; 0 = none
  Spanned<std::string> time_zone;     ///< of the windows' bounds; by default the job's
  Spanned<WindowTime> time;
};

enum class FiringRule : uint8_t { never, on_update, every, count };

/// "never", "on_update", "10s", { every = "10s", time = "event" } or { count = 100 }.
struct FiringSpec {
  Span span;
  FiringRule rule = FiringRule::never;
  core::Micros interval_us = 0;
  bool event_time = false;  ///< every: multiples in event time, not by the clock
  int64_t count = 0;
};

/// When results come besides that at the window's end: before it (early) and within the allowed lateness (late).
struct EmitSpec {
  Span span;
  bool given = false;
  FiringSpec early;
  FiringSpec late;
  bool purge = false;  ///< each result has only the rows since the one before
};

enum class LatePolicy : uint8_t { store, drop, fail };

struct AggregateSpec {
  Spanned<std::string> id;
  Span span;
  std::vector<Spanned<std::string>> inputs;  ///< sources or aggregates, and transforms of them
  Spanned<std::string> where;                ///< a condition on rows; empty: every row
  std::vector<KeySpec> key_by;               ///< empty: one group
  WindowSpec window;
  EmitSpec emit;
  Spanned<core::Micros> allowed_lateness_us;
  Spanned<LatePolicy> late;
  Spanned<std::string> having;  ///< a condition on results; empty: every group
  std::vector<ColumnSpec> columns;

  /// True where a window and group may have several results.
  bool can_fire_again() const noexcept {
    return emit.early.rule != FiringRule::never || allowed_lateness_us.value > 0 ||
           window.type.value == WindowType::global;
  }
  /// True where a later one of them takes the place of an earlier one.
  bool replaces_results() const noexcept { return can_fire_again() && !emit.purge; }
};

enum class SinkType : uint8_t { stdout_text, file, mysql };
enum class FileFormat : uint8_t { ndjson, csv };
/// What becomes of results that a sink's target refuses: the job fails, or they are stored with their reason.
enum class OnReject : uint8_t { fail, set_aside };

/// What a sink of type mysql has of its own.
struct MysqlSpec {
  Spanned<MysqlDsn> dsn;
  core::SecretSource password;  ///< of `password`, or of the DSN
  Spanned<std::string> table;
  std::vector<Spanned<std::string>> key;  ///< columns that tell results apart
  Spanned<int64_t> batch_rows;
  Spanned<uint64_t> batch_bytes;
  Spanned<int64_t> max_attempts;  ///< 0 = for ever
  Spanned<core::Micros> retry_initial_us;
  Spanned<core::Micros> retry_max_us;
  Spanned<OnReject> on_reject;
};

struct SinkSpec {
  Spanned<std::string> id;
  Span span;
  Spanned<SinkType> type;
  std::vector<Spanned<std::string>> inputs;
  Spanned<std::string> path;  ///< absolute; with type file
  Spanned<FileFormat> format;
  Spanned<uint64_t> roll_bytes;         ///< with type file; 0: not by size
  Spanned<core::Micros> roll_every_us;  ///< 0: not by time
  MysqlSpec mysql;                      ///< with type mysql
};

struct StateSpec {
  Spanned<std::string> path;  ///< absolute
  Spanned<uint64_t> memory_bytes;
};

/// What becomes of a start whose state is damaged: it fails, or the newest intact checkpoint is restored.
enum class OnDamage : uint8_t { fail, restore };

struct CheckpointSpec {
  Spanned<core::Micros> interval_us;
  Spanned<core::Micros> timeout_us;
  Spanned<int64_t> retain;                   ///< 0: none
  Spanned<core::Micros> retain_interval_us;  ///< at least, between two that are retained
  Spanned<std::string> path;                 ///< absolute; of those retained
  Spanned<OnDamage> on_damage;
};

struct HttpSpec {
  Spanned<std::string> listen;  ///< "host:port" (port 0: any free one), or "off"
};

enum class LogLevel : uint8_t { debug, info, warning, error };
enum class LogFormat : uint8_t { text, json, logfmt };

struct LogSpec {
  Spanned<LogLevel> level;
  Spanned<LogFormat> format;
};

struct JobSpec {
  std::string file_name;           ///< as load_job was given it
  std::filesystem::path base_dir;  ///< absolute folder of the job file: relative paths of the job start here
  Spanned<int64_t> version;
  Spanned<std::string> name;
  Spanned<std::string> time_zone;
  Spanned<int64_t> parallelism;  ///< worker threads; by default one per CPU
  std::vector<SourceSpec> sources;
  std::vector<TransformSpec> transforms;
  std::vector<AggregateSpec> aggregates;
  std::vector<SinkSpec> sinks;
  StateSpec state;
  CheckpointSpec checkpoint;
  std::vector<TestSpec> tests;
  std::vector<Spanned<std::string>> plugin_paths;  ///< absolute
  HttpSpec http;
  LogSpec log;

  /// Null when there is none.
  const SourceSpec* find_source(const std::string& id) const;
  const TransformSpec* find_transform(const std::string& id) const;
  const AggregateSpec* find_aggregate(const std::string& id) const;
  /// The sources whose rows come through these inputs, directly or by transforms, each once, in order.
  std::vector<const SourceSpec*> sources_behind(const std::vector<Spanned<std::string>>& inputs) const;
  /// The same of aggregates: what these themselves read is not looked at.
  std::vector<const AggregateSpec*> aggregates_behind(const std::vector<Spanned<std::string>>& inputs) const;
};

/// The words of the job file for a value: "changelog", "count_distinct", ...
const char* to_text(InputMode value) noexcept;
const char* to_text(OnBadEvent value) noexcept;
const char* to_text(WatermarkStrategy value) noexcept;
const char* to_text(AllIdle value) noexcept;
const char* to_text(OnResume value) noexcept;
const char* to_text(OnFuture value) noexcept;
const char* to_text(NoBase value) noexcept;
const char* to_text(OnTruncate value) noexcept;
const char* to_text(OnPartialImage value) noexcept;
const char* to_text(WindowType value) noexcept;
const char* to_text(WindowTime value) noexcept;
const char* to_text(LatePolicy value) noexcept;
const char* to_text(SinkType value) noexcept;
const char* to_text(FileFormat value) noexcept;
const char* to_text(OnReject value) noexcept;
const char* to_text(OnDamage value) noexcept;
const char* to_text(LogLevel value) noexcept;
const char* to_text(LogFormat value) noexcept;

/// `path` itself when absolute, else under `base_dir`; without "." and "..".
std::string resolve_path(const std::filesystem::path& base_dir, const std::string& path);

}  // namespace tidemark::config
