// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/job_status.hpp"

#include <algorithm>

namespace tidemark::core {

bool AggregateView::reads(std::string_view source) const noexcept {
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

const SplitView* JobStatus::find_split(uint32_t number) const noexcept {
  const auto at = std::find_if(splits.begin(), splits.end(),
                               [number](const SplitView& split) { return split.status.split == number; });
  return at == splits.end() ? nullptr : &*at;
}

bool JobStatus::is_holding(uint32_t number) const noexcept {
  return std::any_of(aggregates.begin(), aggregates.end(),
                     [number](const AggregateView& aggregate) { return aggregate.holder == number; });
}

std::optional<Micros> watermark_lag(Micros watermark, Micros wall_us) noexcept {
  if (watermark == kNoTime || watermark == kEndOfTime || wall_us == kNoTime) return std::nullopt;
  return saturating_sub(wall_us, watermark);
}

}  // namespace tidemark::core
