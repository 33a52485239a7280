// SPDX-License-Identifier: Apache-2.0
// Fuzz target: keys and accumulators of groups, as they stand in pane pages: a length-prefixed key, then
// accumulators. What is accepted must give the same bytes again, and results. One thread.
#include <vector>

#include "core/window/accumulator_layout.hpp"
#include "core/window/key_codec.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/stored_rows.hpp"

namespace tidemark::fuzz {
namespace {

core::KeyCodec codec_of(const core::BatchLayout& layout) {
  std::vector<uint32_t> columns;
  for (uint32_t i = 0; i < layout.columns.size(); ++i) columns.push_back(i);
  return {columns, layout};
}

void key(const std::shared_ptr<const core::BatchLayout>& layout, const core::KeyCodec& codec, std::string_view bytes) {
  core::Batch batch(layout, 1, 16);
  const bool decoded = codec.decode(bytes, batch, 0, 0);
  require(decoded == codec.is_valid(bytes), "valid is what can be decoded");
  (void)codec.describe(bytes);
  if (!decoded) return;
  batch.rows = 1;
  read_cells(batch);
  core::EncodedKeys keys;
  const uint32_t row = 0;
  require(codec.encode(batch, {&row, 1}, keys), "a key can be written again");
}

core::AccumulatorLayout compiled(const core::BatchLayout& input, bool changelog) {
  auto layout = core::AccumulatorLayout::compile(all_functions(input, changelog), input);
  require(layout.is_ok(), "the aggregate compiles");
  return std::move(layout).value();
}

void accumulators(const core::AccumulatorLayout* layout, std::string_view bytes) {
  std::vector<uint64_t> memory(layout->width() / sizeof(uint64_t));
  auto* row = reinterpret_cast<std::byte*>(memory.data());
  layout->init(row);
  if (layout->decode(bytes, row)) {
    std::string once;
    layout->encode(row, once);
    std::vector<uint64_t> other(memory.size());
    auto* copy = reinterpret_cast<std::byte*>(other.data());
    layout->init(copy);
    require(layout->decode(once, copy).is_ok(), "accumulators read what they wrote");
    std::string twice;
    layout->encode(copy, twice);
    require(once == twice, "accumulators survive their bytes");
    core::Batch out(std::make_shared<core::BatchLayout>(core::BatchLayout{layout->output_columns()}), 1, 16);
    if (layout->has_base(row)) (void)layout->write_results(row, out, 0, 0);
    layout->destroy(copy);
  } else {
    require(layout->is_neutral(row), "a refused row is neutral");
  }
  layout->destroy(row);
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  static const auto layout = fuzz::all_types();
  static const core::KeyCodec codec = fuzz::codec_of(*layout);
  static const core::AccumulatorLayout append = fuzz::compiled(*layout, false);
  static const core::AccumulatorLayout changelog = fuzz::compiled(*layout, true);
  fuzz::Input input(data, size);
  const uint8_t flags = input.byte();
  const auto key = input.part();
  const std::string key_bytes(fuzz::text_of(key));
  fuzz::key(layout, codec, key_bytes);
  fuzz::accumulators((flags & 1) != 0 ? &changelog : &append, fuzz::text_of(input.rest()));
  return 0;
}
