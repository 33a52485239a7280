// SPDX-License-Identifier: Apache-2.0
//
// The columns of sources under test. Tests run without the job's input: where that is there its own schema counts;
// where it is not, columns are what the tests declare (`schema`) and, for the rest, what their rows look like:
//   5 bigint; 9.99 decimal; "eu" varchar; true boolean; 2026-01-01T00:00:10Z timestamp; without an offset datetime;
//   2026-01-01 date; 00:00:10 time; numbers in quotes decimal where the column has other numbers
// All tests of a job share one schema per source. Pure but for the findings.
#pragma once

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/plan/plan_builder.hpp"

namespace tidemark::core {

/// Schemas of all sources. `known`: those whose input could be asked.
SchemasById test_schemas(const config::JobSpec& job, const SchemasById& known, config::Diagnostics& diagnostics);

}  // namespace tidemark::core
