// SPDX-License-Identifier: Apache-2.0
//
// A kernel computes one node of an expression for all rows of a batch: it reads the vectors of its inputs and writes
// its own. Which kernel, and for which types, is settled when the expression is compiled, so nothing is decided per
// row. Kernels keep no state and do not fail: rows that cannot be computed are marked.
// Invariant: a kernel's output is none of its inputs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/int128.hpp"
#include "core/batch/batch.hpp"
#include "core/expression/text_arena.hpp"
#include "core/expression/value_vector.hpp"

namespace tidemark::core {

struct Step;

/// What a kernel works on.
struct Frame {
  const Batch* batch = nullptr;
  uint32_t rows = 0;
  std::span<ValueVector> vectors;
  TextArena* texts = nullptr;  ///< for texts that are made, until the next run
};

using Kernel = void (*)(const Frame& frame, const Step& step);

/// A constant of a node: its value, a column's number, a scale; the kernel knows which.
struct Parameter {
  int64_t integer = 0;
  Int128 decimal = 0;
  double real = 0;
  std::string text;
  std::shared_ptr<const void> object;  ///< made from constants when the expression is compiled: a pattern, a path
};

/// One call of a kernel; `out` and `in` are indexes into Frame::vectors.
struct Step {
  Kernel kernel = nullptr;
  uint16_t out = 0;
  std::array<uint16_t, 3> in{};
  Parameter parameter;
};

}  // namespace tidemark::core
