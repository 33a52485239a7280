// SPDX-License-Identifier: Apache-2.0
//
// SessionOperator: what is due, and giving it. A session is in one of two phases: before its end has passed the early
// rule holds, afterwards the late one; in between stands its one result on time. Restoring is here too, since it says
// what has been given.
#include <algorithm>
#include <tuple>

#include "core/window/firing_interval.hpp"
#include "core/window/session_operator.hpp"

namespace tidemark::core {

void SessionOperator::move_watermark(Micros watermark) {
  TIDEMARK_DCHECK(!is_firing());
  settle_restored();
  if (watermark < watermark_ || (by_processing_time() && watermark != kEndOfTime)) return;
  moves_.push_back({.to = watermark});
}

void SessionOperator::move_clock(Micros wall_us) {
  settle_restored();
  moves_.push_back({.cause = Cause::clock, .to = wall_us});
  follow_clock(wall_us);
}

Micros SessionOperator::complete() const {
  const Micros passed = overdue_ ? kNoTime : watermark_ == kEndOfTime ? kEndOfTime : saturating_sub(watermark_, 1);
  return is_firing() && moves_.back().is_begun ? moves_.back().complete : passed;
}

Status SessionOperator::fire_step(std::vector<FiredRows>& fired) {
  Move& move = moves_.back();
  if (!move.is_begun) begin(move);
  if (!due_.empty()) return write_some(fired);
  end(move);
  moves_.pop_back();
  return Status::ok();
}

Micros SessionOperator::next_tick_us() const {
  Micros next = wall_timers_.empty() ? kEndOfTime : wall_timers_.begin()->first;
  if (by_processing_time() && !event_timers_.empty()) next = std::min(next, event_timers_.begin()->first);
  return next;
}

// Every batch is told of here, so no session begins after the watermark.
bool SessionOperator::is_ahead_of(Micros wall_us) const {
  return by_processing_time() && watermark_ != kEndOfTime && watermark_ > saturating_add(wall_us, kClockBackMax);
}

/// By processing time: as far as the clock is, and back with it where it was wrong.
void SessionOperator::follow_clock(Micros wall_us) {
  if (!by_processing_time()) return;
  if (is_ahead_of(wall_us)) {
    moves_.push_back({.to = kEndOfTime - 1, .back_to = wall_us});
  } else if (wall_us > watermark_) {
    moves_.push_back({.to = wall_us});
  }
}

void SessionOperator::begin(Move& move) {
  move.complete = complete();
  move.is_begun = true;
  if (move.cause == Cause::clock) {
    move.keys = take_due(wall_timers_, move.to);
    for (KeySessions* key : move.keys) {
      key->wall_timer.reset();
      collect(*key, Cause::clock, move.to);
      key->next_wall_fire = kEndOfTime;
    }
  } else {
    watermark_ = move.to;
    move.keys = take_due(event_timers_, move.to);
    for (KeySessions* key : move.keys) {
      key->event_timer.reset();
      collect(*key, Cause::watermark, move.to);
      if (key->next_event_fire <= move.to) key->next_event_fire = kEndOfTime;
    }
  }
  sort_due();
}

void SessionOperator::end(const Move& move) {
  for (KeySessions* key : move.keys) {
    if (move.cause == Cause::watermark) close(*key);
    set_timers(*key);
  }
  if (move.back_to) watermark_ = *move.back_to;
  if (move.cause == Cause::watermark) overdue_ = false;
}

std::vector<KeySessions*> SessionOperator::take_due(Timers& timers, Micros now) {
  std::vector<KeySessions*> out;
  while (!timers.empty() && timers.begin()->first <= now) {
    out.push_back(timers.begin()->second);
    timers.erase(timers.begin());
  }
  return out;
}

const Firing& SessionOperator::rule_of(const SessionRecord& record) const {
  return record.window.end <= watermark_ ? spec_.emit.late : spec_.emit.early;
}

/// By the rules; a result on time is not looked at here.
bool SessionOperator::is_due(const KeySessions& key, const SessionRecord& record, Cause cause, Micros now) const {
  if (!record.emission.pending) return false;
  const Firing& rule = rule_of(record);
  switch (rule.rule) {
    case FiringRule::never:
      return false;
    case FiringRule::on_update:
      return true;
    case FiringRule::count:
      if (record.emission.rows_since >= rule.count) return true;
      break;
    case FiringRule::every:
      if (cause == Cause::watermark && rule.event_time && key.next_event_fire <= now) return true;
      if (cause == Cause::clock && !rule.event_time && key.next_wall_fire <= now) return true;
      break;
  }
  return is_closed(record.window.end);  // what no interval or count has shown yet, before it is forgotten
}

void SessionOperator::collect(KeySessions& key, Cause cause, Micros now) {
  const size_t before = due_.size();
  for (SessionRecord& session : key.sessions) {
    const bool has_ended = session.window.end <= watermark_;
    if (has_ended && session.owed) {
      due_.push_back({&key, &session, FiringKind::on_time, false});
    } else if (again_ && is_due(key, session, cause, now)) {
      due_.push_back({&key, &session, has_ended ? FiringKind::late : FiringKind::early, false});
    }
  }
  const bool gives = due_.size() > before;
  for (SessionRecord& record : key.gone) {
    const bool has_ended = record.window.end <= watermark_;
    if (has_ended && !record.emission.present) record.owed = false;
    if (!record.emission.present) continue;
    if (!gives && !(has_ended && record.owed) && !is_due(key, record, cause, now)) continue;
    due_.push_back({&key, &record, has_ended ? FiringKind::late : FiringKind::early, true});
  }
}

/// Intervals begin to count with the first change.
void SessionOperator::arm(KeySessions& key, Micros wall_us) {
  if (!again_) return;
  const auto look = [&](const SessionRecord& record) {
    const Firing& rule = rule_of(record);
    if (rule.rule != FiringRule::every || !record.emission.pending) return;
    if (rule.event_time) {
      const Micros first = record.first_changed < kEndOfTime ? record.first_changed : record.window.start;
      const Micros next = next_event_firing(watermark_, first, record.emission.revision > 0, rule.interval_us);
      key.next_event_fire = std::min(key.next_event_fire, next);
    } else {
      key.next_wall_fire = std::min(key.next_wall_fire, next_multiple(wall_us, rule.interval_us));
    }
  };
  for (const SessionRecord& session : key.sessions) look(session);
  for (const SessionRecord& record : key.gone) look(record);
}

void SessionOperator::sort_due() {
  std::sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
    const auto order = [](const Due& due) {
      return std::tuple(due.record->window.end, std::string_view(due.key->key), due.record->window.start);
    };
    return order(a) < order(b);
  });
}

/// A batch of what is due, of one kind.
Status SessionOperator::write_some(std::vector<FiredRows>& fired) {
  size_t end = next_due_ + 1;
  while (end < due_.size() && end - next_due_ < kBatchRows && due_[end].kind == due_[next_due_].kind) ++end;
  Status status = write(std::span(due_).subspan(next_due_, end - next_due_), fired);
  next_due_ = end;
  if (status && end < due_.size()) return status;
  due_.clear();
  next_due_ = 0;
  return status;
}

Status SessionOperator::write(std::span<const Due> due, std::vector<FiredRows>& fired) {
  groups_.clear();
  merged_.clear();
  merged_.reserve(due.size());
  for (const Due& each : due) {
    DueGroup group{each.record->window, each.key->key, nullptr, again_ ? &each.record->emission : nullptr,
                   keeps_rows_ ? &each.record->given_row : nullptr};
    if (!each.is_gone) {
      const auto session = each.key->set.session_from(each.key->set.find(group.window.start), rules_.max_size);
      TIDEMARK_DCHECK(session.window == group.window);
      group.accumulators = each.key->set.pieces()[session.first].content.accumulators.data();
      if (session.past - session.first > 1) {
        AccumulatorRow& sum = merged_.emplace_back(layout_);
        for (size_t at = session.first; at < session.past; ++at) {
          layout_.merge(sum.data(), each.key->set.pieces()[at].content.accumulators.data());
        }
        group.accumulators = sum.data();
      }
    }
    groups_.push_back(group);
  }
  ResultWriter::Counts counts;
  if (Status status = writer_->write(groups_, due.front().kind, fired, counts); !status) return status;
  counters_.results += counts.results;
  counters_.groups_without_base += counts.groups_without_base;
  for (const Due& each : due) note_given(each);
  return Status::ok();
}

void SessionOperator::note_given(const Due& due) {
  SessionRecord& record = *due.record;
  record.first_changed = kEndOfTime;
  if (due.kind == FiringKind::on_time) ++counters_.panes_fired;
  if (record.window.end <= watermark_) record.owed = false;
  if (!again_) return;
  pages_.note_record(*due.key, record);
  if (!spec_.emit.purge || due.is_gone || !record.emission.present) return;
  record.emission.present = false;  // what comes next stands beside it, and replaces nothing
  auto& pieces = due.key->set.pieces();
  const auto session = due.key->set.session_from(due.key->set.find(record.window.start), rules_.max_size);
  for (size_t at = session.first; at < session.past; ++at) {
    AccumulatorRow& row = pieces[at].content.accumulators;
    owned_bytes_ -= static_cast<int64_t>(layout_.owned_bytes(row.data()));
    row.clear();
    pages_.note_piece(*due.key, pieces[at].range);
  }
}

/// Forgets sessions and records whose cleanup time has passed.
void SessionOperator::close(KeySessions& key) {
  for (const SessionRecord& session : key.sessions) {
    if (!is_closed(session.window.end)) continue;
    const auto rows = key.set.session_from(key.set.find(session.window.start), rules_.max_size);
    for (size_t at = rows.first; at < rows.past; ++at) pages_.note_piece(key, key.set.pieces()[at].range);
    drop_rows(key, rows.first, rows.past);
  }
  for (std::vector<SessionRecord>* records : {&key.sessions, &key.gone}) {
    std::erase_if(*records, [&](const SessionRecord& record) {
      const bool closed = is_closed(record.window.end) && !(records == &key.gone && is_part_of_another(key, record));
      if (closed && again_ && !record.emission.is_blank()) pages_.note_lost_record(key, record.window);
      return closed;
    });
  }
  if (!key.is_empty()) return;
  key.next_event_fire = kEndOfTime;
  key.next_wall_fire = kEndOfTime;
  forgotten_.push_back(&key);
}

/// It stands for rows of a session that is there, which may still give its own, or lose rows and be this window again.
bool SessionOperator::is_part_of_another(const KeySessions& key, const SessionRecord& record) {
  return std::any_of(key.sessions.begin(), key.sessions.end(),
                     [&](const SessionRecord& session) { return touches(session.window, record.window); });
}

void SessionOperator::settle(KeySessions& key, Micros passed) {
  key.settle(rules_, passed);
  for (std::vector<SessionRecord>* records : {&key.sessions, &key.gone}) {
    for (SessionRecord& record : *records) {
      if (std::exchange(record.changed, false)) pages_.note_record(key, record);
    }
  }
  for (const TimeRange& window : key.lost) {
    if (again_) pages_.note_lost_record(key, window);
  }
  key.lost.clear();
}

void SessionOperator::set_timers(KeySessions& key) {
  std::optional<Micros> next;
  const auto at = [&](Micros time) { next = std::min(next.value_or(kEndOfTime), time); };
  for (const std::vector<SessionRecord>* records : {&key.sessions, &key.gone}) {
    for (const SessionRecord& record : *records) {
      if (record.owed) at(record.window.end);
      if (!is_closed(record.window.end)) at(cleanup_of(record.window.end));
    }
  }
  if (key.next_event_fire < kEndOfTime) at(key.next_event_fire);
  set_timer(event_timers_, key.event_timer, next, key);
  next.reset();
  if (key.next_wall_fire < kEndOfTime) next = key.next_wall_fire;
  set_timer(wall_timers_, key.wall_timer, next, key);
}

// A timer may come early: sessions mostly grow, and then it is not moved with every row.
void SessionOperator::set_timer(Timers& timers, std::optional<Micros>& at, std::optional<Micros> to, KeySessions& key) {
  if (at == to || (at && to && *at < *to)) return;
  if (at) timers.erase({*at, &key});
  if (to) timers.insert({*to, &key});
  at = to;
}

void SessionOperator::seal(const std::function<void(const PaneChange&)>& visit) {
  settle_restored();
  pages_.seal(visit);
  std::sort(forgotten_.begin(), forgotten_.end());
  forgotten_.erase(std::unique(forgotten_.begin(), forgotten_.end()), forgotten_.end());
  for (const KeySessions* key : forgotten_) {
    if (key->is_empty()) keys_.erase(KeyName{key->hash, key->key});
  }
  forgotten_.clear();
}

void SessionOperator::restore_watermark(Micros watermark, const FiredByGroup& fired) {
  watermark_ = watermark;
  restored_fired_ = fired;
}

Status SessionOperator::restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) {
  const auto context = [&](const Status& status) {
    return status.with_context("aggregate '" + spec_.id + "', sessions ending up to " + format_rfc3339(pane_end));
  };
  const auto id = SessionPages::parse(key);
  if (!id || !codec_.is_valid(id->key)) {
    return context(
        Status(Code::damage, "a stored key does not fit the aggregate; the state is damaged or of another job"));
  }
  KeySessions& sessions = key_at(hash_bytes(id->key), id->key);
  if (!sessions.queued) restored_.push_back(&sessions);
  sessions.queued = true;
  sessions.stale = true;
  const Status status = pages_.restore(sessions, pane_end, *id, entry);
  return status ? status : context(status);
}

// Sessions are read off all their pieces, so not before the last entry has come.
void SessionOperator::settle_restored() {
  for (KeySessions* key : restored_) {
    key->queued = false;
    const Micros fired = restored_fired_[key->key_group()];
    settle(*key, fired);
    pages_.list(*key);
    for (SessionRecord& record : key->gone) record.owed = record.emission.present && record.window.end > fired;
    for (const Piece& piece : key->set.pieces()) {
      owned_bytes_ += static_cast<int64_t>(layout_.owned_bytes(piece.content.accumulators.data()));
    }
    pieces_ += key->set.pieces().size();
    for (const SessionRecord& record : key->sessions) {
      overdue_ = overdue_ || (record.owed && record.window.end <= watermark_);
    }
    arm(*key, kNoTime);  // at the first tick
    if (key->is_empty()) forgotten_.push_back(key);
    set_timers(*key);
  }
  restored_.clear();
}

std::vector<Micros> SessionOperator::open_windows() const {
  std::vector<Micros> out;
  for (const auto& [name, key] : keys_) {
    for (const SessionRecord& session : key->sessions) {
      if (session.owed) out.push_back(session.window.end);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

size_t SessionOperator::memory_bytes() const {
  constexpr size_t kPerKey = sizeof(KeySessions) + 160;  // its places in the table and the timers
  constexpr size_t kPerPiece = sizeof(Piece) + sizeof(SessionRecord);
  return sizeof *this + static_cast<size_t>(owned_bytes_) + keys_.size() * kPerKey +
         pieces_ * (kPerPiece + layout_.width()) + pages_.memory_bytes();
}

}  // namespace tidemark::core
