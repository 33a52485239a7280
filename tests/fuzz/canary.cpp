// SPDX-License-Identifier: Apache-2.0
// Fuzz target that must crash: if run.sh does not find this within seconds, fuzzing finds nothing anywhere. Reads
// past the end of a copy of the input behind four bytes that have to be guessed. One thread.
#include <memory>

#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4 || data[0] != 't' || data[1] != 'i' || data[2] != 'd' || data[3] != 'e') return 0;
  const auto copy = std::make_unique<uint8_t[]>(size);
  std::copy(data, data + size, copy.get());
  const volatile uint8_t* const at = copy.get();
  (void)at[size];
  return 0;
}
