// SPDX-License-Identifier: Apache-2.0
//
// Sizes of a pane and the order of its entries; mostly settled by the first eight bytes in which keys differ.
#include "core/window/pane.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace tidemark::core {

size_t Pane::memory_bytes() const noexcept {
  size_t bytes = sizeof *this;
  for (const auto& table : tables_) {
    if (table != nullptr) bytes += table->memory_bytes();
  }
  return bytes;
}

size_t Pane::owned_bytes() const noexcept {
  size_t bytes = 0;
  for (const auto& table : tables_) {
    if (table != nullptr) bytes += table->owned_bytes();
  }
  return bytes;
}

namespace {

/// Length of what all keys begin with.
size_t common_prefix(const std::vector<EntryRef>& entries) {
  std::string_view common = entries.front().key;
  for (const EntryRef& entry : entries) {
    const size_t most = std::min(common.size(), entry.key.size());
    size_t same = 0;
    while (same < most && common[same] == entry.key[same]) ++same;
    common = common.substr(0, same);
  }
  return common.size();
}

/// The next eight bytes as a number of the same order; short keys are padded with zeros.
uint64_t prefix_at(std::string_view key, size_t from) {
  char bytes[8] = {};
  const std::string_view part = key.substr(from, sizeof bytes);
  std::memcpy(bytes, part.data(), part.size());
  uint64_t prefix = 0;
  std::memcpy(&prefix, bytes, sizeof prefix);
  return __builtin_bswap64(prefix);
}

struct SortItem {
  uint64_t prefix = 0;
  uint32_t index = 0;
};

/// Stable, byte by byte from the lowest; bytes that are the same in all items cost nothing.
void radix_sort(std::vector<SortItem>& items) {
  uint64_t differing = 0;
  for (const SortItem& item : items) differing |= item.prefix ^ items.front().prefix;
  std::vector<SortItem> other(items.size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((differing >> shift & 0xff) == 0) continue;
    std::array<uint32_t, 257> begins{};
    for (const SortItem& item : items) ++begins[(item.prefix >> shift & 0xff) + 1];
    for (size_t digit = 0; digit < 256; ++digit) begins[digit + 1] += begins[digit];
    for (const SortItem& item : items) other[begins[item.prefix >> shift & 0xff]++] = item;
    items.swap(other);
  }
}

constexpr size_t kRadixSortMin = 512;

}  // namespace

void sort_by_key(std::vector<EntryRef>& entries) {
  if (entries.size() < 2) return;
  const size_t common = common_prefix(entries);
  std::vector<SortItem> items(entries.size());
  for (uint32_t i = 0; i < items.size(); ++i) items[i] = SortItem{prefix_at(entries[i].key, common), i};
  const auto by_prefix = [](const SortItem& a, const SortItem& b) { return a.prefix < b.prefix; };
  if (items.size() >= kRadixSortMin) {
    radix_sort(items);
  } else {
    std::sort(items.begin(), items.end(), by_prefix);
  }
  const auto by_key = [&](const SortItem& a, const SortItem& b) { return entries[a.index].key < entries[b.index].key; };
  for (auto begin = items.begin(); begin != items.end();) {
    const auto end = std::find_if(begin + 1, items.end(), [&](const SortItem& i) { return i.prefix != begin->prefix; });
    if (end - begin > 1) std::sort(begin, end, by_key);
    begin = end;
  }
  std::vector<EntryRef> sorted;
  sorted.reserve(entries.size());
  for (const SortItem& item : items) sorted.push_back(entries[item.index]);
  entries.swap(sorted);
}

}  // namespace tidemark::core
