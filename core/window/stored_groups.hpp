// SPDX-License-Identifier: Apache-2.0
//
// StoredGroups: what a window operator asks of state when it holds more groups than memory has room for. It hands over
// what changed in a (pane, key group), lets go of it, and reads it back when the window fires, a stream of entries by
// key for each run that was handed over. The operator and the state meet in these types alone. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

class PaneChange;

/// One group as state sees it. `accumulators` is encoded, with what has been given of the group where it may have
/// several results; empty when `removed`.
struct EntryView {
  std::string_view key;
  std::string_view accumulators;
  bool removed = false;
};

/// Entries, strictly ascending by key bytes.
class EntryStream {
 public:
  EntryStream() = default;
  EntryStream(const EntryStream&) = delete;
  EntryStream& operator=(const EntryStream&) = delete;
  virtual ~EntryStream() = default;

  /// Goes to the next entry, the first one at first; false: there is none.
  virtual Result<bool> next() = 0;
  /// Valid until next().
  virtual const EntryView& entry() const = 0;
};

/// What was handed over at one time.
struct StoredRun {
  std::unique_ptr<EntryStream> entries;
  bool adds = false;  ///< to be merged with the entries of earlier runs; else in their place
};

class StoredGroups {
 public:
  StoredGroups() = default;
  StoredGroups(const StoredGroups&) = delete;
  StoredGroups& operator=(const StoredGroups&) = delete;
  virtual ~StoredGroups() = default;

  /// Takes what changed; open() gives it from then on.
  virtual Status take(const PaneChange& change) = 0;
  /// Appends all that is stored of a (pane, key group), in the order in which it was taken.
  virtual Status open(Micros pane_end, uint32_t key_group, std::vector<StoredRun>& runs) = 0;
};

}  // namespace tidemark::core
