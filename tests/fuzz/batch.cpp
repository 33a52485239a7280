// SPDX-License-Identifier: Apache-2.0
// Fuzz target: stored batches of a layout with every type. The first byte chooses: as they are, or with the checksum
// put right. An accepted batch is read whole and must survive its bytes. One thread.
#include "core/batch/batch_codec.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/stored_rows.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  static const auto layout = fuzz::all_types();
  fuzz::Input input(data, size);
  const bool repair = (input.byte() & 1) != 0;
  std::string bytes(fuzz::text_of(input.rest()));
  if (repair) fuzz::put_checksum(bytes);
  const auto batch = core::decode_batch(bytes, layout);
  if (!batch) return 0;
  fuzz::read_cells(**batch);
  std::string again;
  core::encode_batch(**batch, again);
  fuzz::require(again == bytes, "a batch survives its bytes");
  return 0;
}
