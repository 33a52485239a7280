// SPDX-License-Identifier: Apache-2.0
//
// The valve: rules by their numbers in semantics 1.1, decisions by theirs in section 5. See the header.
#include "core/event_time/watermark_valve.hpp"

#include <algorithm>

#include "core/base/check.hpp"

namespace tidemark::core {

namespace {

// Two outputs of one input step, in order. The later watermark is the larger one.
void append(WatermarkOutput& out, const WatermarkOutput& next) {
  if (next.watermark) out.watermark = next.watermark;
  if (next.status) out.status = next.status;
}

}  // namespace

bool StatusWatermarkValve::is_live(uint32_t id) const noexcept {
  if (id >= channels_.size()) return false;
  const ChannelStatus status = channels_[id].status;
  return status == ChannelStatus::active || status == ChannelStatus::idle;
}

void StatusWatermarkValve::set_status(ValveChannel& channel, ChannelStatus status) {
  const auto count = [this](ChannelStatus of) -> uint32_t* {
    if (of == ChannelStatus::active) return &active_count_;
    if (of == ChannelStatus::idle) return &idle_count_;
    if (of == ChannelStatus::finished) return &finished_count_;
    return nullptr;
  };
  if (uint32_t* before = count(channel.status)) --*before;
  if (uint32_t* after = count(status)) ++*after;
  channel.status = status;
  if (status != ChannelStatus::active) {
    set_tentative(channel, false);
    channel.aligned = false;
    aligned_.erase(channel.id);
  }
}

void StatusWatermarkValve::set_tentative(ValveChannel& channel, bool tentative) {
  if (channel.tentative == tentative) return;
  channel.tentative = tentative;
  tentative_count_ += tentative ? 1 : UINT32_MAX;
}

void StatusWatermarkValve::join(ValveChannel& channel) {
  channel.aligned = true;
  aligned_.set(channel.id, channel.watermark);
}

void StatusWatermarkValve::raise(Micros watermark, WatermarkOutput& out) {
  if (watermark <= watermark_) return;
  watermark_ = watermark;
  out.watermark = watermark;
}

// Rule 4.
void StatusWatermarkValve::raise_to_minimum(WatermarkOutput& out) {
  if (tentative_count_ > 0) {  // nothing rises unless somebody is known to be active
    const bool known = std::any_of(channels_.begin(), channels_.end(),
                                   [](const ValveChannel& channel) { return channel.aligned && !channel.tentative; });
    if (!known) return;
  }
  if (!aligned_.empty()) raise(aligned_.top_time(), out);
}

// Rule 6. Under `hold` (decision 1) a channel joins at once, wherever it stands.
void StatusWatermarkValve::activate(ValveChannel& channel, WatermarkOutput& out) {
  set_status(channel, ChannelStatus::active);
  if (options_.on_resume == ResumeRule::hold || channel.watermark >= watermark_) join(channel);
  if (idle_) {
    idle_ = false;
    out.status = StreamStatus::active;
  }
  raise_to_minimum(out);
}

// The policy of decision 6, in place of step F.
void StatusWatermarkValve::follow_policy(WatermarkOutput& out) {
  if (idle_count_ > 0 && options_.all_idle == AllIdlePolicy::end_of_time) raise(kEndOfTime, out);
  if (options_.all_idle == AllIdlePolicy::flush) {
    for (const ValveChannel& channel : channels_) {
      if (channel.status == ChannelStatus::idle) raise(channel.watermark, out);
    }
  }
}

WatermarkOutput StatusWatermarkValve::settle_all_idle() {
  WatermarkOutput out;
  if (idle_) follow_policy(out);
  return out;
}

WatermarkOutput StatusWatermarkValve::catch_up_with(Micros watermark) {
  WatermarkOutput out;
  raise(watermark, out);
  return out;
}

// Rule 5a.
void StatusWatermarkValve::go_idle(WatermarkOutput& out) {
  if (!postponed_) follow_policy(out);
  if (idle_) return;
  idle_ = true;
  out.status = StreamStatus::idle;
}

// After a channel left the minimum: rule 5b, rule 5a, or the end of input (also through an idle output, decision 3).
void StatusWatermarkValve::settle(WatermarkOutput& out) {
  if (active_count_ > 0) {
    raise_to_minimum(out);
    return;
  }
  if (idle_count_ > 0 || finished_count_ == 0 || more_expected_) {
    go_idle(out);
    return;
  }
  if (idle_) {
    idle_ = false;
    out.status = StreamStatus::active;
  }
  raise(kEndOfTime, out);
}

WatermarkOutput StatusWatermarkValve::add_channel(uint32_t id) {
  TIDEMARK_CHECK(!is_live(id));
  if (id >= channels_.size()) channels_.resize(static_cast<size_t>(id) + 1);
  ValveChannel& channel = channels_[id];
  channel.id = id;
  channel.watermark = kNoTime;
  WatermarkOutput out;
  activate(channel, out);
  return out;
}

WatermarkOutput StatusWatermarkValve::leave(uint32_t id, ChannelStatus status) {
  WatermarkOutput out;
  if (!is_live(id)) return out;
  set_status(channels_[id], status);
  settle(out);
  return out;
}

WatermarkOutput StatusWatermarkValve::finish_channel(uint32_t id) {
  return leave(id, ChannelStatus::finished);
}

WatermarkOutput StatusWatermarkValve::remove_channel(uint32_t id) {
  if (is_live(id)) return leave(id, ChannelStatus::removed);
  if (id < channels_.size() && channels_[id].status == ChannelStatus::finished) {
    set_status(channels_[id], ChannelStatus::removed);  // the end it helped to reach has been said
  }
  return {};
}

WatermarkOutput StatusWatermarkValve::input_watermark(uint32_t id, Micros watermark) {
  if (!is_live(id)) return {};
  if (watermark == kEndOfTime && options_.rules == MergeRules::tidemark) return finish_channel(id);
  ValveChannel& channel = channels_[id];
  WatermarkOutput out;
  if (idle_ || channel.status == ChannelStatus::idle) return out;  // rule 1
  if (watermark <= channel.watermark) return out;                  // rule 2
  channel.watermark = watermark;
  if (channel.aligned || watermark >= watermark_) join(channel);  // rule 3
  raise_to_minimum(out);
  return out;
}

WatermarkOutput StatusWatermarkValve::input_status(uint32_t id, StreamStatus status) {
  WatermarkOutput out;
  if (!is_live(id)) return out;
  ValveChannel& channel = channels_[id];
  if ((channel.status == ChannelStatus::idle) == (status == StreamStatus::idle)) return out;
  if (status == StreamStatus::active) {
    activate(channel, out);
  } else {
    set_status(channel, ChannelStatus::idle);
    settle(out);
  }
  return out;
}

WatermarkOutput StatusWatermarkValve::apply(const SplitChange& change) {
  if (change.state == SplitState::finished) return finish_channel(change.split);
  WatermarkOutput out;
  const bool idle = change.state == SplitState::idle;
  if (!idle && is_live(change.split)) {
    ValveChannel& channel = channels_[change.split];
    set_tentative(channel, change.tentative);
    append(out, input_status(change.split, StreamStatus::active));
    raise_to_minimum(out);
  }
  append(out, input_watermark(change.split, change.watermark));
  if (idle) append(out, input_status(change.split, StreamStatus::idle));
  return out;
}

WatermarkOutput StatusWatermarkValve::expect_more_channels(bool expected) {
  WatermarkOutput out;
  const bool ended = more_expected_ && !expected && active_count_ + idle_count_ == 0 && finished_count_ > 0;
  more_expected_ = expected;
  if (ended) settle(out);
  return out;
}

WatermarkOutput StatusWatermarkValve::advance_idle_to(Micros target) {
  WatermarkOutput out;
  if (idle_ && options_.all_idle == AllIdlePolicy::advance) raise(std::min(target, kEndOfTime - 1), out);
  return out;
}

std::optional<uint32_t> StatusWatermarkValve::holder() const noexcept {
  if (aligned_.empty()) return std::nullopt;
  return aligned_.top_slot();
}

uint32_t StatusWatermarkValve::catching_up_count() const noexcept {
  return static_cast<uint32_t>(std::count_if(channels_.begin(), channels_.end(), [](const ValveChannel& channel) {
    return channel.status == ChannelStatus::active && !channel.aligned;
  }));
}

ValveChannel StatusWatermarkValve::channel(uint32_t id) const noexcept {
  ValveChannel out = id < channels_.size() ? channels_[id] : ValveChannel{};
  out.id = id;
  return out;
}

ValveState StatusWatermarkValve::snapshot() const {
  ValveState state{watermark_, idle_, more_expected_, {}};
  for (const ValveChannel& channel : channels_) {
    const bool gone = channel.status == ChannelStatus::absent || channel.status == ChannelStatus::removed;
    if (!gone) state.channels.push_back(channel);
  }
  return state;
}

void StatusWatermarkValve::restore(const ValveState& state) {
  channels_.clear();
  aligned_.clear();
  active_count_ = tentative_count_ = idle_count_ = finished_count_ = 0;
  watermark_ = state.watermark;
  idle_ = state.idle;
  more_expected_ = state.more_expected;
  for (const ValveChannel& saved : state.channels) {
    if (saved.id >= channels_.size()) channels_.resize(static_cast<size_t>(saved.id) + 1);
    ValveChannel& channel = channels_[saved.id];
    channel.id = saved.id;
    channel.watermark = saved.watermark;
    set_status(channel, saved.status);
    const bool joins = saved.aligned || options_.on_resume == ResumeRule::hold;
    if (saved.status == ChannelStatus::active && joins) join(channel);
  }
}

}  // namespace tidemark::core
