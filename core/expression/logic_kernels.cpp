// SPDX-License-Identifier: Apache-2.0
//
// Three-valued logic, 64 rows at a time. A side that could not be computed counts as unknown: where the other side
// decides, the result is known.
#include "core/expression/kernels.hpp"
#include "core/expression/row_loops.hpp"

namespace tidemark::core {
namespace {

template <bool kAnd>
void combine(const Frame& frame, const Step& step) {
  const ValueVector& left = frame.vectors[step.in[0]];
  const ValueVector& right = frame.vectors[step.in[1]];
  ValueVector& out = frame.vectors[step.out];
  const auto* a = left.values<uint64_t>();
  const auto* b = right.values<uint64_t>();
  auto* result = out.output<uint64_t>();
  each_word(frame, [&](uint32_t word, uint32_t, uint32_t) {
    const uint64_t a_true = a[word] & left.valid()[word];
    const uint64_t b_true = b[word] & right.valid()[word];
    const uint64_t a_false = ~a[word] & left.valid()[word];
    const uint64_t b_false = ~b[word] & right.valid()[word];
    const uint64_t is_true = kAnd ? a_true & b_true : a_true | b_true;
    const uint64_t is_false = kAnd ? a_false | b_false : a_false & b_false;
    result[word] = is_true;
    out.valid()[word] = is_true | is_false;
    out.failed()[word] = (left.failed()[word] | right.failed()[word]) & ~out.valid()[word];
  });
}

void negate_logic(const Frame& frame, const Step& step) {
  const ValueVector& in = frame.vectors[step.in[0]];
  ValueVector& out = frame.vectors[step.out];
  auto* result = out.output<uint64_t>();
  each_word(frame, [&](uint32_t word, uint32_t, uint32_t) {
    result[word] = ~in.values<uint64_t>()[word];
    settle(out, word, in.valid()[word], in.failed()[word], {});
  });
}

// Known for every row that could be computed.
template <typename Test>
void decide(const Frame& frame, const Step& step, Test test) {
  const ValueVector& in = frame.vectors[step.in[0]];
  ValueVector& out = frame.vectors[step.out];
  auto* result = out.output<uint64_t>();
  each_word(frame, [&](uint32_t word, uint32_t, uint32_t) {
    result[word] = test(in, word);
    out.valid()[word] = ~in.failed()[word];
    out.failed()[word] = in.failed()[word];
  });
}

void is_null(const Frame& frame, const Step& step) {
  decide(frame, step, [](const ValueVector& in, uint32_t word) { return ~in.valid()[word]; });
}
void is_true(const Frame& frame, const Step& step) {
  decide(frame, step,
         [](const ValueVector& in, uint32_t word) { return in.values<uint64_t>()[word] & in.valid()[word]; });
}
void is_false(const Frame& frame, const Step& step) {
  decide(frame, step,
         [](const ValueVector& in, uint32_t word) { return ~in.values<uint64_t>()[word] & in.valid()[word]; });
}

}  // namespace

Kernel and_kernel() {
  return combine<true>;
}
Kernel or_kernel() {
  return combine<false>;
}
Kernel not_kernel() {
  return negate_logic;
}
Kernel is_null_kernel() {
  return is_null;
}
Kernel is_true_kernel() {
  return is_true;
}
Kernel is_false_kernel() {
  return is_false;
}

}  // namespace tidemark::core
