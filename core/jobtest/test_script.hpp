// SPDX-License-Identifier: Apache-2.0
//
// TestScript: the steps of one test with everything resolved: sources and shards by number, values in their columns'
// types. build_script() makes it and reports what does not fit the schemas, at its place. Values.
#pragma once

#include <string>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/jobtest/cell_value.hpp"
#include "core/plan/plan_builder.hpp"

namespace tidemark::core {

/// One row of a batch: an update is two, its old and its new one.
struct ScriptRow {
  Op op = Op::insert;
  Micros source_time_us = kNoTime;  ///< $commit_time or $header_time; kNoTime: the clock's when it is read
  std::string database, table;      ///< $database and $table; may be empty
  std::vector<CellValue> cells;     ///< by column of the schema; fewer: the others are NULL
};

struct ShardRef {
  uint32_t source = 0;
  uint32_t shard = 0;  ///< index in TestScript::shards[source]
};

struct ScriptStep {
  config::TestStep::Kind kind = config::TestStep::Kind::rows;
  std::vector<ShardRef> shards;  ///< whom it is about; none with silences
  std::vector<ScriptRow> rows;
  Micros time_us = 0;
  bool idle = true;
};

struct TestScript {
  Micros wall_start_us = 0;
  bool ends = true;
  std::vector<std::vector<std::string>> shards;  ///< names by source; all are there from the start
  std::vector<ScriptStep> steps;
};

TestScript build_script(const config::JobSpec& job, const config::TestSpec& test, const SchemasById& schemas,
                        config::Diagnostics& diagnostics);

}  // namespace tidemark::core
