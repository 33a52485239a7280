// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the input is a binlog file, byte for byte. One thread.
#include "tests/fuzz/binlog_drive.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tidemark::fuzz::MemoryFile file;
  file.write({data, size});
  tidemark::fuzz::read_binlog(file.path());
  return 0;
}
