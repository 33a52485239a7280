// SPDX-License-Identifier: Apache-2.0
//
// Memory of a vector: whole words of rows, zeroed once, so that rows without a value read as something harmless.
#include "core/expression/value_vector.hpp"

namespace tidemark::core {

void ValueVector::reserve(uint32_t rows) {
  const size_t words = (size_t{rows} + 63) / 64;
  valid_.assign(words, 0);
  failed_.assign(words, 0);
  storage_ = std::make_unique<Cell[]>((words * 64 * bits_ + 127) / 128);
  values_ = storage_.get();
}

}  // namespace tidemark::core
