// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets share: the entry point that libFuzzer and replay_main.cpp call, a way to fail that every
// build notices, and a reader that turns input bytes into choices.
// Invariant: reading past the end gives zeros, so that each input means something.
// One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

/// Called once per input. Must not keep state that changes what a later input does.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tidemark::fuzz {

/// Ends the process if a property does not hold.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "property does not hold: %s\n", property);
  std::abort();
}

class Input {
 public:
  Input(const uint8_t* data, size_t size) : left_(data, size) {}

  uint8_t byte() {
    if (left_.empty()) return 0;
    const uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  /// Little-endian, of `count` bytes (0 to 8).
  uint64_t number(uint32_t count) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; ++i) value |= uint64_t{byte()} << (8 * i);
    return value;
  }
  /// Up to `size` bytes.
  std::span<const uint8_t> bytes(size_t size) {
    const auto out = left_.first(std::min(size, left_.size()));
    left_ = left_.subspan(out.size());
    return out;
  }
  /// Two bytes of length, then that many.
  std::span<const uint8_t> part() { return bytes(static_cast<size_t>(number(2))); }
  std::span<const uint8_t> rest() { return bytes(left_.size()); }
  bool at_end() const { return left_.empty(); }

 private:
  std::span<const uint8_t> left_;
};

inline std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace tidemark::fuzz
