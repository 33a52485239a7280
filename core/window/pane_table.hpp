// SPDX-License-Identifier: Apache-2.0
//
// PaneTable: the groups of one (pane, key group). Open addressing over small slots that point into dense entries;
// an entry is a header, its key (inline up to 16 bytes, else in the arena), the accumulator row and, where a
// group may have several results, what has been given of it (KeptResult). Entries remember whether they changed since
// the last seal. A group of which nothing is left stays until the seal has reported it as removed; then it is erased.
// Entry numbers are stable between seals, addresses only until the next insertion. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/window/accumulator_layout.hpp"
#include "core/window/emission.hpp"
#include "core/window/key_arena.hpp"

namespace tidemark::core {

class PaneTable {
 public:
  /// `layout` outlives the table.
  PaneTable(const AccumulatorLayout& layout, KeptResult kept);
  PaneTable(const PaneTable&) = delete;
  PaneTable& operator=(const PaneTable&) = delete;
  ~PaneTable();

  /// The entry of `key`, made when it is not there; marked as changed.
  uint32_t touch(uint64_t hash, std::string_view key);
  /// Its number, if it is there.
  std::optional<uint32_t> lookup(uint64_t hash, std::string_view key) const noexcept;
  /// State must hear of the entry again.
  void mark_changed(uint32_t entry);
  /// Replaces an entry's content with what encode() gave, without marking it.
  Status restore(uint64_t hash, std::string_view key, std::string_view accumulators);
  /// Deletes a restored entry, if it is there.
  void erase(uint64_t hash, std::string_view key);

  /// Bytes that the accumulators of `key` own beside their row; 0 when it is not there.
  size_t owned_bytes(uint64_t hash, std::string_view key) const noexcept;
  /// The same of all.
  size_t owned_bytes() const noexcept;

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
  /// Null where groups have one result only.
  Emission* emission(uint32_t entry) noexcept {
    return has_emissions_ ? reinterpret_cast<Emission*>(entry_at(entry) + emission_at_) : nullptr;
  }
  const Emission* emission(uint32_t entry) const noexcept {
    return has_emissions_ ? reinterpret_cast<const Emission*>(entry_at(entry) + emission_at_) : nullptr;
  }
  /// The row that was given last, empty when none stands; null where it is not kept.
  std::string* given_row(uint32_t entry);
  /// Nothing is left that state would have to keep.
  bool is_gone(uint32_t entry) const noexcept {
    return layout_.is_neutral(accumulators(entry)) && (!has_emissions_ || emission(entry)->is_blank());
  }
  /// What state keeps of an entry; a view of it, or of `buffer`.
  std::string_view encode(uint32_t entry, std::string& buffer) const;

  /// Entries that state must hear of: changed, or removed while state has them. Unordered.
  const std::vector<uint32_t>& dirty() const noexcept { return dirty_; }
  /// A dirty entry that state need not hear of: it came and went since the last seal.
  bool is_unknown_to_state(uint32_t entry) const noexcept;
  /// After state took the dirty entries: forgets the marks and erases what is neutral.
  void forget_changes();

  size_t memory_bytes() const noexcept;

 private:
  enum Flags : uint32_t { kDirty = 1, kPersisted = 4 };
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
  void destroy(uint32_t entry) noexcept;
  void erase_slot(size_t slot) noexcept;
  void erase_entry(uint32_t entry) noexcept;

  const AccumulatorLayout& layout_;
  KeyArena arena_;
  bool has_emissions_;
  bool has_rows_;
  uint32_t emission_at_;  // in an entry
  uint32_t row_at_;       // of a pointer to the row that was given, null = none
  size_t entry_bytes_;
  std::vector<Slot> slots_;  // a power of two
  std::unique_ptr<std::byte[]> entries_;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
  std::vector<uint32_t> dirty_;
};

}  // namespace tidemark::core
