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
  const auto [last, is_new] = reported_.try_emplace(next.change.split, next);
  if (!is_new && last->second == next) return;
  last->second = next;
  const auto& [number, watermark, state, tentative] = next.change;
  board_.report(number, watermark, next.disconnected ? SplitState::disconnected : state, now);
  if (state == SplitState::finished) {
    splits_.remove_split(number);
    return;
  }
  splits_.immediate_watermark(number, watermark);
  splits_.immediate_status(number, state == SplitState::idle ? StreamStatus::idle : StreamStatus::active);
}

void ReaderAlignment::judge(SourceReader& reader, Micros now) {
  const Micros ceiling = AlignmentGroup::ceiling_over(board_.minimum(group_, now), terms_.max_drift_us);
  Micros goes_on_at = kEndOfTime;  // the watermark of who will go on first
  if (reader.can_pause) {
    for (const auto& split : reader.splits) {
      const SplitChange current = split->progress.current();
      const auto verdict = AlignmentGroup::judge(current.watermark, current.state, split->waits_for_group, ceiling);
      if (verdict != AlignmentVerdict::keep) split->waits_for_group = verdict == AlignmentVerdict::pause;
      if (split->finished) split->waits_for_group = false;
      if (split->waits_for_group) goes_on_at = std::min(goes_on_at, current.watermark);
    }
  } else {
    const SplitSlot* slowest = splits_.holder() == UINT32_MAX ? nullptr : reader.find(splits_.holder());
    const Micros watermark = slowest == nullptr ? kNoTime : slowest->progress.current().watermark;
    reader.waits_for_group = watermark > ceiling;
    if (reader.waits_for_group) goes_on_at = watermark;
  }
  const bool waits = goes_on_at != kEndOfTime;
  if (waits || waits_) board_.await(group_, core_, source_, goes_on_at, terms_.max_drift_us, now);
  waits_ = waits;
}

}  // namespace tidemark::core
