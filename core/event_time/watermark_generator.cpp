// SPDX-License-Identifier: Apache-2.0
//
// Defaults of the interface, the choice of a generator by strategy, and state of one time. See the header.
#include "core/event_time/watermark_generator.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/base/check.hpp"
#include "core/event_time/bounded_out_of_orderness.hpp"
#include "core/event_time/punctuated.hpp"

namespace tidemark::core {

// Four at a time, so that one comparison need not wait for the one before.
Micros latest_of(std::span<const Micros> event_times) noexcept {
  Micros a = kNoTime;
  Micros b = kNoTime;
  Micros c = kNoTime;
  Micros d = kNoTime;
  size_t row = 0;
  for (; row + 4 <= event_times.size(); row += 4) {
    a = std::max(a, event_times[row]);
    b = std::max(b, event_times[row + 1]);
    c = std::max(c, event_times[row + 2]);
    d = std::max(d, event_times[row + 3]);
  }
  for (; row < event_times.size(); ++row) a = std::max(a, event_times[row]);
  return std::max(std::max(a, b), std::max(c, d));
}

void WatermarkGenerator::on_tick(Micros) {}

void WatermarkGenerator::on_source_watermark(Micros) {}

Status WatermarkGenerator::failure() const {
  return {};
}

std::unique_ptr<WatermarkGenerator> make_watermark_generator(const WatermarkStrategy& strategy) {
  switch (strategy.kind) {
    case WatermarkStrategyKind::none:
      return std::make_unique<NoWatermarks>();
    case WatermarkStrategyKind::source_watermarks:
      return std::make_unique<SourceWatermarks>();
    case WatermarkStrategyKind::punctuated:
      return std::make_unique<Punctuated>();
    case WatermarkStrategyKind::ascending:
      return std::make_unique<BoundedOutOfOrderness>(0);
    case WatermarkStrategyKind::bounded_out_of_orderness:
      break;
    case WatermarkStrategyKind::plugin:
      TIDEMARK_CHECK(strategy.kind != WatermarkStrategyKind::plugin);
  }
  return std::make_unique<BoundedOutOfOrderness>(strategy.max_out_of_orderness_us);
}

std::string encode_time(GeneratorState kind, Micros time) {
  std::string out;
  ByteWriter writer(out);
  writer.fixed(static_cast<char>(kind));
  writer.fixed(time);
  return out;
}

Micros decode_time(GeneratorState kind, std::string_view state) {
  ByteReader reader(state);
  const bool same = reader.fixed<char>() == static_cast<char>(kind);
  const auto time = reader.fixed<Micros>();
  return same && reader.ok() && reader.at_end() ? time : kNoTime;
}

}  // namespace tidemark::core
