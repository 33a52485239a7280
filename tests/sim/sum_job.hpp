// SPDX-License-Identifier: Apache-2.0
//
// Jobs for hand-written scenarios: sum(v) by tumbling window over one source whose rows are (k, v), in seconds.
// Free functions.
#pragma once

#include <string>
#include <vector>

#include "tests/sim/sim_world.hpp"

namespace tidemark::test {

ScriptStep value(double event_s, int v, double available_s = 0);
/// A step that is no row, such as a mark "idle" or known progress to `time_s`.
ScriptStep mark(ScriptStep::Kind kind, double available_s, double time_s = 0);

/// A split that stays open for ever, and one that ends at a virtual time.
SplitScript open_split(std::string id, std::vector<ScriptStep> steps);
SplitScript split_until(std::string id, double ends_at_s, std::vector<ScriptStep> steps);

/// Windows of 10 s, checkpoints every second, bound 0.
SimJob sum_job(std::vector<SplitScript> splits, double idle_timeout_s = 0,
               core::Micros window_us = 10 * core::kMicrosPerSecond);
/// A result line of it.
std::string window(int64_t start_s, const std::string& sum, int64_t size_s = 10);

SimOptions one_row_batches(std::vector<uint32_t> cores = {1});

}  // namespace tidemark::test
