// SPDX-License-Identifier: Apache-2.0
//
// See the header; rule numbers are those of semantics 1.2.
#include "core/event_time/combined_status.hpp"

#include <algorithm>

#include "core/base/check.hpp"

namespace tidemark::core {

void CombinedStatus::count(uint32_t part) {
  const Part& p = parts_[part];
  if (p.present && !p.idle && !p.finished) {
    counted_.set(part, p.watermark);
  } else {
    counted_.erase(part);
  }
}

bool CombinedStatus::add(uint32_t part) {
  if (contains(part)) return false;
  if (part >= parts_.size()) parts_.resize(static_cast<size_t>(part) + 1);
  parts_[part] = Part{};
  parts_[part].present = true;
  ++size_;
  count(part);
  return true;
}

bool CombinedStatus::remove(uint32_t part) {
  if (!contains(part)) return false;
  if (parts_[part].finished) --finished_;
  parts_[part] = Part{};
  --size_;
  count(part);
  return true;
}

bool CombinedStatus::set_watermark(uint32_t part, Micros watermark) {
  TIDEMARK_CHECK(contains(part));
  Part& p = parts_[part];
  const bool larger = watermark > p.watermark;
  p.idle = false;
  p.watermark = std::max(p.watermark, watermark);
  if (larger && watermark == kEndOfTime && options_.rules == MergeRules::tidemark) {
    p.finished = true;
    ++finished_;
  }
  count(part);
  return larger;
}

void CombinedStatus::set_idle(uint32_t part, bool idle) {
  TIDEMARK_CHECK(contains(part));
  parts_[part].idle = idle;
  count(part);
}

Micros CombinedStatus::candidate() const {
  if (finished_ == size_) return kEndOfTime;
  if (!counted_.empty()) return counted_.top_time();
  if (options_.all_idle == AllIdlePolicy::end_of_time) return kEndOfTime;
  Micros most = kNoTime;
  if (options_.all_idle == AllIdlePolicy::flush) {
    for (const Part& p : parts_) {
      if (p.present && !p.finished) most = std::max(most, p.watermark);
    }
  }
  return most;
}

bool CombinedStatus::recompute() {
  if (size_ == 0) return false;
  idle_ = finished_ < size_ && counted_.empty();
  const Micros next = candidate();
  if (next <= watermark_) return false;
  watermark_ = next;
  return true;
}

CombinedInputs::CombinedInputs(uint32_t inputs, MergeOptions options) : options_(options), combined_(options) {
  for (uint32_t input = 0; input < inputs; ++input) combined_.add(input);
}

WatermarkOutput CombinedInputs::recompute(bool says_status) {
  WatermarkOutput out;
  const bool was_idle = combined_.is_idle();
  if (combined_.recompute()) out.watermark = combined_.watermark();
  if (says_status && combined_.is_idle() != was_idle) {
    out.status = combined_.is_idle() ? StreamStatus::idle : StreamStatus::active;
  }
  return out;
}

WatermarkOutput CombinedInputs::input_watermark(uint32_t input, Micros watermark) {
  combined_.set_watermark(input, watermark);
  return recompute(options_.rules == MergeRules::tidemark);
}

WatermarkOutput CombinedInputs::input_status(uint32_t input, StreamStatus status) {
  combined_.set_idle(input, status == StreamStatus::idle);
  return recompute(true);
}

}  // namespace tidemark::core
