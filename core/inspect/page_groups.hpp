// SPDX-License-Identifier: Apache-2.0
//
// What the pages of an operator come to, as a restart would read them: per (pane, key group) the base with its deltas
// applied in their order, and what is to be added. Pages that a running job has written ahead of an epoch are not
// looked at. One group is in memory at a time. A page that is damaged, or whose base is missing, is an error that names
// it. Reads the store, changes nothing; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/base/time.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {

/// Pages of one kind.
struct PageTotals {
  uint64_t pages = 0;
  uint64_t bytes = 0;  ///< of the pages, as they are given to the store

  void add(const PageTotals& more) {
    pages += more.pages;
    bytes += more.bytes;
  }
  bool operator==(const PageTotals&) const = default;
};

struct PageGroup {
  Micros pane_end = 0;
  uint32_t key_group = 0;
  PageTotals base;
  PageTotals delta;
  PageTotals addend;
  /// key -> accumulators, of those that are left; several are to be merged.
  std::map<std::string, std::vector<std::string>> entries;
};

/// Pages of later epochs than this one are not committed yet. UINT64_MAX where there is no record of an epoch;
/// Code::damage when it is damaged.
Result<uint64_t> committed_epoch(EpochStore& store);

/// False: enough was seen.
using VisitPageGroup = std::function<Result<bool>(PageGroup& group)>;

/// Visits the groups of an operator, ascending by (pane end, key group); with `pane_end` those of that pane.
Status visit_page_groups(EpochStore& store, uint16_t operator_id, std::optional<Micros> pane_end,
                         const VisitPageGroup& visit);
/// The same by (key group, pane end), for panes whose entries belong together by key.
Status visit_page_groups_by_key(EpochStore& store, uint16_t operator_id, const VisitPageGroup& visit);

}  // namespace tidemark::core
