// SPDX-License-Identifier: Apache-2.0
//
// What a simulated job consists of: scripts that say which rows a split has and when they can be read, and the
// plan that runs over them. The same scripts give the rows for the oracle. Cells are texts, as the oracle's.
// Times of scripts are virtual (SimClock::now()); event times are microseconds UTC. Values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/job_plan.hpp"
#include "tests/oracle/oracle.hpp"

namespace tidemark::test {

/// One thing that a split does.
struct ScriptStep {
  enum class Kind : uint8_t { row, watermark, progress, idle, active, disconnected, connected, truncate };
  Kind kind = Kind::row;
  core::Micros available_us = 0;         ///< virtual time from which it can be read
  core::Micros time_us = core::kNoTime;  ///< event time (kNoTime = NULL), or the watermark or progress
  core::Op op = core::Op::insert;        ///< of a row; an update_before is followed by its update_after
  std::vector<OracleCell> cells{};       ///< of a row, in the order of SourceScript::columns
  uint32_t absent = 0;                   ///< of a row: bits of the schema's columns that its image does not hold
  uint64_t truncated = 0;                ///< of a truncate: rows that there are of the split
};

/// A span of virtual time in which polls that come to a split fail, retryably.
struct Outage {
  core::Micros from_us = 0;
  core::Micros until_us = 0;
};

struct SplitScript {
  std::string id;
  std::vector<ScriptStep> steps;
  bool ends = true;
  core::Micros ends_at_us = 0;     ///< virtual
  core::Micros appears_at_us = 0;  ///< virtual; the source finds it from then on
  std::vector<Outage> outages{};
};

struct SourceScript {
  std::vector<core::ColumnInfo> columns;  ///< without the event time, which is column 0 of the schema, `at`
  std::vector<SplitScript> splits;
  bool can_pause = true;      ///< single splits
  bool names_failing = true;  ///< an error says which split it is of
};

struct SimJob {
  core::JobPlan plan;
  std::vector<SourceScript> scripts;  ///< by source
};

/// A row of key and measures, at a time in seconds.
ScriptStep script_row(double event_s, std::vector<OracleCell> cells, core::Op op = core::Op::insert,
                      double available_s = 0);

core::ColumnInfo column_of(std::string name, core::ColumnType type, int precision = 0, int scale = 0);

/// Adds a source over `script` with a bounded out-of-orderness watermark; returns its number.
uint32_t add_source(SimJob& job, SourceScript script, bool changelog, core::Micros bound_us,
                    core::Micros idle_timeout_us = 0);

/// "sum(v)" and the like.
struct SimColumn {
  core::AggregateFunction function = core::AggregateFunction::count_all;
  std::string argument{};
};

/// Adds an aggregate over `sources` and a sink of its own ("sink <n>"); returns its number.
uint32_t add_aggregate(SimJob& job, std::vector<uint32_t> sources, core::Micros window_us,
                       const std::vector<std::string>& keys, const std::vector<SimColumn>& columns,
                       core::Micros allowed_lateness_us = 0);
/// What the aggregate reads from now on.
void set_sources(SimJob& job, uint32_t aggregate, const std::vector<uint32_t>& sources);
/// One more sink of the aggregate.
void add_sink(SimJob& job, uint32_t aggregate);

/// The oracle's name of it; throws std::invalid_argument where it has none.
OracleFunction oracle_function(core::AggregateFunction function);
/// The oracle's view of one aggregate.
OracleJob oracle_job(const SimJob& job, uint32_t aggregate);
/// Up to which window end a row (source, split number in its script, sequence) missed its windows; nothing: all.
using RowMisses = std::function<std::optional<core::Micros>(uint32_t source, uint32_t split, uint64_t sequence)>;
/// Its rows, but those that missed all.
std::vector<OracleRow> oracle_rows(const SimJob& job, uint32_t aggregate, const RowMisses& misses = {});
/// Results as the simulator's sink writes them, in the oracle's order.
std::vector<std::string> oracle_lines(const OracleFinal& final);
/// All that the aggregate should give when every row counts.
std::vector<std::string> expected_lines(const SimJob& job, uint32_t aggregate);

}  // namespace tidemark::test
