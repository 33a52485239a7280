// SPDX-License-Identifier: Apache-2.0
//
// EpochAudit: what must be true of the store after every epoch. At a barrier nothing is in flight, so every row up
// to the positions is in exactly one of aggregated, late, filtered, set aside; positions, watermarks, sink progress
// and epochs only go forward; the records agree with the scripts and with each other. Looks at records alone
// after each commit, and into the late pages when asked. Keeps its memory over crashes. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/late/late_item.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/records.hpp"
#include "tests/sim/sim_job.hpp"

namespace tidemark::test {

class EpochAudit {
 public:
  /// `job` outlives it.
  explicit EpochAudit(const SimJob& job);

  /// After each commit; does nothing when it held no epoch.
  void after_commit(core::EpochStore& store);
  /// The late pages against the counts.
  void check_late(core::EpochStore& store);

  /// First breach; empty = none.
  const std::string& violation() const noexcept { return violation_; }
  uint64_t epoch() const noexcept { return last_.epoch; }
  const core::EpochRecord& last() const noexcept { return last_; }
  core::Micros watermark(size_t aggregate) const { return operators_.at(aggregate).watermark; }

 private:
  struct SplitState {
    std::vector<uint64_t> rows, filtered, set_aside;  // of the first n steps
    size_t position = 0;
    bool recorded = false;  // in an epoch before
  };

  void fail(const std::string& what);
  void expect_equal(uint64_t a, uint64_t b, const std::string& what);
  void check_splits(core::EpochStore& store);
  void check_operators(core::EpochStore& store, const core::EpochRecord& record);

  const SimJob& job_;
  std::vector<std::vector<SplitState>> splits_;  // by source and split
  std::vector<core::SplitRecord> sums_;          // counts by source
  std::vector<core::OperatorRecord> operators_;
  core::EpochRecord last_;
  std::string violation_;
};

/// All rows in the late store, in the order of their pages.
std::vector<core::LateItem> late_items(core::EpochStore& store);

}  // namespace tidemark::test
