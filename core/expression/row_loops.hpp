// SPDX-License-Identifier: Apache-2.0
//
// The loops that kernels are made of: per word of 64 rows, with validity worked out for the word at once. A row's
// function says by a Fate what became of it. map_* call it for every row, also those without a value (it must be
// harmless there); map_valid_* for rows with values only. Templates; no state.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/expression/kernel.hpp"

namespace tidemark::core {

/// What became of a row: a value, NULL, or nothing that fits the type.
enum class Fate : uint8_t { value = 0, null = 1, failed = 2 };

constexpr Fate failed_if(bool failed) noexcept {
  return static_cast<Fate>(static_cast<uint8_t>(failed) << 1);
}
constexpr Fate null_if(bool null) noexcept {
  return static_cast<Fate>(static_cast<uint8_t>(null));
}

/// Calls body(word, its first row, its number of rows).
template <typename Body>
void each_word(const Frame& frame, Body body) {
  for (uint32_t first = 0; first < frame.rows; first += 64) body(first >> 6, first, std::min(64u, frame.rows - first));
}

// The fates of up to 64 rows as bits.
struct FateBits {
  uint64_t null = 0;
  uint64_t failed = 0;

  void set(uint32_t bit, Fate fate) noexcept {
    const auto number = static_cast<uint64_t>(fate);
    null |= (number & 1) << bit;
    failed |= (number >> 1) << bit;
  }
};

inline void settle(ValueVector& out, uint32_t word, uint64_t valid, uint64_t failed_before, FateBits fates) {
  out.valid()[word] = valid & ~(fates.null | fates.failed);
  out.failed()[word] = failed_before | (valid & fates.failed);
}

/// out = f(a): Fate f(A value, Out& result).
template <typename A, typename Out, typename F>
void map_rows(const Frame& frame, const Step& step, F f) {
  const ValueVector& in = frame.vectors[step.in[0]];
  ValueVector& out = frame.vectors[step.out];
  const A* a = in.values<A>();
  Out* result = out.output<Out>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    FateBits fates;
    for (uint32_t i = 0; i < count; ++i) fates.set(i, f(a[first + i], result[first + i]));
    settle(out, word, in.valid()[word], in.failed()[word], fates);
  });
}

/// The same for functions that need a value; rows without one become Out().
template <typename A, typename Out, typename F>
void map_valid_rows(const Frame& frame, const Step& step, F f) {
  const ValueVector& in = frame.vectors[step.in[0]];
  ValueVector& out = frame.vectors[step.out];
  const A* a = in.values<A>();
  Out* result = out.output<Out>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    const uint64_t valid = in.valid()[word];
    FateBits fates;
    for (uint32_t i = 0; i < count; ++i) {
      if ((valid >> i & 1) != 0) {
        fates.set(i, f(a[first + i], result[first + i]));
      } else {
        result[first + i] = Out();
      }
    }
    settle(out, word, valid, in.failed()[word], fates);
  });
}

/// out = f(a, b): Fate f(A, B, Out& result).
template <typename A, typename B, typename Out, typename F>
void map_pairs(const Frame& frame, const Step& step, F f) {
  const ValueVector& left = frame.vectors[step.in[0]];
  const ValueVector& right = frame.vectors[step.in[1]];
  ValueVector& out = frame.vectors[step.out];
  const A* a = left.values<A>();
  const B* b = right.values<B>();
  Out* result = out.output<Out>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    FateBits fates;
    for (uint32_t i = 0; i < count; ++i) fates.set(i, f(a[first + i], b[first + i], result[first + i]));
    settle(out, word, left.valid()[word] & right.valid()[word], left.failed()[word] | right.failed()[word], fates);
  });
}

template <typename A, typename B, typename Out, typename F>
void map_valid_pairs(const Frame& frame, const Step& step, F f) {
  const ValueVector& left = frame.vectors[step.in[0]];
  const ValueVector& right = frame.vectors[step.in[1]];
  ValueVector& out = frame.vectors[step.out];
  const A* a = left.values<A>();
  const B* b = right.values<B>();
  Out* result = out.output<Out>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    const uint64_t valid = left.valid()[word] & right.valid()[word];
    FateBits fates;
    for (uint32_t i = 0; i < count; ++i) {
      if ((valid >> i & 1) != 0) {
        fates.set(i, f(a[first + i], b[first + i], result[first + i]));
      } else {
        result[first + i] = Out();
      }
    }
    settle(out, word, valid, left.failed()[word] | right.failed()[word], fates);
  });
}

/// A boolean out of one vector: bool f(A).
template <typename A, typename F>
void test_rows(const Frame& frame, const Step& step, F f) {
  const ValueVector& in = frame.vectors[step.in[0]];
  ValueVector& out = frame.vectors[step.out];
  const A* a = in.values<A>();
  auto* result = out.output<uint64_t>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; ++i) bits |= static_cast<uint64_t>(f(a[first + i])) << i;
    result[word] = bits;
    settle(out, word, in.valid()[word], in.failed()[word], {});
  });
}

/// A boolean out of two vectors: bool f(A, A).
template <typename A, typename F>
void test_pairs(const Frame& frame, const Step& step, F f) {
  const ValueVector& left = frame.vectors[step.in[0]];
  const ValueVector& right = frame.vectors[step.in[1]];
  ValueVector& out = frame.vectors[step.out];
  const A* a = left.values<A>();
  const A* b = right.values<A>();
  auto* result = out.output<uint64_t>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; ++i) bits |= static_cast<uint64_t>(f(a[first + i], b[first + i])) << i;
    result[word] = bits;
    settle(out, word, left.valid()[word] & right.valid()[word], left.failed()[word] | right.failed()[word], {});
  });
}

}  // namespace tidemark::core
