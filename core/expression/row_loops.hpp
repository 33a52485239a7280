// SPDX-License-Identifier: Apache-2.0
//
// The loops that kernels are made of: per word of 64 rows, with validity worked out for the word at once. A row's
// function says by a Fate what became of it. map_* call it for every row, also those without a value (it must be
// harmless there); map_valid_* for rows with values only. Templates; no state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

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

/// The vectors of a step that makes an Out of each row's In...: a row has a value where every input has one, and is
/// lost where any of them is. Of booleans, Out and In are words of 64 rows.
template <typename Signature>
struct Operands;

template <typename Out, typename... In>
struct Operands<Out(In...)> {
  std::array<const ValueVector*, sizeof...(In)> in{};
  std::tuple<const In*...> values;
  ValueVector& out;
  Out* result;

  Operands(const Frame& frame, const Step& step) : out(frame.vectors[step.out]), result(out.output<Out>()) {
    for (size_t i = 0; i < in.size(); ++i) in[i] = &frame.vectors[step.in[i]];
    std::apply(
        [this](const In*&... each) {
          size_t i = 0;
          ((each = in[i++]->template values<In>()), ...);
        },
        values);
  }

  uint64_t valid(uint32_t word) const noexcept {
    uint64_t bits = ~uint64_t{0};
    for (const ValueVector* each : in) bits &= each->valid()[word];
    return bits;
  }
  uint64_t failed(uint32_t word) const noexcept {
    uint64_t bits = 0;
    for (const ValueVector* each : in) bits |= each->failed()[word];
    return bits;
  }
  /// f(the inputs' values at that place..., more...).
  template <typename F, typename... More>
  auto apply(F& f, uint32_t place, More&... more) const {
    return std::apply([&](const In*... each) { return f(each[place]..., more...); }, values);
  }
  /// Marks the rows of a word, whose results stand.
  void settle(uint32_t word, FateBits fates) const {
    const uint64_t usable = valid(word);
    out.valid()[word] = usable & ~(fates.null | fates.failed);
    out.failed()[word] = failed(word) | (usable & fates.failed);
  }
};

/// Signature Out(In...): Fate f(In..., Out& result).
template <typename Signature, typename F>
void map_rows(const Frame& frame, const Step& step, F f) {
  const Operands<Signature> operands(frame, step);
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    FateBits fates;
    for (uint32_t i = 0; i < count; ++i) fates.set(i, operands.apply(f, first + i, operands.result[first + i]));
    operands.settle(word, fates);
  });
}

/// The same for functions that need values; rows without one become Out().
template <typename Signature, typename F>
void map_valid_rows(const Frame& frame, const Step& step, F f) {
  const Operands<Signature> operands(frame, step);
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    const uint64_t valid = operands.valid(word);
    FateBits fates;
    for (uint32_t i = 0; i < count; ++i) {
      auto& result = operands.result[first + i];
      if ((valid >> i & 1) != 0) {
        fates.set(i, operands.apply(f, first + i, result));
      } else {
        result = {};
      }
    }
    operands.settle(word, fates);
  });
}

/// A boolean of each row: bool f(In...).
template <typename... In, typename F>
void test_rows(const Frame& frame, const Step& step, F f) {
  const Operands<uint64_t(In...)> operands(frame, step);
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; ++i) bits |= static_cast<uint64_t>(operands.apply(f, first + i)) << i;
    operands.result[word] = bits;
    operands.settle(word, {});
  });
}

/// A boolean of booleans, 64 rows at once: uint64_t f(In...).
template <typename Signature, typename F>
void map_words(const Frame& frame, const Step& step, F f) {
  const Operands<Signature> operands(frame, step);
  each_word(frame, [&](uint32_t word, uint32_t, uint32_t) {
    operands.result[word] = operands.apply(f, word);
    operands.settle(word, {});
  });
}

}  // namespace tidemark::core
