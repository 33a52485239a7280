// SPDX-License-Identifier: Apache-2.0
//
// KeySessions: the sessions of one key with their accumulators and with what has been given of them. A session is
// known by its window; when rows change the window, the old one is gone, and a result that stood for it has to be
// taken back.
//
// Invariants once settled: `sessions` are what the pieces say, by start; `gone` has windows that are no sessions any
// more but had results. Owned by the session operator, on its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.hpp"
#include "core/window/accumulator_row.hpp"
#include "core/window/aggregate_spec.hpp"
#include "core/window/emission.hpp"
#include "core/window/session_set.hpp"

namespace tidemark::core {

/// What a piece of the time line keeps.
struct SessionRows {
  AccumulatorRow accumulators;
  Micros noted_in = kNoTime;  ///< page that already knows that it changed (SessionPages)
};

/// A window and what has been given of it.
struct SessionRecord {
  TimeRange window;
  Emission emission;
  std::string given_row{};  ///< where it is kept (KeptResult), as PaneTable's
  bool owed = false;        ///< its result at the window's end is still to come
  bool changed = false;     ///< by settle()
  bool noted = false;       ///< its page already knows that it changed (SessionPages)
  /// Time of the first row since its last result; kNoTime: it took over rows that had one; kEndOfTime: there was no
  /// row, or it is not known after a restart.
  Micros first_changed = kEndOfTime;
};

/// What the aggregate says about sessions.
struct SessionRules {
  explicit SessionRules(const AggregateSpec& spec);
  TimeRange range_of(Micros time) const { return {time, saturating_add(time, gap)}; }

  Micros gap;
  Micros max_size;    ///< 0 = none
  bool keeps_points;  ///< rows of different times stay apart: they may be taken back, or sessions may be cut
  bool replaces;      ///< a later result takes the place of an earlier one
};

struct KeySessions {
  using Set = SessionSet<SessionRows>;

  KeySessions(uint64_t hash_of_key, std::string_view key_bytes) : hash(hash_of_key), key(key_bytes) {}
  uint32_t key_group() const noexcept { return key_group_of(hash); }
  bool is_empty() const noexcept { return set.pieces().empty() && sessions.empty() && gone.empty(); }
  /// The session whose rows reach around `time`; null when there is none.
  SessionRecord* session_at(Micros time, const SessionRules& rules);

  /// After rows came or went: makes sessions of the pieces again, and counts the rows at `touched` in theirs. Sessions
  /// that end after `passed` owe a result, and so do all that take over rows of one which owes it.
  void settle(const SessionRules& rules, Micros passed);

  const uint64_t hash;
  const std::string key;
  Set set;
  std::vector<SessionRecord> sessions;
  std::vector<SessionRecord> gone;
  /// Windows that had a record before settle(), and have none; the caller clears it.
  std::vector<TimeRange> lost;

  // Of the operator.
  std::vector<Micros> touched;  ///< times of rows since the last settle()
  bool stale = false;           ///< pieces changed so that sessions may differ
  bool queued = false;
  std::optional<Micros> event_timer;
  std::optional<Micros> wall_timer;
  Micros next_event_fire = kEndOfTime;  ///< by an interval
  Micros next_wall_fire = kEndOfTime;

 private:
  void inherit(SessionRecord& old, const SessionRules& rules);
};

}  // namespace tidemark::core
