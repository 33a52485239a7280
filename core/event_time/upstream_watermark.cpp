// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/upstream_watermark.hpp"

#include <algorithm>

namespace tidemark::core {

UpstreamWatermark::UpstreamWatermark(size_t inputs, size_t workers)
    : combined_(static_cast<uint32_t>(inputs)), shares_(inputs, std::vector<Share>(workers)), given_(inputs, kNoTime) {}

std::optional<Micros> UpstreamWatermark::note(size_t input, size_t worker, Micros watermark, bool idle) {
  std::vector<Share>& shares = shares_[input];
  Share& share = shares[worker];
  share.watermark = std::max(share.watermark, watermark);
  share.idle = idle;
  const auto less = [](const Share& a, const Share& b) { return a.watermark < b.watermark; };
  const Micros least = std::min_element(shares.begin(), shares.end(), less)->watermark;
  const bool all_idle = std::all_of(shares.begin(), shares.end(), [](const Share& one) { return one.idle; });
  const auto number = static_cast<uint32_t>(input);
  if (least > given_[input]) {
    given_[input] = least;
    combined_.input_watermark(number, least);  // wakes it
  }
  combined_.input_status(number, all_idle ? StreamStatus::idle : StreamStatus::active);
  return catch_up_with(combined_.combined().watermark());
}

std::optional<Micros> UpstreamWatermark::catch_up_with(Micros watermark) {
  if (watermark <= watermark_) return std::nullopt;
  watermark_ = watermark;
  return watermark;
}

std::optional<uint32_t> UpstreamWatermark::holder() const noexcept {
  const uint32_t part = combined_.combined().holder();
  return part == UINT32_MAX ? std::nullopt : std::optional(part);
}

}  // namespace tidemark::core
