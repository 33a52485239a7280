// SPDX-License-Identifier: Apache-2.0
//
// See the header. Decision numbers are those of semantics section 5.
#include "core/event_time/split_progress.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tidemark::core {

namespace {

std::optional<IdleTimer> timer_of(const SplitProgressOptions& options) {
  if (options.idle_timeout_us <= 0) return std::nullopt;
  return IdleTimer::create(options.idle_timeout_us).value();
}

}  // namespace

SplitProgress::SplitProgress(uint32_t split, const SplitProgressOptions& options, Micros now)
    : SplitProgress(split, options, make_watermark_generator(options.strategy), now) {}

SplitProgress::SplitProgress(uint32_t split, const SplitProgressOptions& options,
                             std::unique_ptr<WatermarkGenerator> generator, Micros now)
    : split_(split),
      generator_(std::move(generator), timer_of(options)),
      last_tick_(now),
      last_activity_(now),
      times_(now),
      arrivals_(options.emit_interval_us) {}

Micros SplitProgress::probe_interval_us() const noexcept {
  return generator_.timer() ? generator_.timer()->probe_interval_us() : kEndOfTime;
}

// The idle clock: since the last tick it has moved by what that tick's reading and the probe interval allow.
Micros SplitProgress::clock_now(Micros now) const noexcept {
  const Micros gap = now - last_tick_;
  const Micros counted = held() ? 0 : std::min(gap, probe_interval_us());
  return clock_.now(now) - (gap - counted);
}

void SplitProgress::touch(Micros now) {
  idle_by_source_ = false;
  disconnected_ = false;
  looks_again_ = false;
  generator_.on_activity();
  last_activity_ = clock_now(now);
}

SplitState SplitProgress::derived_state() const noexcept {
  if (finished_) return SplitState::finished;
  if (disconnected_) return SplitState::active;
  return idle_by_source_ || generator_.is_idle() ? SplitState::idle : SplitState::active;
}

// The state for people: one of the reader's where the split counts as active.
SplitState SplitProgress::shown_state() const noexcept {
  if (is_disconnected()) return SplitState::disconnected;
  if (state_ != SplitState::active) return state_;
  if (looks_again_) return SplitState::idle;
  if (reading_.paused) return SplitState::paused;
  return reading_.blocked ? SplitState::blocked : SplitState::active;
}

std::optional<SplitChange> SplitProgress::publish(Micros now) {
  const SplitState state = derived_state();
  Micros watermark = watermark_;
  if (state == SplitState::active) {
    watermark = std::max({watermark_, progress_, std::min(generator_.inner().periodic(), kEndOfTime - 1)});
  }
  looks_again_ = looks_again_ && state == SplitState::active;
  const bool changed = state != state_ || watermark != watermark_ || looks_again_ != said_tentative_;
  said_tentative_ = looks_again_;
  state_ = state;
  watermark_ = watermark;
  times_.enter(shown_state(), now);
  if (!changed) return std::nullopt;
  return current();
}

std::optional<SplitChange> SplitProgress::before_batch(Micros now) {
  if (finished_ || (state_ != SplitState::idle && !looks_again_)) return std::nullopt;
  touch(now);
  state_ = SplitState::active;
  said_tentative_ = false;
  times_.enter(shown_state(), now);
  return current();
}

std::optional<SplitChange> SplitProgress::on_batch(const RowTimes& rows, Micros now) {
  if (finished_ || rows.event_times.empty()) return std::nullopt;
  generator_.on_batch(rows);
  max_event_time_ = std::max(max_event_time_, rows.latest);
  rows_came_ = true;
  touch(now);
  arrivals_.on_rows(rows.event_times.size(), clock_now(now), reading_.has_unread);
  return publish(now);
}

std::optional<SplitChange> SplitProgress::on_source_watermark(Micros watermark, Micros now) {
  if (finished_) return std::nullopt;
  const Micros before = generator_.inner().periodic();
  generator_.inner().on_source_watermark(watermark);
  if (generator_.inner().periodic() <= before) return std::nullopt;
  rows_came_ = false;
  touch(now);
  return publish(now);
}

std::optional<SplitChange> SplitProgress::on_progress(Micros time, Micros now) {
  const Micros watermark = saturating_sub(time, 1);
  // What repeats itself proves nothing new and must not keep a split from going idle.
  if (finished_ || watermark <= progress_) return std::nullopt;
  progress_ = watermark;
  rows_came_ = false;
  touch(now);
  return publish(now);
}

std::optional<SplitChange> SplitProgress::set_idle(bool idle, Micros now) {
  if (finished_) return std::nullopt;
  if (idle) {
    idle_by_source_ = true;
  } else {
    touch(now);
  }
  return publish(now);
}

std::optional<SplitChange> SplitProgress::set_disconnected(std::string reason, Micros now) {
  if (finished_) return std::nullopt;
  disconnected_reason_ = std::move(reason);
  if (!disconnected_) {
    disconnected_ = lost_since_tick_ = true;
    idle_by_source_ = false;
    generator_.on_activity();  // what it knew of its silence before says nothing about the time after
  }
  return publish(now);
}

std::optional<SplitChange> SplitProgress::set_connected(Micros now) {
  if (finished_ || !disconnected_) return std::nullopt;
  disconnected_ = false;
  return publish(now);
}

std::optional<SplitChange> SplitProgress::tick(Micros now, SplitReading reading) {
  if (finished_) return std::nullopt;
  const bool held = reading.held() || disconnected_ || this->held();  // before and after: the span between was not free
  const Micros gap = now - last_tick_;
  clock_.exclude(held ? gap : gap - std::min(gap, probe_interval_us()));
  last_tick_ = now;
  reading_ = reading;
  lost_since_tick_ = disconnected_;
  last_activity_ = std::min(last_activity_, clock_now(now));  // the span since then may just have been taken out
  if (reading.has_unread && generator_.is_idle()) {
    generator_.reconsider();
    looks_again_ = true;
  }
  if (!reading.held() && !disconnected_ && !reading.turn_pending) generator_.periodic(clock_now(now));
  return publish(now);
}

bool SplitProgress::idle_is_due(Micros now) const noexcept {
  const auto& timer = generator_.timer();
  return timer && !generator_.is_idle() && timer->silent_us(clock_now(now)) > timer->timeout_us();
}

std::optional<SplitChange> SplitProgress::finish(Micros now) {
  finished_ = true;
  return publish(now);
}

std::string SplitProgress::reason(const SplitStatus& status) const {
  if (finished_) return "end of input";
  if (disconnected_) return disconnected_reason_;
  if (state_ == SplitState::idle) return idle_reason(status);
  if (reading_.paused) return "held back by alignment";
  if (reading_.blocked) return "waits for what is downstream";
  if (reading_.has_unread) return kHasDataToRead;
  if (!rows_came_ && progress_ != kNoTime && progress_ >= watermark_) {
    return "no rows, but the source knows that nothing before " + format_rfc3339(progress_ + 1) + " is to come";
  }
  return watermark_ == kNoTime ? "has not given a watermark yet" : "waits for rows";
}

SplitStatus SplitProgress::status(Micros now) const {
  SplitStatus out;
  out.split = split_;
  out.watermark = watermark_;
  out.max_event_time = max_event_time_;
  out.last_activity_age_us = clock_now(now) - last_activity_;
  out.state = shown_state();
  out.times = times_.snapshot(now);
  out.known_progress = progress_ == kNoTime ? kNoTime : progress_ + 1;
  out.idle_timeout_us = generator_.timer() ? generator_.timer()->timeout_us() : 0;
  out.idle_by_source = idle_by_source_;
  out.flapping = out.times.flaps(out.idle_timeout_us);
  out.arrivals = summarise(arrivals_.state());
  out.reason = reason(out);
  return out;
}

SplitProgressState SplitProgress::snapshot(Micros now) const {
  SplitProgressState out;
  out.watermark = watermark_;
  out.generator = generator_.inner().snapshot();
  out.progress = progress_;
  out.max_event_time = max_event_time_;
  out.silent_us = generator_.timer() ? generator_.timer()->silent_us(clock_now(now)) : 0;
  out.activity_age_us = clock_now(now) - last_activity_;
  out.idle = generator_.is_idle();
  out.idle_by_source = idle_by_source_;
  out.finished = finished_;
  out.times = times_.snapshot(now);
  out.arrivals = arrivals_.state();
  return out;
}

void SplitProgress::restore(const SplitProgressState& state, Micros now) {
  clock_ = PausableClock();
  reading_ = SplitReading();
  disconnected_ = lost_since_tick_ = looks_again_ = said_tentative_ = false;
  last_tick_ = now;
  generator_.restore(now, state.generator, state.silent_us, state.idle);
  last_activity_ = now - state.activity_age_us;
  max_event_time_ = state.max_event_time;
  progress_ = state.progress;
  watermark_ = state.watermark;
  idle_by_source_ = state.idle_by_source;
  finished_ = state.finished;
  state_ = derived_state();
  times_.restore(state.times, now);
  times_.enter(shown_state(), now);
  arrivals_.restore(state.arrivals);
}

}  // namespace tidemark::core
