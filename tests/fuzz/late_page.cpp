// SPDX-License-Identifier: Apache-2.0
// Fuzz target: pages of late rows. The first byte chooses: as they are, or with both checksums put right. All rows of
// an accepted page are read. One thread.
#include "core/late/late_page.hpp"
#include "core/base/bytes.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/stored_rows.hpp"

namespace tidemark::fuzz {
namespace {

// The header's checksum stands behind magic, version, codec and the length-prefixed header.
void put_header_checksum(std::string& page) {
  core::ByteReader reader(page);
  (void)reader.raw(6);
  (void)reader.text();
  if (!reader.ok() || reader.rest().size() < sizeof(uint32_t)) return;
  const size_t checked = page.size() - reader.rest().size();
  std::string sum;
  core::ByteWriter(sum).fixed(core::crc32(std::string_view(page).substr(0, checked)));
  page.replace(checked, sum.size(), sum);
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  fuzz::Input input(data, size);
  const bool repair = (input.byte() & 1) != 0;
  std::string bytes(fuzz::text_of(input.rest()));
  if (repair) {
    fuzz::put_header_checksum(bytes);
    fuzz::put_checksum(bytes);
  }
  const auto header = core::read_late_header(bytes);
  const auto page = core::decode_late_page(bytes);
  if (!page) return 0;
  fuzz::require(header.is_ok() && *header == page->header, "the header alone says the same");
  fuzz::require(page->rows->rows == page->header.rows, "the header's rows are there");
  for (uint32_t row = 0; row < page->rows->rows; ++row) (void)page->item(row);
  return 0;
}
