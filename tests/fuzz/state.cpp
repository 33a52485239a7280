// SPDX-License-Identifier: Apache-2.0
// Fuzz target: pages, records and keys of the state store. The first byte chooses what the rest is, and whether its
// checksum is put right. What is accepted is written again and must be read as the same. One thread.
#include "core/late/late_key.hpp"
#include "core/state/keys.hpp"
#include "core/state/page_format.hpp"
#include "core/state/records.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/stored_rows.hpp"

namespace tidemark::fuzz {
namespace {

void pane_page(std::string_view bytes) {
  core::PanePageBuilder builder;
  const core::Status decoded = core::decode_pane_page(bytes, [&](const core::EntryView& entry) {
    builder.add(entry);
    return core::Status();
  });
  if (!decoded) {
    require(!decoded.message().empty(), "an error has a text");
    return;
  }
  const uint32_t rows = builder.rows();
  const std::string again = builder.finish();
  const core::Status reread = core::decode_pane_page(again, [&](const core::EntryView& entry) {
    builder.add(entry);
    return core::Status();
  });
  require(reread.is_ok() && builder.rows() == rows, "a page survives its bytes");
}

template <typename Decode>
void record(std::string_view bytes, Decode decode) {
  const auto read = decode(bytes);
  if (!read) return;
  const std::string once = core::encode(*read);
  const auto again = decode(once);
  require(again.is_ok() && core::encode(*again) == once, "a record survives its bytes");
}

void keys(std::string_view bytes) {
  if (const auto key = core::decode_page_key(bytes)) {
    require(core::run_begin(*key) == bytes || core::encode_page_key(*key) == bytes, "a page key is its bytes");
    (void)core::describe(*key);
  }
  if (const auto key = core::decode_late_key(bytes)) {
    require(core::encode_late_key(*key) == bytes, "a late key is its bytes");
    (void)core::describe(*key);
  }
  if (const auto parts = core::split_source_key(bytes)) {
    require(core::source_key(parts->first, parts->second) == bytes, "a source key is its bytes");
  }
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  fuzz::Input input(data, size);
  const uint8_t what = input.byte();
  std::string bytes(fuzz::text_of(input.rest()));
  if ((what & 0x80) != 0) fuzz::put_checksum(bytes);
  switch ((what & 0x7f) % 6) {
    case 0:
      fuzz::pane_page(bytes);
      break;
    case 1:
      fuzz::record(bytes, core::decode_split_record);
      break;
    case 2:
      fuzz::record(bytes, core::decode_operator_record);
      break;
    case 3:
      fuzz::record(bytes, core::decode_job_record);
      break;
    case 4:
      fuzz::record(bytes, core::decode_epoch_record);
      break;
    default:
      fuzz::keys(bytes);
  }
  return 0;
}
