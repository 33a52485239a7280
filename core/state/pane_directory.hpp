// SPDX-License-Identifier: Apache-2.0
//
// PaneDirectory: which runs of pages the store holds of each (pane, key group) of an operator, in their order: a base,
// its deltas, then addends. PageSequence: whether pages, read in the order of their keys, are such runs from their
// first part to their last. Values of one worker, on its thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/status.hpp"
#include "core/base/time.hpp"
#include "core/state/keys.hpp"

namespace tidemark::core {

class PaneDirectory {
 public:
  struct Run {
    PageRun id;
    uint64_t bytes = 0;     ///< of its pages before they were packed; 0 = not known
    bool is_ahead = false;  ///< of its epoch: it can be read before that is committed
  };
  using Runs = std::vector<Run>;

  /// Of a group; none where nothing is stored.
  Runs& runs(Micros pane_end, uint32_t key_group) { return groups_[{pane_end, key_group}]; }
  /// Null where nothing is stored.
  const Runs* find(Micros pane_end, uint32_t key_group) const;
  void forget(Micros pane_end, uint32_t key_group) { groups_.erase({pane_end, key_group}); }
  /// Forgets key groups [first, last] of a pane; false when none was known.
  bool forget_range(Micros pane_end, uint32_t first, uint32_t last);
  size_t size() const noexcept { return groups_.size(); }
  void clear() { groups_.clear(); }
  /// Bytes of all pages before they were packed, as far as they are known.
  uint64_t bytes() const;

 private:
  std::map<std::pair<Micros, uint32_t>, Runs> groups_;  // by pane end and key group
};

class PageSequence {
 public:
  /// The next page; `more`: as it says of itself. Code::damage when it does not follow the one before.
  Status add(const PageKey& key, bool more);
  /// After the last one: its run ends with it.
  Status end() const;

 private:
  std::optional<PageKey> last_;
  bool more_ = false;
};

}  // namespace tidemark::core
