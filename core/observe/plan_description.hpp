// SPDX-License-Identifier: Apache-2.0
//
// PlanDescription: what a job will do, as plain values and sentences: what each source delivers, which columns are
// computed, what watermarks and windows mean for when a result comes, what state costs, what sinks get. Made from the
// job file and, as far as its sources could be asked, from the plan; what is not known then is said, not left out.
// The renderers (plan_rendering.hpp) only arrange it. A value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/ingest/reader.hpp"
#include "core/observe/state_estimate.hpp"
#include "core/plan/job_plan.hpp"
#include "core/plan/job_sources.hpp"

namespace tidemark::core {

struct DescribedColumn {
  std::string name;
  std::string type;  ///< "decimal(18,4)"; empty: not known
  bool nullable = true;
  std::string expression;  ///< of computed ones, as the job file has it
  std::string note;
};

/// The columns of rows that come from one source, or (no source) of all.
struct DescribedRows {
  std::string source;
  std::vector<DescribedColumn> columns;
};

struct SourceDescription {
  std::string id;
  std::string plugin;
  std::string mode;
  std::string mode_words;
  std::vector<std::string> kept;                          ///< sentences: what its current rows are kept for
  std::optional<std::vector<FoundSplit>> splits;          ///< none: not known
  std::vector<DescribedColumn> schema;                    ///< empty: not known
  std::optional<std::vector<DescribedColumn>> delivered;  ///< decoded; none: not known
  std::string strategy;
  std::string event_time;
  std::vector<std::string> watermark;  ///< sentences
  std::vector<std::string> unknown;    ///< sentences
};

struct TransformDescription {
  std::string id;
  std::vector<std::string> inputs;
  std::string where;
  std::vector<DescribedColumn> set;
  std::vector<std::string> drop;
  std::vector<DescribedRows> rows;  ///< what it gives; empty: not known
  std::string unknown;              ///< why not
};

/// An aggregate that is kept per group, for itself or for what is computed from it.
struct KeptAggregate {
  std::string name;  ///< of the column that shows it; empty: none does
  std::string call;  ///< "sum(amount decimal(18,4))"
  std::string type;
  std::string growth;  ///< what it keeps beside a fixed number of bytes; empty: nothing
};

struct AggregateDescription {
  std::string id;
  std::vector<std::string> inputs;
  std::string where;
  std::string window;
  std::vector<DescribedColumn> keys;
  std::vector<std::string> results;  ///< sentences: when they come
  std::vector<std::string> late;     ///< sentences: what becomes of late rows
  std::vector<DescribedColumn> columns;
  std::string having;
  bool final_results = true;            ///< each group has one
  std::vector<DescribedColumn> output;  ///< all that results show; empty: not known
  std::vector<KeptAggregate> kept;
  std::optional<StateEstimate> state;
  std::string unknown;  ///< a sentence, where something is
};

struct SinkDescription {
  std::string id;
  std::string input;
  std::string target;  ///< "standard output (at least once)", or the file
  std::string format;
  std::vector<std::string> columns;  ///< empty: not known
  std::string corrections;           ///< a sentence
};

struct PlanDescription {
  std::string job;
  std::string time_zone;
  uint64_t workers = 1;
  uint64_t memory_bytes = 0;
  std::vector<SourceDescription> sources;
  std::vector<TransformDescription> transforms;
  std::vector<AggregateDescription> aggregates;
  std::vector<SinkDescription> sinks;
};

/// What is there to describe a job from.
struct PlanInputs {
  const config::JobSpec& job;
  const JobPlan* plan = nullptr;  ///< null: a source could not be asked
  const JobSources& sources;
  const config::Diagnostics& diagnostics;  ///< why it could not
};

/// Asks the sources for their splits.
PlanDescription describe_plan(const PlanInputs& inputs);

}  // namespace tidemark::core
