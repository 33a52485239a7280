// SPDX-License-Identifier: Apache-2.0
//
// ArrivalGaps: measures how a split's rows arrive: the gaps between one row and the next, and the periods from the
// beginning of one burst to that of the next (a burst begins with rows after a silence of more than the emit
// interval). Times are those of the split's idle clock, so spans in which it was held back are not gaps; rows that
// had been waiting to be read say nothing of when they arrived and are left out.
// What an idle_timeout should be follows from both. Core thread of the split only; the state is a value.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.hpp"
#include "core/event_time/gap_histogram.hpp"

namespace tidemark::core {

/// All that a checkpoint keeps.
struct ArrivalGapsState {
  GapHistogram gaps{};     ///< between rows; rows of one batch arrive together
  GapHistogram periods{};  ///< between the beginnings of bursts

  void merge(const ArrivalGapsState& other) noexcept;

  friend bool operator==(const ArrivalGapsState&, const ArrivalGapsState&) = default;
};

/// The figures for people, and what follows from them.
struct ArrivalSummary {
  uint64_t gaps = 0;
  Micros p99_gap_us = 0;  ///< 0 without gaps
  uint64_t bursts = 0;    ///< periods measured
  Micros batch_period_us = 0;
  /// max(3 x P99 gap, 2 x batch period), rounded up to something readable; 0 = too little was measured.
  Micros suggested_idle_timeout_us = 0;

  friend bool operator==(const ArrivalSummary&, const ArrivalSummary&) = default;
};

ArrivalSummary summarise(const ArrivalGapsState& state) noexcept;

/// The next of 1 s, 2 s, 3 s, 5 s, 10 s, 15 s, 20 s, 30 s, 45 s, the same in minutes, 1 h, 2 h, 3 h, 6 h, 12 h and
/// whole days.
Micros round_up_readably(Micros length_us) noexcept;

class ArrivalGaps {
 public:
  explicit ArrivalGaps(Micros emit_interval_us) noexcept : emit_interval_us_(emit_interval_us) {}

  /// `rows` > 0 rows arrived. `waited`: they had been there before the split was read.
  void on_rows(uint64_t rows, Micros now, bool waited) noexcept;
  const ArrivalGapsState& state() const noexcept { return state_; }
  /// Continues an earlier run: the first rows after it end no gap.
  void restore(const ArrivalGapsState& state) noexcept;

 private:
  Micros emit_interval_us_;
  ArrivalGapsState state_;
  std::optional<Micros> last_row_;
  std::optional<Micros> last_burst_;
};

}  // namespace tidemark::core
