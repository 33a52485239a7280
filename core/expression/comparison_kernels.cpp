// SPDX-License-Identifier: Apache-2.0
//
// Comparison, and choosing between vectors: greatest, least, CASE and COALESCE. Texts compare by bytes.
#include "core/expression/kernels.hpp"
#include "core/expression/row_loops.hpp"

namespace tidemark::core {
namespace {

template <typename T, SyntaxOperator kOperation>
void compare(const Frame& frame, const Step& step) {
  test_rows<T, T>(frame, step, [](const T& a, const T& b) {
    if constexpr (kOperation == SyntaxOperator::equal) return a == b;
    if constexpr (kOperation == SyntaxOperator::not_equal) return a != b;
    if constexpr (kOperation == SyntaxOperator::less) return a < b;
    if constexpr (kOperation == SyntaxOperator::less_equal) return a <= b;
    if constexpr (kOperation == SyntaxOperator::greater) return a > b;
    return a >= b;
  });
}

template <SyntaxOperator kOperation>
void compare_booleans(const Frame& frame, const Step& step) {
  map_words<uint64_t(uint64_t, uint64_t)>(frame, step, [](uint64_t a, uint64_t b) {
    if constexpr (kOperation == SyntaxOperator::equal) return ~(a ^ b);
    if constexpr (kOperation == SyntaxOperator::not_equal) return a ^ b;
    if constexpr (kOperation == SyntaxOperator::less) return ~a & b;
    if constexpr (kOperation == SyntaxOperator::less_equal) return ~a | b;
    if constexpr (kOperation == SyntaxOperator::greater) return a & ~b;
    return a | ~b;
  });
}

template <SyntaxOperator kOperation>
Kernel compare_as(ValueKind kind) {
  switch (kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      return compare_booleans<kOperation>;
    case ValueKind::decimal:
      return compare<Int128, kOperation>;
    case ValueKind::floating:
      return compare<double, kOperation>;
    case ValueKind::text:
      return compare<std::string_view, kOperation>;
    default:
      return compare<int64_t, kOperation>;
  }
}

template <typename T, bool kLarger>
void pick(const Frame& frame, const Step& step) {
  map_rows<T(T, T)>(frame, step, [](const T& a, const T& b, T& out) {
    out = (kLarger ? a < b : b < a) ? b : a;
    return Fate::value;
  });
}

template <bool kLarger>
void pick_boolean(const Frame& frame, const Step& step) {
  kLarger ? or_kernel()(frame, step) : and_kernel()(frame, step);
  const Operands<uint64_t(uint64_t, uint64_t)> operands(frame, step);
  each_word(frame, [&](uint32_t word, uint32_t, uint32_t) {  // unlike in logic, NULL is never decided by the other
    operands.settle(word, {});
  });
}

template <bool kLarger>
Kernel pick_as(ValueKind kind) {
  switch (kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      return pick_boolean<kLarger>;
    case ValueKind::decimal:
      return pick<Int128, kLarger>;
    case ValueKind::floating:
      return pick<double, kLarger>;
    case ValueKind::text:
      return pick<std::string_view, kLarger>;
    default:
      return pick<int64_t, kLarger>;
  }
}

// Rows of `a` where the bit is set, else of `b`.
template <typename T>
void blend(uint32_t first, uint32_t count, uint64_t bits, const ValueVector& a, const ValueVector& b, T* result) {
  const T* yes = a.values<T>();
  const T* no = b.values<T>();
  for (uint32_t i = 0; i < count; ++i) result[first + i] = (bits >> i & 1) != 0 ? yes[first + i] : no[first + i];
}

struct Bits;  // marks booleans, whose values are bits

template <typename T>
struct Stored {
  using Type = T;
};
template <>
struct Stored<Bits> {
  using Type = uint64_t;
};

template <typename T>
void blend_word(uint32_t word, uint32_t first, uint32_t count, uint64_t bits, const ValueVector& a,
                const ValueVector& b, typename Stored<T>::Type* result) {
  if constexpr (std::is_same_v<T, Bits>) {
    result[word] = (a.values<uint64_t>()[word] & bits) | (b.values<uint64_t>()[word] & ~bits);
  } else {
    blend<T>(first, count, bits, a, b, result);
  }
}

template <typename T>
void choose(const Frame& frame, const Step& step) {
  const ValueVector& otherwise = frame.vectors[step.in[0]];
  const ValueVector& condition = frame.vectors[step.in[1]];
  const ValueVector& value = frame.vectors[step.in[2]];
  ValueVector& out = frame.vectors[step.out];
  auto* result = out.output<typename Stored<T>::Type>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    const uint64_t yes = condition.values<uint64_t>()[word] & condition.valid()[word];
    const uint64_t lost = condition.failed()[word];
    blend_word<T>(word, first, count, yes, value, otherwise, result);
    out.valid()[word] = ((value.valid()[word] & yes) | (otherwise.valid()[word] & ~yes)) & ~lost;
    out.failed()[word] = (value.failed()[word] & yes) | (otherwise.failed()[word] & ~yes) | lost;
  });
}

template <typename T>
void coalesce(const Frame& frame, const Step& step) {
  const ValueVector& first_choice = frame.vectors[step.in[0]];
  const ValueVector& second_choice = frame.vectors[step.in[1]];
  ValueVector& out = frame.vectors[step.out];
  auto* result = out.output<typename Stored<T>::Type>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    const uint64_t settled = first_choice.valid()[word] | first_choice.failed()[word];
    blend_word<T>(word, first, count, settled, first_choice, second_choice, result);
    out.valid()[word] = first_choice.valid()[word] | (second_choice.valid()[word] & ~settled);
    out.failed()[word] = first_choice.failed()[word] | (second_choice.failed()[word] & ~settled);
  });
}

}  // namespace

Kernel comparison_kernel(SyntaxOperator operation, ValueKind kind) {
  switch (operation) {
    case SyntaxOperator::equal:
      return compare_as<SyntaxOperator::equal>(kind);
    case SyntaxOperator::not_equal:
      return compare_as<SyntaxOperator::not_equal>(kind);
    case SyntaxOperator::less:
      return compare_as<SyntaxOperator::less>(kind);
    case SyntaxOperator::less_equal:
      return compare_as<SyntaxOperator::less_equal>(kind);
    case SyntaxOperator::greater:
      return compare_as<SyntaxOperator::greater>(kind);
    default:
      return compare_as<SyntaxOperator::greater_equal>(kind);
  }
}

Kernel larger_kernel(ValueKind kind) {
  return pick_as<true>(kind);
}

Kernel smaller_kernel(ValueKind kind) {
  return pick_as<false>(kind);
}

Kernel choose_kernel(ValueKind kind) {
  switch (kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      return choose<Bits>;
    case ValueKind::decimal:
      return choose<Int128>;
    case ValueKind::floating:
      return choose<double>;
    case ValueKind::text:
      return choose<std::string_view>;
    default:
      return choose<int64_t>;
  }
}

Kernel coalesce_kernel(ValueKind kind) {
  switch (kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      return coalesce<Bits>;
    case ValueKind::decimal:
      return coalesce<Int128>;
    case ValueKind::floating:
      return coalesce<double>;
    case ValueKind::text:
      return coalesce<std::string_view>;
    default:
      return coalesce<int64_t>;
  }
}

}  // namespace tidemark::core
