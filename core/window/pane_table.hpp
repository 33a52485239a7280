// SPDX-License-Identifier: Apache-2.0
//
// PaneTable: the groups of one (pane, key group). Open addressing over small slots that point into dense entries;
// an entry is a header, its key (inline up to 16 bytes, else in the pane's arena) and the accumulator row.
// Entries remember whether they changed since the last seal and since the pane last fired. A group that became
// neutral stays until the seal has reported it as removed; then it is erased. Entry numbers are stable between
// seals, addresses only until the next insertion. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/window/accumulator_layout.hpp"
#include "core/window/key_arena.hpp"

namespace tidemark::core {

class PaneTable {
 public:
  /// `layout` and `arena` outlive the table.
  PaneTable(const AccumulatorLayout& layout, KeyArena& arena);
  PaneTable(const PaneTable&) = delete;
  PaneTable& operator=(const PaneTable&) = delete;
  ~PaneTable();

  /// The entry of `key`, made when it is not there; marked as changed.
  uint32_t touch(uint64_t hash, std::string_view key);
  /// Replaces an entry's accumulators with decoded ones, without marking it.
  Status restore(uint64_t hash, std::string_view key, std::string_view accumulators);
  /// Deletes a restored entry, if it is there.
  void erase(uint64_t hash, std::string_view key);

  /// Bytes that the accumulators of `key` own beside their row; 0 when it is not there.
  size_t owned_bytes(uint64_t hash, std::string_view key) const noexcept;

  // Both hide the cache misses of a later touch(): the first loads the slot, the second the entry it points to.
  void prefetch_slot(uint64_t hash) const noexcept { __builtin_prefetch(&slots_[home_of(hash)]); }
  void prefetch_entry(uint64_t hash) const noexcept {
    const Slot slot = slots_[home_of(hash)];
    if (slot.entry == kFree) return;
    const std::byte* at = entry_at(slot.entry);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
  }

  uint32_t size() const noexcept { return size_; }
  std::byte* accumulators(uint32_t entry) noexcept { return entry_at(entry) + sizeof(Header); }
  const std::byte* accumulators(uint32_t entry) const noexcept { return entry_at(entry) + sizeof(Header); }
  std::string_view key(uint32_t entry) const noexcept;
  /// Changed since the pane last fired.
  bool is_pending(uint32_t entry) const noexcept { return (header(entry).flags & kPending) != 0; }
  void clear_pending() noexcept;

  /// Entries that state must hear of: changed, or removed while state has them. Unordered.
  const std::vector<uint32_t>& dirty() const noexcept { return dirty_; }
  /// A dirty entry that state need not hear of: it came and went since the last seal.
  bool is_unknown_to_state(uint32_t entry) const noexcept;
  /// After state took the dirty entries: forgets the marks and erases what is neutral.
  void forget_changes();

  size_t memory_bytes() const noexcept;

 private:
  enum Flags : uint32_t { kDirty = 1, kPending = 2, kPersisted = 4 };
  static constexpr uint32_t kFree = UINT32_MAX;
  static constexpr uint32_t kInlineKeyBytes = 16;
  struct Slot {
    uint32_t tag = 0;  // low half of the hash
    uint32_t entry = kFree;
  };
  struct Header {
    uint32_t tag = 0;
    uint32_t key_size = 0;
    uint32_t flags = 0;
    uint32_t unused = 0;
    union {
      char bytes[kInlineKeyBytes];
      const char* address;
    } key;
  };

  size_t home_of(uint64_t hash) const noexcept { return static_cast<uint32_t>(hash) & (slots_.size() - 1); }
  std::byte* entry_at(uint32_t entry) const noexcept { return entries_.get() + entry * entry_bytes_; }
  Header& header(uint32_t entry) noexcept { return *reinterpret_cast<Header*>(entry_at(entry)); }
  const Header& header(uint32_t entry) const noexcept { return *reinterpret_cast<const Header*>(entry_at(entry)); }
  /// The slot of `key`, or the free slot where it would stand.
  size_t find(uint64_t hash, std::string_view key) const noexcept;
  size_t slot_of_entry(uint32_t entry) const noexcept;
  uint32_t insert(size_t slot, uint64_t hash, std::string_view key);
  void grow_slots();
  void grow_entries();
  void erase_slot(size_t slot) noexcept;
  void erase_entry(uint32_t entry) noexcept;

  const AccumulatorLayout& layout_;
  KeyArena& arena_;
  size_t entry_bytes_;
  std::vector<Slot> slots_;  // a power of two
  std::unique_ptr<std::byte[]> entries_;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
  std::vector<uint32_t> dirty_;
};

}  // namespace tidemark::core
