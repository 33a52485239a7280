// SPDX-License-Identifier: Apache-2.0
//
// EntryReader: the groups that an aggregate keeps in state, with their windows, key values and the values that its
// aggregates have come to, as results would show them. Decodes with what the window operators decode with, so that it
// says what a restart would have. Where windows share their rows (sliding, cumulative), an entry is a slice: a piece
// that no window cuts. Sessions are read off all pieces of their key.
//
// Memory: the pages of one key group of one pane; for sessions, of one key group. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"
#include "core/inspect/page_groups.hpp"
#include "core/plan/job_plan.hpp"
#include "core/state/epoch_store.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/accumulator_row.hpp"
#include "core/window/emission.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/key_sessions.hpp"
#include "core/window/session_pages.hpp"
#include "core/window/window_assigner.hpp"

namespace tidemark::core {

/// One group; valid during the visit.
struct StateEntry {
  enum class Kind : uint8_t {
    window,   ///< all rows of a window
    slice,    ///< of several windows
    session,  ///< a window that its rows made
    gone,     ///< no rows: a session that was given as a result, and became another one
  };
  Kind kind = Kind::window;
  TimeRange range;
  uint32_t key_group = 0;
  const Batch* cells = nullptr;        ///< one row: keys(), then values(); of `gone` the keys alone
  int64_t rows = 0;                    ///< in it: came minus taken back
  bool has_base = true;                ///< false: more was taken back than came
  const Emission* emission = nullptr;  ///< of the window that ends with it; null where a group has one result
  std::string_view problem;            ///< why a value cannot be computed: it and those behind it are NULL
};

/// "window", "slice", "session", "gone".
const char* kind_name(StateEntry::Kind kind) noexcept;

struct EntryFilter {
  std::optional<Micros> window_end;  ///< entries of that window: it, its slices
  /// Values that keys must have, by number of the key, as append_cell_text() writes them; nothing: NULL.
  std::vector<std::pair<uint32_t, std::optional<std::string>>> keys{};
};

class EntryReader {
 public:
  /// `input`: the rows that the aggregate reads. Code::config as WindowOperator::create().
  static Result<std::unique_ptr<EntryReader>> create(AggregateSpec spec, const BatchLayout& input);
  /// The same for an aggregate of a job; values that results do not show by themselves are named by their calls.
  static Result<std::unique_ptr<EntryReader>> create(const JobPlan& plan, const AggregatePlan& aggregate);

  const AggregateSpec& spec() const noexcept { return spec_; }
  uint32_t key_count() const noexcept { return static_cast<uint32_t>(codec_.columns().size()); }
  /// Of StateEntry::cells: the keys, then the values.
  const std::vector<ColumnInfo>& columns() const noexcept { return layout_of_cells_->columns; }

  /// False: enough was seen.
  using Visit = std::function<bool(const StateEntry& entry)>;
  /// Visits the entries, ascending by (pane end, key group, key); sessions by (key group, key, start). Code::damage
  /// when the state is damaged or does not fit the aggregate.
  Status visit(EpochStore& store, const EntryFilter& filter, const Visit& visit);

  /// For create() alone.
  EntryReader(AggregateSpec spec, AccumulatorLayout layout, KeyCodec codec);

 private:
  using KeysOfGroup = std::map<std::string, KeySessions, std::less<>>;

  bool has_shared_rows() const noexcept;
  Status damaged(Micros pane_end, const char* what) const;
  Result<bool> show_slices(const PageGroup& group, const EntryFilter& filter, const Visit& visit);
  Result<bool> show_slice(std::string_view key, const std::vector<std::string>& parts, StateEntry& entry,
                          const EntryFilter& filter, const Visit& visit);
  Status visit_sessions(EpochStore& store, const EntryFilter& filter, const Visit& visit);
  Status take_pieces(const PageGroup& group, const EntryFilter& filter, KeysOfGroup& keys);
  Result<bool> show_sessions(KeysOfGroup& keys, const EntryFilter& filter, const Visit& visit);
  Result<bool> show_key(KeySessions& key, const EntryFilter& filter, const Visit& visit);
  /// Makes the cells hold the key; false when it is none.
  bool put_key(std::string_view key);
  bool matches(const EntryFilter& filter) const;
  bool show(const std::byte* row, StateEntry& entry, const Visit& visit);

  AggregateSpec spec_;
  AccumulatorLayout layout_;
  KeyCodec codec_;
  std::optional<WindowAssigner> assigner_;  // none: sessions
  SessionPages session_pages_;              // decodes alone: it is never sealed
  SessionRules session_rules_;
  std::shared_ptr<BatchLayout> layout_of_cells_;
  std::unique_ptr<Batch> cells_;
  AccumulatorRow row_;
};

}  // namespace tidemark::core
