// SPDX-License-Identifier: Apache-2.0
//
// TextArena: memory for the texts that one run of an expression makes. Given out piece by piece, taken back all at
// once, and kept for the next run. Pieces never move. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace tidemark::core {

class TextArena {
 public:
  /// Bytes to write a text to, that live until clear().
  char* take(size_t size) {
    if (chunks_.empty() || chunks_[at_].size - used_ < size) next_chunk(size);
    char* place = chunks_[at_].bytes.get() + used_;
    used_ += size;
    return place;
  }
  /// Gives back the end of what was taken last.
  void give_back(size_t size) noexcept { used_ -= size; }
  /// A copy of `text` that lives until clear().
  std::string_view keep(std::string_view text) {
    char* place = take(text.size());
    if (!text.empty()) std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }
  void clear() noexcept {
    at_ = 0;
    used_ = 0;
  }

 private:
  static constexpr size_t kChunk = size_t{64} << 10;
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
  };

  void next_chunk(size_t size) {
    at_ = chunks_.empty() ? 0 : at_ + 1;
    used_ = 0;
    while (at_ < chunks_.size() && chunks_[at_].size < size) ++at_;
    if (at_ < chunks_.size()) return;
    const size_t bytes = std::max(kChunk, size);
    chunks_.push_back({std::make_unique<char[]>(bytes), bytes});
  }

  std::vector<Chunk> chunks_;
  size_t at_ = 0;
  size_t used_ = 0;
};

}  // namespace tidemark::core
