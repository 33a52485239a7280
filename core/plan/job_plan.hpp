// SPDX-License-Identifier: Apache-2.0
//
// JobPlan: a checked job, resolved to numbers: which columns each source delivers, where event time comes from,
// what each aggregate computes on which columns, and where results go. Made once from the job file and the
// sources' schemas; read by the runtime. A value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/base/time.hpp"
#include "core/base/time_zone.hpp"
#include "core/batch/batch.hpp"
#include "core/event_time/alignment_group.hpp"
#include "core/event_time/future_guard.hpp"
#include "core/event_time/idle_advance.hpp"
#include "core/event_time/merge_options.hpp"
#include "core/event_time/watermark_generator.hpp"
#include "core/ingest/reader.hpp"
#include "core/ingest/row_program.hpp"
#include "core/plan/memory_budget.hpp"
#include "core/sink/mysql_sink.hpp"
#include "core/sink/sink.hpp"
#include "core/window/aggregate_spec.hpp"

namespace tidemark::core {

/// Sources that name the same group are aligned with each other.
struct AlignmentPlan {
  std::string group;
  AlignmentTerms terms;
};

struct WatermarkPlan {
  WatermarkStrategy strategy;
  GeneratorFactory generator;  ///< with the kind `plugin`
  Micros idle_timeout_us = 0;  ///< 0 = never idle by time
  Micros emit_interval_us = 200 * kMicrosPerMilli;
  MergeOptions merging;        ///< on_resume and all_idle
  IdleAdvanceOptions advance;  ///< with AllIdlePolicy::advance
  FutureGuard future;
  std::optional<AlignmentPlan> alignment;
};

/// Whose clocks a source's times without a zone were read from.
struct ZonesOfShards {
  struct Override {
    std::string shards;  ///< a glob over splits' names
    std::string zone;
  };
  std::string zone = "UTC";  ///< of all others
  std::vector<Override> overrides;

  /// The zone of a split: of the first override that names it; null = UTC.
  Result<std::shared_ptr<const TimeZone>> of(const std::string& split) const;
};

/// What a source keeps its current rows for, by their key.
struct KeptRowsPlan {
  bool truncates = false;       ///< a TRUNCATE takes the table's rows out
  bool partial_images = false;  ///< images that lack columns are completed
  std::vector<uint32_t> key{};  ///< columns of the layout, in key order

  bool any() const noexcept { return truncates || partial_images; }
};

/// The rows of a source, or the results of an aggregate as rows, on their way to the aggregates that read them.
struct RowsPlan {
  std::vector<uint32_t> projection;  ///< indexes into the schema: of the source, or of the aggregate's results
  BatchLayout layout;                ///< of the projected columns, then of computed ones
  RowProgram program;                ///< computes those, and which rows each aggregate takes
};

struct SourcePlan : RowsPlan {
  std::string id;
  std::string plugin;
  bool changelog = false;
  bool keep_bad_events = false;  ///< rows the source cannot read in full: set aside; false = the job fails
  KeptRowsPlan keeps;
  NoBase no_base = NoBase::set_aside;  ///< where it keeps rows
  ZonesOfShards zones;
  int event_time_column = -1;  ///< index into layout; -1: the source's own event time, or an expression
  SourceTime source_time = SourceTime::commit;  ///< which of its own it gives
  std::string event_time_expression;            ///< over the layout's columns; empty: event_time_column says

  /// Event time is the source's own: that of the change, not of the row.
  bool has_time_of_change() const noexcept { return event_time_column < 0 && event_time_expression.empty(); }
  std::string marker;  ///< a condition over the layout's columns; empty: no row is a marker
  WatermarkPlan watermark;
  Micros discover_interval_us = 10 * kMicrosPerSecond;  ///< between two looks for new splits of an unbounded source
};

/// What becomes of rows that are late for all their windows.
enum class LateRule : uint8_t { store, drop, fail };

struct AggregatePlan {
  AggregateSpec spec;
  /// What it reads, sources or aggregates: indexes into JobPlan. Keys and arguments stand alike in all their rows.
  std::vector<uint32_t> sources;
  std::vector<uint32_t> upstream;
  std::optional<RowsPlan> results;  ///< for those that read it
  LateRule late = LateRule::store;
  std::vector<std::string> conditions;  ///< what rows must fulfil, in words that state depends on
  std::vector<std::string> keys;        ///< what the keys are, in such words
  std::vector<std::string> arguments;   ///< of spec.columns, in such words; empty for count()
};

enum class SinkKind : uint8_t { standard_output, file, mysql };

struct SinkPlan {
  std::string id;
  SinkKind kind = SinkKind::standard_output;
  uint32_t aggregate = 0;  ///< index into JobPlan::aggregates
  std::filesystem::path path;
  FileFormat format = FileFormat::ndjson;
  FileRoll roll{};
  MysqlSinkOptions mysql{};  ///< with the kind `mysql`
};

/// The checkpoints that are kept beside the state.
struct RetainedPlan {
  std::filesystem::path path;
  size_t count = 0;              ///< 0: none
  Micros interval_us = 0;        ///< at least, between two
  bool restore_damaged = false;  ///< a start whose state is damaged restores the newest intact one
};

struct JobPlan {
  std::string name;
  uint32_t cores = 1;
  Micros checkpoint_interval_us = 10 * kMicrosPerSecond;
  Micros checkpoint_timeout_us = 120 * kMicrosPerSecond;  ///< then the log says what an epoch waits for
  std::filesystem::path state_path;
  RetainedPlan retained;
  MemoryBudget memory = MemoryBudget::of(1ULL << 30);
  std::vector<SourcePlan> sources;
  std::vector<AggregatePlan> aggregates;
  std::vector<SinkPlan> sinks;

  /// The columns of the rows that an aggregate reads.
  const BatchLayout& input_of(const AggregatePlan& aggregate) const {
    return aggregate.sources.empty() ? aggregates[aggregate.upstream.front()].results->layout
                                     : sources[aggregate.sources.front()].layout;
  }
  /// Aggregates that stand between an aggregate and the sources, on the longest way.
  uint32_t depth_of(const AggregatePlan& aggregate) const;
  /// The largest of the job.
  uint32_t depth() const;
};

/// How the names of sinks begin in fingerprints(): sinks may come and go, the other components may not.
inline constexpr std::string_view kSinkComponent = "sink ";

/// The parts of the plan that state depends on, one text per component ("aggregate revenue" -> "..."): compared
/// at a restart, so that state is never read under another meaning. Sinks come last.
std::vector<std::pair<std::string, std::string>> fingerprints(const JobPlan& plan);

}  // namespace tidemark::core
