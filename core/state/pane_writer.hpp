// SPDX-License-Identifier: Apache-2.0
//
// PaneWriter: turns what changed in one operator at one worker into pages of the store, and reads pages back. Changed
// entries go into a delta; when the deltas come near the base, or there are many of them, or all entries changed
// anyway, the base is written anew and the older pages go: a few bases with each seal, since rows wait for it. What is
// to be added to groups that are not in memory becomes an addend; from 8 on the newest are merged with it.
//
// Pages are part of an epoch, and go with its write. Once groups leave memory, and when they are many, they are put in
// the store ahead of it, each with a mark in Family::meta that the epoch removes: what still has one at a start is
// removed (drop_pages_ahead()). Pages are removed by an epoch's write alone, and a key is never used twice in an epoch.
// Used by one worker on its thread; workers own disjoint key groups, so their writes never meet.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/page_format.hpp"
#include "core/state/pane_directory.hpp"
#include "core/window/stored_groups.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class PaneWriter final : public StoredGroups {
 public:
  /// `committed` tells the newest epoch that is in the store; `store` outlives the writer.
  PaneWriter(uint16_t operator_id, EpochStore& store, std::function<uint64_t()> committed)
      : operator_id_(operator_id), store_(store), committed_(std::move(committed)), next_epoch_(committed_() + 1) {}

  /// Everything that changed in `window` since the last seal, as the writes of `epoch`. It owns key groups
  /// [first, last].
  Status seal(WindowOperator& window, uint64_t epoch, uint32_t first_key_group, uint32_t last_key_group,
              EpochWrites& out);
  /// Writes one (pane, key group) of the seal of `epoch`; seal() calls it.
  Status write(const PaneChange& change, uint64_t epoch, EpochWrites& out);
  /// Removes a pane's pages of key groups [first, last]. Before write() of the same epoch.
  void close(Micros pane_end, uint32_t first_key_group, uint32_t last_key_group, EpochWrites& out);

  Status take(const PaneChange& change) override;
  Status open(Micros pane_end, uint32_t key_group, std::vector<StoredRun>& runs) override;

  struct Restore {
    /// Called with base entries first, then those of deltas in their order: later ones replace or remove.
    std::function<Status(Micros pane_end, std::string_view key, const EntryView& entry)> entry;
    /// Called for a group that stays in the store, or whose entries so far are of no use: it has addends. Null: none
    /// may.
    std::function<Status(Micros pane_end, uint32_t key_group)> leave{};
    /// Groups behind these bytes of pages stay in the store.
    uint64_t bytes_max = UINT64_MAX;
  };
  /// Visits what is stored of key groups [first, last] and learns which pages there are. Errors name the page.
  Status restore(uint32_t first_key_group, uint32_t last_key_group, const Restore& visit);

  const PaneDirectory& directory() const noexcept { return directory_; }

 private:
  class RunWriter;
  struct Target {
    EpochWrites& writes;
    uint64_t epoch = 0;
    bool leaves = false;  // the group: all of it must be in the store
  };
  struct Scan;

  PageKey key_of(Micros pane_end, uint32_t key_group, const PageRun& run) const;
  Status write(const PaneChange& change, const Target& target);
  bool takes_rewrite(const PaneDirectory::Runs& runs, const PaneChange& change);
  bool is_in_store(const PaneDirectory::Runs& runs) const;
  Status flush();
  Status write_addend(const PaneChange& change, PaneDirectory::Runs& runs, const Target& target);
  void remove_runs(Micros pane_end, uint32_t key_group, PaneDirectory::Runs& runs, size_t begin,
                   EpochWrites& out) const;
  Status restore_page(std::string_view key, std::string_view value, const Restore& visit, Scan& scan);
  Status restore_rest(uint32_t first, uint32_t last, const Restore& visit, std::string from);

  uint16_t operator_id_;
  EpochStore& store_;
  std::function<uint64_t()> committed_;
  uint64_t next_epoch_;      // that is not sealed
  bool is_ahead_ = false;    // groups have left memory
  EpochWrites ahead_;        // pages and marks that are not in the store yet
  uint32_t ahead_runs_ = 0;  // of it
  size_t rewritten_ = 0;     // in it: entries of bases that had to be sooner or later
  EpochWrites removals_;     // of it, of what take() has made obsolete
  PaneDirectory directory_;
  PanePageBuilder builder_;
};

/// Removes pages that were written ahead of an epoch that never was. At a start, before anything is read.
Status drop_pages_ahead(EpochStore& store);

}  // namespace tidemark::core
