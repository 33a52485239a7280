// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/sim/valve_watch.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::test {

using core::Micros;
using core::SplitChange;
using core::SplitState;
using core::StatusWatermarkValve;
using core::WatermarkOutput;

namespace {

const std::string kCatchUp = "catch up with ";

std::string text(Micros time) {
  return time == core::kNoTime ? "none" : std::to_string(time);
}

std::string text(const SplitChange& change) {
  return "split " + std::to_string(change.split) + " " + core::state_word(change.state) + " " + text(change.watermark);
}

}  // namespace

void ValveWatch::begin(core::MergeOptions options, std::function<SplitTruth(uint32_t split)> truth) {
  options_ = options;
  truth_ = std::move(truth);
  valves_.clear();
  said_.clear();
}

void ValveWatch::fail(const std::string& what) {
  if (violation_.empty()) violation_ = what;
}

void ValveWatch::mix(uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) trace_ = (trace_ ^ ((value >> (8 * byte)) & 0xff)) * 0x100000001b3ULL;
}

ValveWatch::Valve& ValveWatch::valve_at(const void* valve) {
  ++calls_;
  return valves_.try_emplace(valve, options_).first->second;
}

Micros ValveWatch::furthest() const {
  Micros most = core::kNoTime;
  for (const auto& [at, valve] : valves_) most = std::max(most, valve.watermark);
  return most;
}

void ValveWatch::compare(Valve& valve, const WatermarkOutput& out, const StatusWatermarkValve& after,
                         const std::string& call) {
  const Micros now = after.watermark();
  mix(static_cast<uint64_t>(now));
  const std::optional<Micros> rose = now == valve.watermark ? std::nullopt : std::optional(now);
  if (out.watermark != rose) fail(call + ": a valve gives another watermark than it has");
  if (now < valve.watermark) fail(call + ": a valve's watermark fell from " + text(valve.watermark));
  // What another valve had reached was right there, before the split that is lower here woke up.
  const bool reached_elsewhere = call.starts_with(kCatchUp) && now <= furthest();
  if (now > valve.watermark && !reached_elsewhere && !valve.model.is_idle() && now > valve.model.counted_minimum()) {
    fail(call + ": a valve gives " + text(now) + ", above the minimum " + text(valve.model.counted_minimum()));
  }
  if (now != valve.model.watermark())
    fail(call + ": a valve gives " + text(now) + ", not " + text(valve.model.watermark()));
  if ((after.status() == core::StreamStatus::idle) != valve.model.is_idle()) fail(call + ": a valve's status is wrong");
  valve.watermark = now;
}

void ValveWatch::added(const void* at, uint32_t split, const WatermarkOutput& out, const StatusWatermarkValve& after) {
  Valve& valve = valve_at(at);
  valve.model.add(split);
  compare(valve, out, after, "split " + std::to_string(split) + " added");
}

void ValveWatch::removed(const void* at, uint32_t split, const WatermarkOutput& out,
                         const StatusWatermarkValve& after) {
  Valve& valve = valve_at(at);
  valve.model.remove(split);
  compare(valve, out, after, "split " + std::to_string(split) + " removed");
}

void ValveWatch::applied(const void* at, const SplitChange& change, const WatermarkOutput& out,
                         const StatusWatermarkValve& after) {
  Valve& valve = valve_at(at);
  mix(change.split);
  mix(static_cast<uint64_t>(change.watermark));
  mix(static_cast<uint64_t>(change.state));
  check_said(valve, change);
  valve.model.apply(change);
  compare(valve, out, after, text(change));
}

void ValveWatch::expects_more(const void* at, bool expected, const WatermarkOutput& out,
                              const StatusWatermarkValve& after) {
  Valve& valve = valve_at(at);
  valve.model.expect_more(expected);
  compare(valve, out, after, expected ? "more splits expected" : "no more splits");
}

void ValveWatch::advanced(const void* at, Micros target, const WatermarkOutput& out,
                          const StatusWatermarkValve& after) {
  Valve& valve = valve_at(at);
  valve.model.advance_to(target);
  compare(valve, out, after, "advance to " + text(target));
}

void ValveWatch::settled(const void* at, const WatermarkOutput& out, const StatusWatermarkValve& after) {
  Valve& valve = valve_at(at);
  valve.model.settle_all_idle();
  compare(valve, out, after, "settle all idle");
}

void ValveWatch::caught_up(const void* at, Micros watermark, const WatermarkOutput& out,
                           const StatusWatermarkValve& after) {
  Valve& valve = valve_at(at);
  valve.model.catch_up_with(watermark);
  compare(valve, out, after, kCatchUp + text(watermark));
}

void ValveWatch::restored(const void* at, const core::ValveState& state) {
  Valve& valve = valve_at(at);
  valve.model.restore(state);
  valve.watermark = state.watermark;
}

Micros ValveWatch::least_watermark() const {
  Micros least = core::kEndOfTime;
  for (const auto& [at, valve] : valves_) {
    if (!valve.model.is_empty()) least = std::min(least, valve.watermark);
  }
  return least;
}

// The first valve that hears of a change sets what all others have to hear.
void ValveWatch::check_said(Valve& valve, const SplitChange& change) {
  std::vector<SplitChange>& said = said_[change.split];
  size_t& heard = valve.heard[change.split];
  if (heard < said.size()) {
    if (said[heard] != change) fail("two workers hear " + text(change) + " and " + text(said[heard]));
    ++heard;
    return;
  }
  if (!said.empty()) {
    const SplitChange& before = said.back();
    if (change == before) fail(text(change) + " is said twice");
    if (change.watermark < before.watermark) fail(text(change) + ": it was at " + text(before.watermark));
    if (before.state == SplitState::finished) fail(text(change) + " comes after its end");
  }
  check_truth(change);
  said.push_back(change);
  ++heard;
}

void ValveWatch::check_truth(const SplitChange& change) {
  const SplitTruth truth = truth_(change.split);
  if (!truth.watermarks.empty() &&
      !std::binary_search(truth.watermarks.begin(), truth.watermarks.end(), change.watermark)) {
    fail(text(change) + ": the rows of " + truth.name + " do not give that, the newest give " +
         text(truth.watermarks.back()));
  }
  if (change.state == SplitState::finished && !truth.all_handed_on) fail(text(change) + ": there is more to come");
}

void ValveWatch::ticked(const SplitChange& change) {
  if (change.state != SplitState::idle) return;
  const SplitTruth truth = truth_(change.split);
  if (truth.marked_idle) return;
  if (truth.idle_timeout_us == 0) return fail(text(change) + ": it has no timeout");
  // What came within the timeout and waits for its turn. (What comes later may find the split idle.)
  if (truth.unread_after_us && *truth.unread_after_us <= truth.idle_timeout_us) {
    fail(text(change) + ": it has unread rows since " + text(*truth.unread_after_us) + "us (decision 7)");
  }
  if (truth.silent_us && *truth.silent_us < truth.idle_timeout_us) {
    fail(text(change) + ": it was silent for " + text(*truth.silent_us) + "us alone");
  }
}

}  // namespace tidemark::test
