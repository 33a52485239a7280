// SPDX-License-Identifier: Apache-2.0
//
// See the header. Decision numbers are those of semantics section 5.
#include "tests/sim/merge_model.hpp"

#include <algorithm>

namespace tidemark::test {

using core::Micros;

size_t MergeModel::count(State state) const {
  return static_cast<size_t>(
      std::count_if(splits_.begin(), splits_.end(), [state](const auto& one) { return one.second.state == state; }));
}

Micros MergeModel::counted_minimum() const {
  Micros least = core::kEndOfTime;
  for (const auto& [id, split] : splits_) {
    if (split.state == State::counted) least = std::min(least, split.watermark);
  }
  return least;
}

void MergeModel::raise(Micros watermark) {
  watermark_ = std::max(watermark_, watermark);
}

// Decision 1.
void MergeModel::wake(Split& split) const {
  const bool joins = options_.on_resume == core::ResumeRule::hold || split.watermark >= watermark_;
  split.state = joins ? State::counted : State::catching_up;
}

void MergeModel::settle() {
  const size_t counted = count(State::counted);
  const size_t idle = count(State::idle);
  const size_t finished = count(State::finished);
  if (counted + count(State::catching_up) > 0) {
    idle_ = false;
    const bool known = std::any_of(splits_.begin(), splits_.end(), [](const auto& one) {
      return one.second.state == State::counted && !one.second.tentative;
    });
    if (counted > 0 && known) raise(counted_minimum());
    return;
  }
  if (idle == 0 && finished > 0 && !more_expected_) {  // decisions 3 and 4
    idle_ = false;
    return raise(core::kEndOfTime);
  }
  idle_ = true;
}

// Decision 6: flush and end_of_time.
void MergeModel::settle_all_idle() {
  if (!idle_) return;
  const size_t idle = count(State::idle);
  if (idle > 0 && options_.all_idle == core::AllIdlePolicy::end_of_time) raise(core::kEndOfTime);
  if (options_.all_idle != core::AllIdlePolicy::flush) return;
  for (const auto& [id, split] : splits_) {
    if (split.state == State::idle) raise(split.watermark);
  }
}

void MergeModel::add(uint32_t id) {
  Split& split = splits_[id];
  split = {};
  wake(split);
  settle();
}

void MergeModel::remove(uint32_t id) {
  const auto at = splits_.find(id);
  if (at == splits_.end()) return;
  const bool was_finished = at->second.state == State::finished;
  splits_.erase(at);
  if (!was_finished) settle();
}

void MergeModel::apply(const core::SplitChange& change) {
  const auto at = splits_.find(change.split);
  if (at == splits_.end() || at->second.state == State::finished) return;
  Split& split = at->second;
  if (change.state == core::SplitState::finished) {
    split.state = State::finished;
    return settle();
  }
  if (change.state == core::SplitState::idle && split.state == State::idle) return;
  if (change.state != core::SplitState::idle) split.tentative = change.tentative;
  if (split.state == State::idle) {
    wake(split);
    settle();
  }
  split.watermark = std::max(split.watermark, change.watermark);
  if (split.state == State::catching_up && split.watermark >= watermark_) split.state = State::counted;
  settle();
  if (change.state != core::SplitState::idle) return;
  split.state = State::idle;
  split.tentative = false;
  settle();
}

void MergeModel::catch_up_with(Micros watermark) {
  raise(watermark);
}

void MergeModel::expect_more(bool expected) {
  const bool lifted = more_expected_ && !expected;
  more_expected_ = expected;
  if (lifted && count(State::finished) == splits_.size() && !splits_.empty()) settle();
}

// Decision 6.
void MergeModel::advance_to(Micros target) {
  if (idle_ && options_.all_idle == core::AllIdlePolicy::advance) raise(std::min(target, core::kEndOfTime - 1));
}

void MergeModel::restore(const core::ValveState& state) {
  splits_.clear();
  watermark_ = state.watermark;
  idle_ = state.idle;
  more_expected_ = state.more_expected;
  for (const core::ValveChannel& channel : state.channels) {
    Split& split = splits_[channel.id];
    split.watermark = channel.watermark;
    if (channel.status == core::ChannelStatus::idle) {
      split.state = State::idle;
    } else if (channel.status == core::ChannelStatus::finished) {
      split.state = State::finished;
    } else {
      wake(split);
    }
  }
}

}  // namespace tidemark::test
