// SPDX-License-Identifier: Apache-2.0
//
// EntryMerge: the runs of many (pane, key group)s as one sequence of keys, each with the encoded accumulators that it
// comes to when they are merged. A heap over the runs' next entries; runs of one place are added in their order, so
// that later ones replace earlier ones. One entry of each run is in memory. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/stored_groups.hpp"

namespace tidemark::core {

class EntryMerge {
 public:
  /// Adds the runs of a place (a pane and key group), in their order. Before the first next().
  void add(std::vector<StoredRun> runs);

  /// Goes to the next key, ascending; false: there is none. A key whose entries were all removed is passed over.
  Result<bool> next();
  /// Valid until next(), as the other.
  std::string_view key() const noexcept { return key_; }
  /// To be merged, in the order of places and runs.
  std::span<const std::string_view> accumulators() const noexcept { return accumulators_; }

 private:
  struct Source {
    StoredRun run;
    uint32_t place = 0;
  };
  struct Head {
    std::string_view key;
    uint32_t source = 0;
  };
  static bool is_later(const Head& a, const Head& b) noexcept;
  Status advance(uint32_t source);
  void take(const Head& head);

  std::vector<Source> sources_;
  std::vector<Head> heap_;
  std::vector<uint32_t> shown_;  // sources whose entry is the current key's, or that have not begun
  uint32_t places_ = 0;
  std::string_view key_;
  std::vector<std::string_view> accumulators_;
  uint32_t last_place_ = 0;  // that gave accumulators
  size_t place_begin_ = 0;   // of its accumulators
};

/// Merges encoded accumulators into a row fresh from init(). `scratch`: a neutral row, as it is afterwards.
Status merge_encoded(const AccumulatorLayout& layout, std::span<const std::string_view> accumulators,
                     std::byte* scratch, std::byte* row);

}  // namespace tidemark::core
