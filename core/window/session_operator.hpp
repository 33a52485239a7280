// SPDX-License-Identifier: Apache-2.0
//
// SessionOperator: session windows (semantics 1.15), merging as rows come. Lateness is judged on the session that a row
// would be part of; a session stays open for rows until its cleanup time. When the bounds of a session change, results
// that stood for the old ones are taken back with the next result of the key.
//
// A session's end is its last row's time plus the gap, and a row at just that time still belongs to it. So a session is
// complete when the watermark reaches its end, not one unit before: otherwise results would depend on whether such a
// row or the watermark came first (semantics decision 1).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/window/accumulator_layout.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/key_sessions.hpp"
#include "core/window/result_writer.hpp"
#include "core/window/session_pages.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class SessionOperator final : public WindowOperator {
 public:
  SessionOperator(AggregateSpec spec, AccumulatorLayout layout, KeyCodec codec);
  /// Compiles `having` and result columns; call it before anything else.
  Status prepare();

  Status apply(const GroupedRows& rows, Micros wall_us, Applied& out) override;
  void move_watermark(Micros watermark) override;
  void move_clock(Micros wall_us) override;
  bool is_firing() const override { return !moves_.empty(); }
  Micros next_tick_us() const override;
  bool is_ahead_of(Micros wall_us) const override;
  Micros watermark() const override { return watermark_; }
  Micros complete() const override;

  void seal(const std::function<void(const PaneChange&)>& visit) override;
  /// Nothing: pages that have no entries left are reported by seal().
  std::vector<Micros> take_closed() override { return {}; }

  void restore_watermark(Micros watermark, const FiredByGroup& fired) override;
  Status restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) override;

  const WindowCounters& counters() const override { return counters_; }
  void restore_counters(const WindowCounters& counters) override { counters_ = counters; }
  size_t open_panes() const override { return keys_.size(); }
  std::vector<Micros> open_windows() const override;
  size_t memory_bytes() const override;
  const std::shared_ptr<const BatchLayout>& output_layout() const override { return writer_->output_layout(); }
  const AggregateSpec& spec() const override { return spec_; }

 private:
  using Piece = KeySessions::Set::Piece;
  using Timers = std::set<std::pair<Micros, KeySessions*>>;

  struct KeyName {
    uint64_t hash = 0;
    std::string_view bytes;
    bool operator==(const KeyName& other) const { return bytes == other.bytes; }
  };
  struct KeyHash {
    size_t operator()(const KeyName& name) const noexcept { return name.hash; }
  };
  struct LateRow {
    LateGroup::Why why;
    Micros window_end;
    uint32_t row;
  };
  struct Due {
    KeySessions* key;
    SessionRecord* record;
    FiringKind kind;
    bool is_gone;
  };
  /// Rows of the batch, one after the other, that go to one piece.
  struct Run {
    Piece* piece = nullptr;
    uint32_t begin = 0;  // in GroupedRows::rows
    uint32_t count = 0;
  };
  /// What calls for results, besides windows that have ended.
  enum class Cause : uint8_t { rows, watermark, clock };
  /// A move of time. Once begun its results are due_, and its keys settle when they have been given.
  struct Move {
    Cause cause = Cause::watermark;
    Micros to = 0;
    std::optional<Micros> back_to{};  ///< afterwards
    bool is_begun = false;
    Micros complete = kNoTime;  ///< before it
    std::vector<KeySessions*> keys{};
  };

  bool by_processing_time() const noexcept { return spec_.window.processing_time; }
  Micros cleanup_of(Micros window_end) const;
  bool is_closed(Micros window_end) const { return cleanup_of(window_end) <= watermark_; }
  KeySessions& key_at(uint64_t hash, std::string_view bytes);
  AccumulatorRow neutral_row() const { return AccumulatorRow(layout_); }

  // apply()
  Status apply_group(const GroupedRows& rows, const RowGroup& group, Micros wall_us);
  Status apply_point(const GroupedRows& rows, KeySessions& key, Micros time, uint32_t at);
  bool apply_merged(const GroupedRows& rows, KeySessions& key, Micros time, uint32_t at, Run& run);
  bool is_late(KeySessions& key, Micros time) const;
  void add_point(KeySessions& key, Micros time);
  void remove_point(KeySessions& key, size_t at);
  void merge(KeySessions& key, const TimeRange& range, Run& run);
  void finish(const GroupedRows& rows, Run& run);
  void refuse(LateGroup::Why why, Micros window_end, uint32_t row);
  void add_late(const BatchRef& batch, std::vector<LateGroup>& late);
  Status fire_touched(Micros wall_us, std::vector<FiredRows>& fired);

  // Rules
  const Firing& rule_of(const SessionRecord& record) const;
  bool is_due(const KeySessions& key, const SessionRecord& record, Cause cause, Micros now) const;
  void collect(KeySessions& key, Cause cause, Micros now);
  void arm(KeySessions& key, Micros wall_us);

  // Firing
  Status fire_step(std::vector<FiredRows>& fired) override;
  void begin(Move& move);
  void end(const Move& move);
  void follow_clock(Micros wall_us);
  void sort_due();
  Status write_some(std::vector<FiredRows>& fired);
  Status write(std::span<const Due> due, std::vector<FiredRows>& fired);
  void note_given(const Due& due);
  void close(KeySessions& key);
  static bool is_part_of_another(const KeySessions& key, const SessionRecord& record);
  void settle(KeySessions& key, Micros passed);
  void set_timers(KeySessions& key);
  static void set_timer(Timers& timers, std::optional<Micros>& at, std::optional<Micros> to, KeySessions& key);
  static std::vector<KeySessions*> take_due(Timers& timers, Micros now);
  void settle_restored();
  void drop_rows(KeySessions& key, size_t first, size_t past);

  AggregateSpec spec_;
  AccumulatorLayout layout_;
  KeyCodec codec_;
  SessionRules rules_;
  std::unique_ptr<ResultWriter> writer_;
  const bool again_;       // windows may have several results
  const bool keeps_rows_;  // and the last one's row is kept
  SessionPages pages_;
  std::unordered_map<KeyName, std::unique_ptr<KeySessions>, KeyHash> keys_;
  Timers event_timers_;  // of the watermark; by processing time: of the clock
  Timers wall_timers_;
  Micros watermark_ = kNoTime;  // by processing time: the wall clock
  std::vector<Move> moves_;     // that are not done, the next one last
  FiredByGroup restored_fired_{};
  std::vector<KeySessions*> restored_;   // not settled yet
  bool overdue_ = false;                 // restored sessions had not been given when their time had come
  std::vector<KeySessions*> forgotten_;  // may be empty: they go once a seal has told of them
  size_t pieces_ = 0;
  int64_t owned_bytes_ = 0;
  WindowCounters counters_;

  std::vector<KeySessions*> touched_;  // scratch, as all that follows
  std::vector<LateRow> late_rows_;
  std::vector<Due> due_;  // in order, given up to next_due_
  size_t next_due_ = 0;
  std::vector<DueGroup> groups_;
  std::vector<AccumulatorRow> merged_;
};

}  // namespace tidemark::core
