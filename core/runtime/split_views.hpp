// SPDX-License-Identifier: Apache-2.0
//
// The part of the status model that an ingest core knows: its splits, with how they stand in their alignment
// groups. Made when somebody asks, on the core's thread.
#pragma once

#include <memory>
#include <vector>

#include "core/plan/job_plan.hpp"
#include "core/runtime/alignment_board.hpp"
#include "core/runtime/job_status.hpp"
#include "core/runtime/source_reader.hpp"
#include "core/runtime/split_table.hpp"

namespace tidemark::core {

/// The same for a running job and a stopped one.
WatermarkTerms terms_of(const WatermarkPlan& plan);

/// What names and neighbours of splits are looked up in.
struct SplitSurroundings {
  const JobPlan& plan;
  const SplitTable& splits;
  const AlignmentBoard* alignment = nullptr;  ///< null: no groups
  uint32_t core = 0;
};

std::vector<SplitView> split_views(const SplitSurroundings& around,
                                   const std::vector<std::unique_ptr<SourceReader>>& readers, Micros now);

}  // namespace tidemark::core
