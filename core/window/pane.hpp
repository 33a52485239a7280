// SPDX-License-Identifier: Apache-2.0
//
// Pane: all groups of one slice of time of one aggregate at one worker, a table per key group that is made when its
// first row comes. What has been given of a window stands in the pane with its end. EntryRef and sort_by_key: entries
// of several tables in the order of their keys, for results and pages. One thread.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/time.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/pane_table.hpp"

namespace tidemark::core {

class Pane {
 public:
  /// last_window: end of the last window that it is part of.
  Pane(const AccumulatorLayout& layout, Micros end, Micros last_window, KeptResult kept)
      : layout_(layout), end_(end), last_window_(last_window), kept_(kept) {}

  Micros end() const noexcept { return end_; }
  Micros last_window() const noexcept { return last_window_; }
  PaneTable& table(uint32_t key_group) {
    std::unique_ptr<PaneTable>& at = tables_[key_group];
    if (at == nullptr) at = std::make_unique<PaneTable>(layout_, kept_);
    return *at;
  }
  /// Null when the key group has no groups.
  PaneTable* find_table(uint32_t key_group) const noexcept { return tables_[key_group].get(); }
  void drop_table(uint32_t key_group) noexcept { tables_[key_group].reset(); }
  size_t memory_bytes() const noexcept;
  /// Bytes that the accumulators own beside their rows.
  size_t owned_bytes() const noexcept;

  std::bitset<kKeyGroups> dirty;   ///< key groups that changed since the last seal
  std::bitset<kKeyGroups> absent;  ///< key groups that state alone has; a table holds what is to be added to them

 private:
  const AccumulatorLayout& layout_;
  Micros end_;
  Micros last_window_;
  KeptResult kept_;
  std::array<std::unique_ptr<PaneTable>, kKeyGroups> tables_;
};

/// One entry of one table; valid until the table gets or loses entries.
struct EntryRef {
  std::string_view key;
  PaneTable* table = nullptr;
  uint32_t entry = 0;

  EntryRef(PaneTable& in, uint32_t number) : key(in.key(number)), table(&in), entry(number) {}
  const std::byte* accumulators() const noexcept { return table->accumulators(entry); }
};

/// Ascending by key bytes.
void sort_by_key(std::vector<EntryRef>& entries);

}  // namespace tidemark::core
