// SPDX-License-Identifier: Apache-2.0
//
// What a restart makes of splits that its state knows and its sources do not have any more. A shard that was read
// before and is not found would silently hold no rows, so that is an error; unless it is asked to go on without it:
// then the record of the split is put aside in the state, where it holds no watermark, and when the split is there
// again at a start, that start goes on from the position in it. Main thread, before anything runs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "core/base/status.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/split_table.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {

/// Splits that the job goes on without: source by plan index, and name.
using LeftOutSplits = std::set<std::pair<uint32_t, std::string>>;

/// Settles what became of the splits that the state knows, and says so in the log. Code::state when one is not in
/// `splits`, and not to be left out.
Result<LeftOutSplits> settle_known_splits(EpochStore& store, const JobPlan& plan, const SplitTable& splits,
                                          bool leave_out_missing);

}  // namespace tidemark::core
