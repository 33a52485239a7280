// SPDX-License-Identifier: Apache-2.0
//
// Defaults of the interface and the choice of a generator by strategy. See the header.
#include "core/event_time/watermark_generator.hpp"

#include "core/event_time/bounded_out_of_orderness.hpp"

namespace tidemark::core {

void WatermarkGenerator::on_batch(std::span<const Micros> event_times) {
  for (const Micros event_time : event_times) on_event(event_time);
}

void WatermarkGenerator::on_source_watermark(Micros) {}

std::unique_ptr<WatermarkGenerator> make_watermark_generator(const WatermarkStrategy& strategy) {
  switch (strategy.kind) {
    case WatermarkStrategyKind::none:
      return std::make_unique<NoWatermarks>();
    case WatermarkStrategyKind::source_watermarks:
      return std::make_unique<SourceWatermarks>();
    case WatermarkStrategyKind::ascending:
      return std::make_unique<BoundedOutOfOrderness>(0);
    case WatermarkStrategyKind::bounded_out_of_orderness:
      break;
  }
  return std::make_unique<BoundedOutOfOrderness>(strategy.max_out_of_orderness_us);
}

}  // namespace tidemark::core
