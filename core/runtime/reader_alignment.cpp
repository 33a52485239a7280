// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/reader_alignment.hpp"

#include <algorithm>

#include "core/runtime/source_reader.hpp"

namespace tidemark::core {

ReaderAlignment::ReaderAlignment(AlignmentBoard& board, const std::string& group, const AlignmentTerms& terms,
                                 uint32_t core, uint32_t source)
    : board_(board), terms_(terms), group_(board.group(group)), core_(core), source_(source) {}

void ReaderAlignment::add(const SplitProgress& split, Micros now) {
  const uint32_t number = split.current().split;
  board_.join(group_, number, terms_);
  splits_.add_split(number);
  report(split, now);
}

void ReaderAlignment::report(const SplitProgress& split, Micros now) {
  const Report next{split.current(), split.is_disconnected()};
  if (next.change.split >= reported_.size()) reported_.resize(size_t{next.change.split} + 1);
  std::optional<Report>& last = reported_[next.change.split];
  if (last == next) return;
  last = next;
  to_judge_.push_back(next.change.split);
  const auto& [number, watermark, state, tentative] = next.change;
  board_.report(number, watermark, next.disconnected ? SplitState::disconnected : state, now);
  if (state == SplitState::finished) {
    splits_.remove_split(number);
    return;
  }
  splits_.immediate_watermark(number, watermark);
  splits_.immediate_status(number, state == SplitState::idle ? StreamStatus::idle : StreamStatus::active);
}

void ReaderAlignment::judge_split(SplitSlot& split, Micros ceiling) {
  const bool waited = split.waits_for_group;
  const SplitChange current = split.progress.current();
  const auto verdict = AlignmentGroup::judge(current.watermark, current.state, waited, ceiling);
  if (verdict != AlignmentVerdict::keep) split.waits_for_group = verdict == AlignmentVerdict::pause;
  if (split.finished()) split.waits_for_group = false;
  if (split.waits_for_group != waited) flipped_.push_back(split.id);
  if (split.waits_for_group) goes_on_at_ = std::min(goes_on_at_, current.watermark);
}

std::span<const uint32_t> ReaderAlignment::judge(SourceReader& reader, Micros now) {
  const Micros ceiling = AlignmentGroup::ceiling_over(board_.minimum(group_, now), terms_.max_drift_us);
  flipped_.clear();
  if (reader.can_pause) {
    const bool some_go_on = goes_on_at_ != kEndOfTime && goes_on_at_ <= ceiling;
    if (ceiling < ceiling_ || some_go_on) {
      goes_on_at_ = kEndOfTime;
      for (const auto& split : reader.splits) judge_split(*split, ceiling);
    } else {
      for (const uint32_t number : to_judge_) {
        if (SplitSlot* const split = reader.find(number)) judge_split(*split, ceiling);
      }
    }
  } else {
    const SplitSlot* slowest = splits_.holder() == UINT32_MAX ? nullptr : reader.find(splits_.holder());
    const Micros watermark = slowest == nullptr ? kNoTime : slowest->progress.current().watermark;
    reader.waits_for_group = watermark > ceiling;
    goes_on_at_ = reader.waits_for_group ? watermark : kEndOfTime;
  }
  to_judge_.clear();
  ceiling_ = ceiling;
  const bool waits = goes_on_at_ != kEndOfTime;
  if (waits || waits_) board_.await(group_, core_, source_, goes_on_at_, terms_.max_drift_us, now);
  waits_ = waits;
  return flipped_;
}

}  // namespace tidemark::core
