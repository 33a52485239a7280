// SPDX-License-Identifier: Apache-2.0
//
// MergeModel: what a valve over splits should say, computed naively: each step looks at every split again. Written
// from semantics 1.1 and the decisions of section 5, without a look at the valve, so that a fault in one shows as
// a difference to the other. One thread.
#pragma once

#include <cstdint>
#include <map>

#include "core/event_time/watermark_valve.hpp"

namespace tidemark::test {

class MergeModel {
 public:
  explicit MergeModel(core::MergeOptions options) : options_(options) {}

  void add(uint32_t split);
  void remove(uint32_t split);
  void apply(const core::SplitChange& change);
  void expect_more(bool expected);
  void advance_to(core::Micros target);
  void settle_all_idle();
  void catch_up_with(core::Micros watermark);
  /// Begins with the state that a restart gives the valve.
  void restore(const core::ValveState& state);

  core::Micros watermark() const noexcept { return watermark_; }
  bool is_idle() const noexcept { return idle_; }
  bool is_empty() const noexcept { return splits_.empty(); }
  /// Over splits that are neither idle, finished nor catching up; kEndOfTime when there is none.
  core::Micros counted_minimum() const;

 private:
  enum class State : uint8_t { counted, catching_up, idle, finished };
  struct Split {
    core::Micros watermark = core::kNoTime;
    State state = State::counted;
    bool tentative = false;
  };

  void wake(Split& split) const;
  size_t count(State state) const;
  void settle();
  void raise(core::Micros watermark);

  core::MergeOptions options_;
  std::map<uint32_t, Split> splits_;
  core::Micros watermark_ = core::kNoTime;
  bool idle_ = false;
  bool more_expected_ = false;
};

}  // namespace tidemark::test
