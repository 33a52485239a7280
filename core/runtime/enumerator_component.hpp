// SPDX-License-Identifier: Apache-2.0
//
// EnumeratorComponent: looks for new splits of unbounded sources while the job runs, gives each to the core that reads
// the fewest, and says when a source will have no more. A look that fails is said once and tried again: it must
// not end a job whose known splits can be read. Known splits that are not found any more stay with their readers.
// Runs on a thread of its own, since discover() may wait for a network.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.hpp"
#include "core/exchange/lane.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/component.hpp"
#include "core/runtime/epoch_coordinator.hpp"
#include "core/runtime/known_splits.hpp"
#include "core/runtime/split_assignment.hpp"
#include "core/runtime/split_table.hpp"

namespace tidemark::core {

class EnumeratorComponent final : public Component {
 public:
  struct Wiring {
    std::vector<Source*> sources;            ///< by plan index
    std::vector<bool> complete;              ///< by source: it will have no more splits
    SplitTable* splits = nullptr;            ///< those found at the start stand in it
    LeftOutSplits left_out{};                ///< not read before the job starts again
    std::vector<Lane<SplitNews>*> cores{};   ///< one per ingest core
    std::vector<std::vector<bool>> readers;  ///< by core and source: the core has a reader
    std::function<Result<OpenedReader>(uint32_t source, uint32_t core)> open_reader;
    EpochCoordinator* coordinator = nullptr;
    const Clock* clock = nullptr;
  };

  EnumeratorComponent(const JobPlan& plan, Wiring wiring);

  Result<Progress> step() override;
  Micros next_wake_us() const override;
  const std::string& name() const override { return name_; }

 private:
  struct Looking {  // a source that may have more
    uint32_t source = 0;
    Micros next_us = 0;
    bool failed = false;           // the last look
    std::set<std::string> told{};  // of splits that were left out and are there again
  };

  Status look(Looking& looking, bool& complete);
  Status assign(uint32_t source, const FoundSplit& found);
  std::set<std::string_view> known_of(uint32_t source) const;

  const JobPlan& plan_;
  Wiring wiring_;
  std::string name_ = "enumerator";
  std::vector<Looking> looking_;
};

}  // namespace tidemark::core
