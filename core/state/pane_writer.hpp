// SPDX-License-Identifier: Apache-2.0
//
// PaneWriter: turns what changed in one operator at one worker into the page writes of an epoch, and reads pages
// back at a restart. Changed entries go into a delta page; when the deltas outgrow the base, or there are 8 of
// them, or all entries changed anyway, the base is written anew and the older pages go, so that at most about
// twice the changed bytes are ever written and a restart reads at most 9 pages per group.
// Used by one worker on its thread; workers own disjoint key groups, so their writes never meet.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/status.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/page_format.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

/// What the store holds of each (pane, key group) of an operator.
class PaneDirectory {
 public:
  struct Pages {
    uint64_t base_bytes = 0;  ///< 0 = no base
    uint64_t delta_bytes = 0;
    uint32_t deltas = 0;
  };
  using Id = std::pair<Micros, uint32_t>;  ///< pane end, key group

  Pages& pages(Micros pane_end, uint32_t key_group) { return pages_[{pane_end, key_group}]; }
  void forget(Micros pane_end, uint32_t key_group) { pages_.erase({pane_end, key_group}); }
  /// Forgets key groups [first, last] of a pane; false when none was known.
  bool forget_range(Micros pane_end, uint32_t first, uint32_t last);
  size_t size() const noexcept { return pages_.size(); }
  void clear() { pages_.clear(); }
  /// Bytes of all pages.
  uint64_t bytes() const;

 private:
  std::map<Id, Pages> pages_;
};

class PaneWriter {
 public:
  explicit PaneWriter(uint16_t operator_id) : operator_id_(operator_id) {}

  /// Writes one (pane, key group) of the seal of `epoch`.
  void write(const PaneChange& change, uint64_t epoch, EpochWrites& out);
  /// Removes a pane's pages of key groups [first, last]. Call it after write() of the same epoch.
  void close(Micros pane_end, uint32_t first_key_group, uint32_t last_key_group, EpochWrites& out);

  /// Called with base entries first, then deltas in the order of their epochs: later ones replace or remove.
  using RestoreVisit = std::function<Status(Micros pane_end, std::string_view key, const EntryView& entry)>;
  /// Visits all entries of key groups [first, last] and learns which pages there are. Errors name the page.
  Status restore(EpochStore& store, uint32_t first_key_group, uint32_t last_key_group, const RestoreVisit& visit);

  const PaneDirectory& directory() const noexcept { return directory_; }

 private:
  Status restore_page(std::string_view key, std::string_view value, uint32_t first, uint32_t last,
                      const RestoreVisit& visit);

  uint16_t operator_id_;
  PaneDirectory directory_;
  PanePageBuilder builder_;
};

}  // namespace tidemark::core
