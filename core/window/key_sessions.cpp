// SPDX-License-Identifier: Apache-2.0
//
// settle(): sessions that kept their window keep what was given of them. Of the others each hands on to the sessions
// that have its rows now, and stays as a record if it had a result.
#include "core/window/key_sessions.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::core {
namespace {

uint32_t add_counts(uint32_t a, uint32_t b) {
  return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

}  // namespace

SessionRules::SessionRules(const AggregateSpec& spec)
    : gap(spec.window.gap_us),
      max_size(spec.window.max_size_us),
      keeps_points(spec.changelog || spec.window.max_size_us > 0),
      replaces(spec.replaces_results()) {}

SessionRecord* KeySessions::session_at(Micros time, const SessionRules& rules) {
  const auto after = std::partition_point(sessions.begin(), sessions.end(),
                                          [&](const SessionRecord& each) { return each.window.start <= time; });
  if (after == sessions.begin()) return nullptr;
  SessionRecord& found = *std::prev(after);
  return rules.range_of(time).end <= found.window.end ? &found : nullptr;
}

void KeySessions::settle(const SessionRules& rules, Micros passed) {
  if (stale) {
    std::vector<SessionRecord> old = std::exchange(sessions, {});
    for (size_t at = 0; at < set.pieces().size();) {
      const auto session = set.session_from(at, rules.max_size);
      SessionRecord& made = sessions.emplace_back();
      made.window = session.window;
      made.owed = session.window.end > passed;
      at = session.past;
    }
    std::vector<SessionRecord> unlike;
    size_t next = 0;
    for (SessionRecord& before : old) {
      while (next < sessions.size() && sessions[next].window.start < before.window.start) ++next;
      const bool same = next < sessions.size() && sessions[next].window == before.window;
      if (same) {
        sessions[next] = std::move(before);
      } else {
        unlike.push_back(std::move(before));
      }
    }
    for (SessionRecord& before : unlike) inherit(before, rules);
    for (SessionRecord& record : gone) {
      SessionRecord* again = session_at(record.window.start, rules);
      if (again == nullptr || again->window != record.window || again->emission.revision > 0) continue;
      again->emission.revision = record.emission.revision;
      again->emission.present = record.emission.present;
      again->emission.pending = again->emission.pending || record.emission.pending;
      again->emission.rows_since = add_counts(again->emission.rows_since, record.emission.rows_since);
      again->first_changed = std::min(again->first_changed, record.first_changed);
      again->changed = true;
      again->given_row = std::move(record.given_row);
      record.emission = Emission{};
    }
    std::erase_if(gone, [](const SessionRecord& record) { return record.emission.is_blank(); });
    stale = false;
  }
  for (const Micros time : touched) {
    SessionRecord* session = session_at(time, rules);
    if (session == nullptr) continue;
    session->emission.pending = true;
    session->emission.rows_since = add_counts(session->emission.rows_since, 1);
    session->first_changed = std::min(session->first_changed, time);
    session->changed = true;
  }
  touched.clear();
}

void KeySessions::inherit(SessionRecord& old, const SessionRules& rules) {
  const Micros last = saturating_sub(old.window.end, rules.gap);
  bool counted = false;
  for (SessionRecord& heir : sessions) {
    if (heir.window.start > last) break;
    if (saturating_sub(heir.window.end, rules.gap) < old.window.start) continue;
    heir.emission.pending = true;
    heir.owed = heir.owed || old.owed;
    heir.first_changed = std::min(heir.first_changed, old.emission.revision > 0 ? kNoTime : old.first_changed);
    if (!std::exchange(counted, true)) {
      heir.emission.rows_since = add_counts(heir.emission.rows_since, old.emission.rows_since);
    }
    heir.changed = true;
  }
  if (!rules.replaces || old.emission.revision == 0) {
    if (!old.emission.is_blank()) lost.push_back(old.window);
    return;
  }
  old.emission.pending = old.emission.present;
  old.emission.rows_since = 0;
  old.changed = true;
  gone.push_back(std::move(old));
}

}  // namespace tidemark::core
