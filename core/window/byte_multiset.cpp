// SPDX-License-Identifier: Apache-2.0
//
// Signed counts over an ordered map; see the header.
#include "core/window/byte_multiset.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kNodeBytes = 96;  // a map node with its string header, roughly

}  // namespace

void ByteMultiset::add(std::string_view value, int64_t count) {
  if (count == 0) return;
  auto at = counts_.find(value);
  if (at == counts_.end()) {
    counts_.emplace(value, count);
    bytes_ += kNodeBytes + value.size();
    if (count > 0) ++positive_;
    return;
  }
  const bool was_positive = at->second > 0;
  at->second += count;
  positive_ += static_cast<int64_t>(at->second > 0) - static_cast<int64_t>(was_positive);
  if (at->second == 0) {
    bytes_ -= kNodeBytes + value.size();
    counts_.erase(at);
  }
}

void ByteMultiset::add_to_set(std::string_view value) {
  if (counts_.find(value) == counts_.end()) add(value, 1);
}

void ByteMultiset::merge(const ByteMultiset& other, bool as_set) {
  for (const auto& [value, count] : other.counts_) {
    if (as_set) {
      add_to_set(value);
    } else {
      add(value, count);
    }
  }
}

const std::string* ByteMultiset::smallest() const noexcept {
  for (const auto& [value, count] : counts_) {
    if (count > 0) return &value;
  }
  return nullptr;
}

const std::string* ByteMultiset::largest() const noexcept {
  for (auto at = counts_.rbegin(); at != counts_.rend(); ++at) {
    if (at->second > 0) return &at->first;
  }
  return nullptr;
}

void ByteMultiset::encode(std::string& out) const {
  ByteWriter writer(out);
  writer.varint(counts_.size());
  for (const auto& [value, count] : counts_) {
    writer.text(value);
    writer.fixed(count);
  }
}

bool ByteMultiset::decode(ByteReader& in) {
  const uint64_t entries = in.varint();
  std::string_view previous;
  for (uint64_t i = 0; i < entries && in.ok(); ++i) {
    const std::string_view value = in.text();
    const auto count = in.fixed<int64_t>();
    if (count == 0 || (i > 0 && value <= previous)) return false;
    add(value, count);
    previous = value;
  }
  return in.ok() && counts_.size() == entries;
}

}  // namespace tidemark::core
