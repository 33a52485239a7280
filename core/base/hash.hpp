// SPDX-License-Identifier: Apache-2.0
//
// The hash of group keys: XXH3-64 with a seed that is recorded in the state. Fixed for ever: key groups, and so
// the layout of every state directory, depend on it. Pure functions.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace tidemark::core {

inline constexpr uint64_t kHashSeed = 0x7469'6465'6d61'726bULL;  // "tidemark"
inline constexpr uint32_t kKeyGroups = 256;                      // fixed for the life of a job

inline uint64_t hash_bytes(const void* data, size_t size) noexcept {
  return XXH3_64bits_withSeed(data, size, kHashSeed);
}
inline uint64_t hash_bytes(std::string_view bytes) noexcept {
  return hash_bytes(bytes.data(), bytes.size());
}

/// The key group of a hash, 0 to kKeyGroups - 1: its top 8 bits, so that hash tables may use the low ones.
inline uint32_t key_group_of(uint64_t hash) noexcept {
  return static_cast<uint32_t>(hash >> 56);
}

}  // namespace tidemark::core
