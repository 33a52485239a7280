// SPDX-License-Identifier: Apache-2.0
//
// KeyArena: memory for the keys of one table that are too long to stand in their entries. Only grows; freed as a
// whole with its table. Addresses are stable. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace tidemark::core {

class KeyArena {
 public:
  /// A copy of `key` that lives as long as the arena.
  const char* copy(std::string_view key) {
    if (key.size() > left_) {
      const size_t size = std::max(key.size(), next_block_bytes_);
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
      at_ = blocks_.back().get();
      left_ = size;
      bytes_ += size;
      next_block_bytes_ = std::min(next_block_bytes_ * 2, kBlockBytesMax);
    }
    char* out = at_;
    std::memcpy(out, key.data(), key.size());
    at_ += key.size();
    left_ -= key.size();
    return out;
  }
  size_t memory_bytes() const noexcept { return bytes_; }

 private:
  static constexpr size_t kBlockBytesMax = 64 << 10;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  size_t left_ = 0;
  size_t bytes_ = 0;
  size_t next_block_bytes_ = 128;
};

}  // namespace tidemark::core
