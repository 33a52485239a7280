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
  const Operands<uint64_t(uint64_t, uint64_t)> operands(frame, step);
  const uint64_t* a = std::get<0>(operands.values);
  const uint64_t* b = std::get<1>(operands.values);
  each_word(frame, [&](uint32_t word, uint32_t, uint32_t) {
    const uint64_t a_valid = operands.in[0]->valid()[word];
    const uint64_t b_valid = operands.in[1]->valid()[word];
    const uint64_t a_true = a[word] & a_valid;
    const uint64_t b_true = b[word] & b_valid;
    const uint64_t a_false = ~a[word] & a_valid;
    const uint64_t b_false = ~b[word] & b_valid;
    const uint64_t is_true = kAnd ? a_true & b_true : a_true | b_true;
    const uint64_t is_false = kAnd ? a_false | b_false : a_false & b_false;
    operands.result[word] = is_true;
    operands.out.valid()[word] = is_true | is_false;
    operands.out.failed()[word] = operands.failed(word) & ~(is_true | is_false);
  });
}

void negate_logic(const Frame& frame, const Step& step) {
  map_words<uint64_t(uint64_t)>(frame, step, [](uint64_t a) { return ~a; });
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
