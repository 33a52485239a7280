// SPDX-License-Identifier: Apache-2.0
//
// Applying rows: one by one, since each may change what sessions there are. Firing stands in session_firing.cpp.
#include "core/window/session_operator.hpp"

#include <algorithm>
#include <tuple>

#include "core/base/hash.hpp"
#include "core/window/base_check.hpp"

namespace tidemark::core {

SessionOperator::SessionOperator(AggregateSpec spec, AccumulatorLayout layout, KeyCodec codec)
    : spec_(std::move(spec)),
      layout_(std::move(layout)),
      codec_(std::move(codec)),
      rules_(spec_),
      again_(spec_.can_fire_again()),
      keeps_rows_(spec_.kept_result() == KeptResult::row),
      pages_(spec_, layout_) {
  restored_fired_.fill(kNoTime);
}

Status SessionOperator::prepare() {
  auto writer = ResultWriter::create(spec_, layout_, codec_);
  if (!writer) return writer.status();
  writer_ = std::move(*writer);
  return Status::ok();
}

// Sessions by processing time are not waited for.
Micros SessionOperator::cleanup_of(Micros window_end) const {
  return by_processing_time() ? window_end : saturating_add(window_end, spec_.allowed_lateness_us);
}

KeySessions& SessionOperator::key_at(uint64_t hash, std::string_view bytes) {
  const auto found = keys_.find(KeyName{hash, bytes});
  if (found != keys_.end()) return *found->second;
  auto made = std::make_unique<KeySessions>(hash, bytes);
  const KeyName name{hash, made->key};
  return *keys_.emplace(name, std::move(made)).first->second;
}

Status SessionOperator::apply(const GroupedRows& rows, Micros wall_us, Applied& out) {
  settle_restored();
  follow_clock(wall_us);
  if (Status status = fire(SIZE_MAX, out.fired); !status) return status;
  touched_.clear();
  late_rows_.clear();
  for (const RowGroup& group : rows.groups) {
    if (Status status = apply_group(rows, group, wall_us); !status) return status;
  }
  if (Status status = fire_touched(wall_us, out.fired); !status) return status;
  if (!late_rows_.empty()) add_late(rows.batch, out.late);
  return Status::ok();
}

Status SessionOperator::apply_group(const GroupedRows& rows, const RowGroup& group, Micros wall_us) {
  TIDEMARK_DCHECK(rows.partials.empty());
  KeySessions& key = key_at(group.hash, rows.key_of(group));
  if (!key.queued) touched_.push_back(&key);
  key.queued = true;
  Run run;
  for (uint32_t at = group.row_begin; at < group.row_begin + group.row_count; ++at) {
    const Micros time = by_processing_time() ? std::max(wall_us, watermark_) : rows.batch->event_time_us[rows.rows[at]];
    if (rules_.keeps_points) {
      if (Status status = apply_point(rows, key, time, at); !status) return status;
    } else if (!apply_merged(rows, key, time, at, run)) {
      continue;
    }
  }
  finish(rows, run);
  return Status::ok();
}

bool SessionOperator::is_late(KeySessions& key, Micros time) const {
  const TimeRange range = rules_.range_of(time);
  return is_closed(range.end) && is_closed(key.set.window_with(range, rules_.max_size).end);
}

void SessionOperator::refuse(LateGroup::Why why, Micros window_end, uint32_t row) {
  late_rows_.push_back({why, window_end, row});
  ++(why == LateGroup::Why::no_base ? counters_.rows_no_base : counters_.rows_late);
}

/// Rows only come: pieces are sessions. False when the row was late.
bool SessionOperator::apply_merged(const GroupedRows& rows, KeySessions& key, Micros time, uint32_t at, Run& run) {
  const TimeRange range = rules_.range_of(time);
  const bool inside =
      run.piece != nullptr && range.start >= run.piece->range.start && range.end <= run.piece->range.end;
  if (!inside || run.begin + run.count != at) {
    finish(rows, run);
    if (is_late(key, time)) {
      refuse(LateGroup::Why::too_late, key.set.window_with(range, 0).end, rows.rows[at]);
      return false;
    }
    merge(key, range, run);
    run.begin = at;
  }
  ++run.count;
  ++counters_.rows_aggregated;
  key.touched.push_back(time);
  return true;
}

void SessionOperator::merge(KeySessions& key, const TimeRange& range, Run& run) {
  const auto [first, past] = key.set.touching(range);
  const TimeRange before = first < past ? key.set.pieces()[first].range : TimeRange{};
  for (size_t at = first; at < past; ++at) pages_.note_piece(key, key.set.pieces()[at].range);
  if (first == past) ++pieces_;
  Piece& piece = key.set.merge(
      range, [&] { return SessionRows{neutral_row()}; },
      [&](SessionRows& into, SessionRows& from) {
        owned_bytes_ -= static_cast<int64_t>(layout_.owned_bytes(from.accumulators.data()));
        owned_bytes_ += layout_.merge(into.accumulators.data(), from.accumulators.data());
        --pieces_;
      });
  if (piece.range != before || first == past) key.stale = true;
  if (piece.range.start != before.start) piece.content.noted_in = kNoTime;
  pages_.note_piece(key, piece.range);
  run.piece = &piece;
}

/// Adds the rows that were found to go to one piece.
void SessionOperator::finish(const GroupedRows& rows, Run& run) {
  if (run.count > 0) {
    const UpdateTarget target{run.piece->content.accumulators.data(), run.begin, run.count};
    owned_bytes_ += layout_.update(*rows.batch, {&target, 1}, rows.rows.data());
  }
  run = Run{};
}

/// Rows may be taken back, or sessions be cut: every time has a piece of its own.
Status SessionOperator::apply_point(const GroupedRows& rows, KeySessions& key, Micros time, uint32_t at) {
  const uint32_t row = rows.rows[at];
  const bool takes = spec_.changelog && weight_of(rows.batch->op_at(row)) < 0;
  size_t found = key.set.find(time);
  const bool is_new = found == key.set.pieces().size();
  if (is_new && is_late(key, time)) {
    refuse(LateGroup::Why::too_late, key.set.window_with(rules_.range_of(time), rules_.max_size).end, row);
    return Status::ok();
  }
  const bool has_base = !is_new && AccumulatorLayout::weight(key.set.pieces()[found].content.accumulators.data()) > 0;
  if (takes && !has_base && spec_.no_base != NoBase::delta) {
    if (spec_.no_base == NoBase::fail) {
      const std::string name = "aggregate '" + spec_.id + "', key " + codec_.describe(key.key);
      return no_base_error(name, "session that has no such row", *rows.batch, row);
    }
    refuse(LateGroup::Why::no_base, rules_.range_of(time).end, row);
    return Status::ok();
  }
  if (is_new) {
    add_point(key, time);
    found = key.set.find(time);
  }
  std::byte* accumulators = key.set.pieces()[found].content.accumulators.data();
  const UpdateTarget target{accumulators, at, 1};
  owned_bytes_ += layout_.update(*rows.batch, {&target, 1}, rows.rows.data());
  pages_.note_piece(key, key.set.pieces()[found].range);
  ++counters_.rows_aggregated;
  key.touched.push_back(time);
  if (spec_.changelog && layout_.is_neutral(accumulators)) remove_point(key, found);
  return Status::ok();
}

// Most rows change no session's bounds, or those of the last one only, before anything was given of it.
void SessionOperator::add_point(KeySessions& key, Micros time) {
  const TimeRange range = rules_.range_of(time);
  ++pieces_;
  key.set.add(range, [&] { return SessionRows{neutral_row()}; });
  if (key.stale || key.session_at(time, rules_) != nullptr) return;
  if (!key.sessions.empty()) {
    SessionRecord& last = key.sessions.back();
    const bool joins = time >= last.window.start && time <= last.window.end &&
                       (rules_.max_size == 0 || saturating_sub(time, last.window.start) <= rules_.max_size);
    if (joins && last.emission.revision == 0 && key.gone.empty()) {
      if (again_ && !last.emission.is_blank()) pages_.note_lost_record(key, last.window);
      last.window.end = range.end;
      last.noted = false;
      last.owed = last.owed || range.end > watermark_;
      return;
    }
  }
  key.stale = true;
}

void SessionOperator::remove_point(KeySessions& key, size_t at) {
  const auto& pieces = key.set.pieces();
  const Micros time = pieces[at].range.start;
  const SessionRecord* session = key.stale ? nullptr : key.session_at(time, rules_);
  const bool between = session != nullptr && time > session->window.start &&
                       pieces[at].range.end < session->window.end &&
                       touches(pieces[at - 1].range, pieces[at + 1].range);
  pages_.note_piece(key, pieces[at].range);
  drop_rows(key, at, at + 1);
  key.stale = key.stale || !between;
}

void SessionOperator::drop_rows(KeySessions& key, size_t first, size_t past) {
  for (size_t at = first; at < past; ++at) {
    owned_bytes_ -= static_cast<int64_t>(layout_.owned_bytes(key.set.pieces()[at].content.accumulators.data()));
  }
  pieces_ -= past - first;
  key.set.erase(first, past);
}

void SessionOperator::add_late(const BatchRef& batch, std::vector<LateGroup>& late) {
  const auto about = [](const LateRow& row) { return std::tuple(row.why, row.window_end); };
  std::sort(late_rows_.begin(), late_rows_.end(), [&](const LateRow& a, const LateRow& b) {
    return std::tuple(about(a), a.row) < std::tuple(about(b), b.row);
  });
  const LateRow* last = nullptr;
  for (const LateRow& row : late_rows_) {
    if (last == nullptr || about(*last) != about(row)) {
      const uint32_t missed = row.why == LateGroup::Why::no_base ? 0 : 1;
      late.push_back({spec_.operator_id, row.window_end, watermark_, batch, {}, row.why, missed});
    }
    late.back().rows.push_back(row.row);
    last = &row;
  }
}

Status SessionOperator::fire_touched(Micros wall_us, std::vector<FiredRows>& fired) {
  for (KeySessions* key : touched_) {
    key->queued = false;
    settle(*key, watermark_);
    arm(*key, wall_us);
    collect(*key, Cause::rows, wall_us);
  }
  sort_due();
  while (!due_.empty()) {
    if (Status status = write_some(fired); !status) return status;
  }
  for (KeySessions* key : touched_) {
    close(*key);
    set_timers(*key);
  }
  return Status::ok();
}

}  // namespace tidemark::core
