// SPDX-License-Identifier: Apache-2.0
//
// Linear probing on the low bits of the hash (the top bits chose the key group), backward-shift deletion, dense
// entries: erasing moves the last entry into the hole.
#include "core/window/pane_table.hpp"

#include <algorithm>
#include <cstring>

#include "core/window/owned_object.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kFirstSlots = 8;
constexpr uint32_t kFirstEntries = 4;

}  // namespace

PaneTable::PaneTable(const AccumulatorLayout& layout, KeptResult kept)
    : layout_(layout),
      has_emissions_(kept != KeptResult::none),
      has_rows_(kept == KeptResult::row),
      emission_at_(static_cast<uint32_t>(sizeof(Header) + layout.width())),
      row_at_(emission_at_ + static_cast<uint32_t>(has_emissions_ ? sizeof(Emission) : 0)),
      entry_bytes_(row_at_ + (has_rows_ ? sizeof(std::string*) : 0)),
      slots_(kFirstSlots) {}

PaneTable::~PaneTable() {
  if (layout_.fixed_size() && !has_rows_) return;
  for (uint32_t entry = 0; entry < size_; ++entry) destroy(entry);
}

void PaneTable::destroy(uint32_t entry) noexcept {
  layout_.destroy(accumulators(entry));
  if (has_rows_) destroy_object<std::string>(entry_at(entry), row_at_);
}

std::string* PaneTable::given_row(uint32_t entry) {
  return has_rows_ ? &object_or_new<std::string>(entry_at(entry), row_at_) : nullptr;
}

std::string_view PaneTable::key(uint32_t entry) const noexcept {
  const Header& at = header(entry);
  return {at.key_size <= kInlineKeyBytes ? at.key.bytes : at.key.address, at.key_size};
}

size_t PaneTable::find(uint64_t hash, std::string_view wanted) const noexcept {
  const auto tag = static_cast<uint32_t>(hash);
  const size_t mask = slots_.size() - 1;
  for (size_t at = home_of(hash);; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.entry == kFree) return at;
    if (slot.tag == tag && key(slot.entry) == wanted) return at;
  }
}

uint32_t PaneTable::touch(uint64_t hash, std::string_view wanted) {
  const size_t slot = find(hash, wanted);
  const uint32_t entry = slots_[slot].entry != kFree ? slots_[slot].entry : insert(slot, hash, wanted);
  mark_changed(entry);
  return entry;
}

std::optional<uint32_t> PaneTable::lookup(uint64_t hash, std::string_view wanted) const noexcept {
  const uint32_t entry = slots_[find(hash, wanted)].entry;
  return entry == kFree ? std::nullopt : std::optional(entry);
}

void PaneTable::mark_changed(uint32_t entry) {
  Header& at = header(entry);
  if ((at.flags & kDirty) != 0) return;
  at.flags |= kDirty;
  dirty_.push_back(entry);
}

Status PaneTable::restore(uint64_t hash, std::string_view wanted, std::string_view bytes) {
  const size_t slot = find(hash, wanted);
  const uint32_t entry = slots_[slot].entry != kFree ? slots_[slot].entry : insert(slot, hash, wanted);
  layout_.destroy(accumulators(entry));
  header(entry).flags |= kPersisted;
  bool is_whole = !has_emissions_ || take_emission(bytes, *emission(entry));
  if (has_rows_) is_whole = is_whole && take_given_row(bytes, *given_row(entry));
  if (!is_whole) {
    return Status(Code::damage, "what was given of a group cannot be read; the state is damaged or of another job");
  }
  return layout_.decode(bytes, accumulators(entry));
}

std::string_view PaneTable::encode(uint32_t entry, std::string& buffer) const {
  const std::byte* row = accumulators(entry);
  if (layout_.fixed_size() && !has_emissions_) return {reinterpret_cast<const char*>(row), layout_.width()};
  buffer.clear();
  layout_.encode(row, buffer);
  if (has_rows_) {
    const auto* row_given = object_of<std::string>(entry_at(entry), row_at_);
    append_given_row(row_given == nullptr ? std::string_view() : *row_given, buffer);
  }
  if (has_emissions_) append_emission(*emission(entry), buffer);
  return buffer;
}

void PaneTable::erase(uint64_t hash, std::string_view wanted) {
  const size_t slot = find(hash, wanted);
  if (slots_[slot].entry == kFree) return;
  const uint32_t entry = slots_[slot].entry;
  std::erase(dirty_, entry);
  std::replace(dirty_.begin(), dirty_.end(), size_ - 1, entry);  // erasing moves the last one here
  erase_entry(entry);
}

size_t PaneTable::owned_bytes(uint64_t hash, std::string_view wanted) const noexcept {
  const Slot& slot = slots_[find(hash, wanted)];
  return slot.entry == kFree ? 0 : layout_.owned_bytes(accumulators(slot.entry));
}

size_t PaneTable::owned_bytes() const noexcept {
  size_t bytes = 0;
  if (layout_.fixed_size()) return bytes;
  for (uint32_t entry = 0; entry < size_; ++entry) bytes += layout_.owned_bytes(accumulators(entry));
  return bytes;
}

uint32_t PaneTable::insert(size_t slot, uint64_t hash, std::string_view wanted) {
  if (size_ == capacity_) grow_entries();
  const uint32_t entry = size_++;
  Header& at = *new (entry_at(entry)) Header;
  at.tag = static_cast<uint32_t>(hash);
  at.key_size = static_cast<uint32_t>(wanted.size());
  if (wanted.size() <= kInlineKeyBytes) {
    std::memset(at.key.bytes, 0, sizeof at.key.bytes);
    std::copy(wanted.begin(), wanted.end(), at.key.bytes);
  } else {
    at.key.address = arena_.copy(wanted);
  }
  layout_.init(accumulators(entry));
  if (has_emissions_) new (entry_at(entry) + emission_at_) Emission;
  if (has_rows_) store_part<std::string*>(entry_at(entry), static_cast<int32_t>(row_at_), nullptr);
  slots_[slot] = Slot{at.tag, entry};
  if (size_t{size_} * 4 > slots_.size() * 3) grow_slots();
  return entry;
}

void PaneTable::grow_slots() {
  std::vector<Slot> bigger(slots_.size() * 2);
  const size_t mask = bigger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.entry == kFree) continue;
    size_t at = slot.tag & mask;
    while (bigger[at].entry != kFree) at = (at + 1) & mask;
    bigger[at] = slot;
  }
  slots_.swap(bigger);
}

void PaneTable::grow_entries() {
  capacity_ = std::max(kFirstEntries, capacity_ * 2);
  auto bigger = std::make_unique_for_overwrite<std::byte[]>(capacity_ * entry_bytes_);
  if (size_ > 0) std::memcpy(bigger.get(), entries_.get(), size_ * entry_bytes_);
  entries_ = std::move(bigger);
}

size_t PaneTable::slot_of_entry(uint32_t entry) const noexcept {
  const size_t mask = slots_.size() - 1;
  size_t at = header(entry).tag & mask;
  while (slots_[at].entry != entry) at = (at + 1) & mask;
  return at;
}

void PaneTable::erase_slot(size_t hole) noexcept {
  const size_t mask = slots_.size() - 1;
  for (size_t next = (hole + 1) & mask; slots_[next].entry != kFree; next = (next + 1) & mask) {
    const size_t home = slots_[next].tag & mask;
    if (((next - home) & mask) < ((next - hole) & mask)) continue;  // it would stand before its home
    slots_[hole] = slots_[next];
    hole = next;
  }
  slots_[hole] = Slot{};
}

void PaneTable::erase_entry(uint32_t entry) noexcept {
  destroy(entry);
  erase_slot(slot_of_entry(entry));
  const uint32_t last = --size_;
  if (entry == last) return;
  slots_[slot_of_entry(last)].entry = entry;
  std::memcpy(entry_at(entry), entry_at(last), entry_bytes_);
}

bool PaneTable::is_unknown_to_state(uint32_t entry) const noexcept {
  return (header(entry).flags & kPersisted) == 0 && is_gone(entry);
}

void PaneTable::forget_changes() {
  std::vector<uint32_t> gone;
  for (const uint32_t entry : dirty_) {
    header(entry).flags = (header(entry).flags & ~uint32_t{kDirty}) | kPersisted;
    if (is_gone(entry)) gone.push_back(entry);
  }
  dirty_.clear();
  std::sort(gone.rbegin(), gone.rend());  // from the end, so that no doomed entry is moved
  for (const uint32_t entry : gone) erase_entry(entry);
}

size_t PaneTable::memory_bytes() const noexcept {
  return sizeof *this + arena_.memory_bytes() + slots_.capacity() * sizeof(Slot) + capacity_ * entry_bytes_ +
         dirty_.capacity() * sizeof(uint32_t);
}

}  // namespace tidemark::core
