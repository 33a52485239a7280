// SPDX-License-Identifier: Apache-2.0
// Fuzz target: body of a TRANSACTION_PAYLOAD; the input's first byte chooses between the body as it is and a body
// made around the rest as uncompressed events. One thread.
#include <vector>

#include "binlog/query_event.hpp"
#include "binlog/transaction_payload.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace tidemark::fuzz {
namespace {

std::vector<uint8_t> wrapped(std::span<const uint8_t> events) {
  std::vector<uint8_t> body{1, 9, 254};  // payload size, in 8 bytes
  for (uint32_t i = 0; i < 8; ++i) body.push_back(static_cast<uint8_t>(uint64_t{events.size()} >> (8 * i)));
  body.insert(body.end(), {2, 3, 252, 255, 0, 0});  // compression none, end of fields
  body.insert(body.end(), events.begin(), events.end());
  return body;
}

uint64_t count_events(binlog::PayloadReader& reader) {
  constexpr uint64_t kEventsMax = 10'000;
  std::vector<uint8_t> scratch;
  binlog::EventView event;
  uint64_t count = 0;
  while (count < kEventsMax) {
    const auto more = reader.next(event);
    if (!more || !*more) return count;
    ++count;
    if (event.header.type == binlog::EventType::query) (void)binlog::parse_query_event(event, scratch);
  }
  return count;
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  fuzz::Input input(data, size);
  const bool as_is = (input.byte() & 1) == 0;
  const auto rest = input.rest();
  const std::vector<uint8_t> body = as_is ? std::vector<uint8_t>(rest.begin(), rest.end()) : fuzz::wrapped(rest);
  binlog::EventView event;
  event.header.type = binlog::EventType::transaction_payload;
  event.body = body;
  binlog::PayloadReader reader;
  const bool opened = reader.open(event).ok();
  fuzz::require(opened || as_is, "a body made here is a payload");
  if (!opened) return 0;
  const uint64_t count = fuzz::count_events(reader);
  reader.restart();
  fuzz::require(fuzz::count_events(reader) == count, "a restart gives the same events");
  return 0;
}
