// SPDX-License-Identifier: Apache-2.0
//
// ReaderAlignment: one reader's side of its alignment group. Writes its splits' watermarks and states to the board
// and decides which of them wait. A reader that cannot pause single splits waits as a whole, when the slowest of
// its splits that count is above the ceiling: never for one split alone, since it might read the very one that
// everybody waits for. (So not by the multiplexer's watermark, which a slower newcomer does not lower.)
// Used by the ingest component of its reader alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/event_time/split_multiplexer.hpp"
#include "core/event_time/split_progress.hpp"
#include "core/runtime/alignment_board.hpp"

namespace tidemark::core {

struct SourceReader;
struct SplitSlot;

class ReaderAlignment {
 public:
  /// The board outlives it.
  ReaderAlignment(AlignmentBoard& board, const std::string& group, const AlignmentTerms& terms, uint32_t core,
                  uint32_t source);

  void add(const SplitProgress& split, Micros now);
  /// After each call that may have changed the split.
  void report(const SplitProgress& split, Micros now);
  /// Sets SplitSlot::waits_for_group, or SourceReader::waits_for_group where single splits cannot be paused. Gives
  /// the splits for which it changed. Looks at the splits that were reported since the last time, and at all of
  /// them only when the ceiling fell, or reached one that waits.
  std::span<const uint32_t> judge(SourceReader& reader, Micros now);

  const AlignmentTerms& terms() const noexcept { return terms_; }

 private:
  struct Report {
    SplitChange change;
    bool disconnected;

    friend bool operator==(const Report&, const Report&) = default;
  };

  void judge_split(SplitSlot& split, Micros ceiling);

  AlignmentBoard& board_;
  AlignmentTerms terms_;
  uint32_t group_;
  uint32_t core_;
  uint32_t source_;
  SplitMultiplexer splits_;
  std::vector<std::optional<Report>> reported_;  // by split
  std::vector<uint32_t> to_judge_;               // reported since the last judge()
  std::vector<uint32_t> flipped_;                // by the last judge()
  Micros ceiling_ = kEndOfTime;                  // of the last judge()
  Micros goes_on_at_ = kEndOfTime;               // watermark of who will go on first, or less; kEndOfTime: nobody waits
  bool waits_ = false;
};

}  // namespace tidemark::core
