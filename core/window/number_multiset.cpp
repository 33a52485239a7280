// SPDX-License-Identifier: Apache-2.0
//
// Linear probing with backward-shift deletion: no tombstones, so a multiset that lives through endless additions
// and removals stays as small as its content.
#include "core/window/number_multiset.hpp"

#include <algorithm>
#include <bit>

namespace tidemark::core {
namespace {

constexpr size_t kFirstSlots = 8;

uint64_t zigzag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace

size_t NumberMultiset::home_of(uint64_t value) const noexcept {
  uint64_t mixed = value ^ value >> 32;
  mixed *= 0x9e3779b97f4a7c15ULL;
  return static_cast<size_t>(mixed >> (64 - std::countr_zero(slots_.size())));
}

size_t NumberMultiset::find(uint64_t value) const noexcept {
  const size_t mask = slots_.size() - 1;
  size_t at = home_of(value);
  while (slots_[at].count != 0 && slots_[at].value != value) at = (at + 1) & mask;
  return at;
}

void NumberMultiset::insert_new(uint64_t value, int64_t count) {
  if ((used_ + 1) * 4 > slots_.size() * 3) grow();
  slots_[find(value)] = Slot{value, count};
  ++used_;
  if (count > 0) ++positive_;
}

void NumberMultiset::add(uint64_t value, int64_t count) {
  if (count == 0) return;
  const size_t at = slots_.empty() ? 0 : find(value);
  if (slots_.empty() || slots_[at].count == 0) {
    insert_new(value, count);
    return;
  }
  Slot& slot = slots_[at];
  const bool was_positive = slot.count > 0;
  slot.count += count;
  positive_ += static_cast<int64_t>(slot.count > 0) - static_cast<int64_t>(was_positive);
  if (slot.count == 0) erase_at(at);
}

void NumberMultiset::add_to_set(uint64_t value) {
  if (slots_.empty() || slots_[find(value)].count == 0) insert_new(value, 1);
}

void NumberMultiset::erase_at(size_t at) noexcept {
  const size_t mask = slots_.size() - 1;
  --used_;
  size_t hole = at;
  for (size_t next = (hole + 1) & mask; slots_[next].count != 0; next = (next + 1) & mask) {
    const size_t home = home_of(slots_[next].value);
    if (((next - home) & mask) < ((next - hole) & mask)) continue;  // it would stand before its home
    slots_[hole] = slots_[next];
    hole = next;
  }
  slots_[hole] = Slot{};
}

void NumberMultiset::grow() {
  std::vector<Slot> old(slots_.empty() ? kFirstSlots : slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.count != 0) slots_[find(slot.value)] = slot;
  }
}

void NumberMultiset::merge(const NumberMultiset& other, bool as_set) {
  for (const Slot& slot : other.slots_) {
    if (slot.count == 0) continue;
    if (as_set) {
      add_to_set(slot.value);
    } else {
      add(slot.value, slot.count);
    }
  }
}

std::optional<uint64_t> NumberMultiset::smallest() const noexcept {
  std::optional<uint64_t> out;
  for (const Slot& slot : slots_) {
    if (slot.count > 0 && (!out || slot.value < *out)) out = slot.value;
  }
  return out;
}

std::optional<uint64_t> NumberMultiset::largest() const noexcept {
  std::optional<uint64_t> out;
  for (const Slot& slot : slots_) {
    if (slot.count > 0 && (!out || slot.value > *out)) out = slot.value;
  }
  return out;
}

std::vector<NumberMultiset::Slot> NumberMultiset::sorted() const {
  std::vector<Slot> out;
  out.reserve(used_);
  for (const Slot& slot : slots_) {
    if (slot.count != 0) out.push_back(slot);
  }
  std::sort(out.begin(), out.end(), [](const Slot& a, const Slot& b) { return a.value < b.value; });
  return out;
}

void NumberMultiset::encode(std::string& out) const {
  ByteWriter writer(out);
  writer.varint(used_);
  uint64_t previous = 0;
  for (const Slot& slot : sorted()) {
    writer.varint(slot.value - previous);
    writer.varint(zigzag(slot.count));
    previous = slot.value;
  }
}

bool NumberMultiset::decode(ByteReader& in) {
  const uint64_t entries = in.varint();
  uint64_t value = 0;
  for (uint64_t i = 0; i < entries && in.ok(); ++i) {
    const uint64_t previous = value;
    value += in.varint();
    const int64_t count = unzigzag(in.varint());
    if (count == 0 || (i > 0 && value <= previous)) return false;
    add(value, count);
  }
  return in.ok() && used_ == entries;
}

}  // namespace tidemark::core
