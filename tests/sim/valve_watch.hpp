// SPDX-License-Identifier: Apache-2.0
//
// ValveWatch: stands between the components and their valves and split clocks while a simulated process runs. Each
// call of a valve is repeated on a MergeModel, and the two must agree; the valve's watermark must rise, and not
// above the minimum over the splits that count; all workers must hear the same of a split, in the same order; what
// a split says must follow from the rows that its script has handed on, and "idle" must be true. The calls come
// from valve_wrap.cpp, which a test program puts in their way at link time; without it the watch sees nothing.
// One thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/event_time/split_progress.hpp"
#include "core/event_time/watermark_valve.hpp"
#include "tests/sim/merge_model.hpp"

namespace tidemark::test {

/// What is true of a split, by its script and its reader. Virtual times.
struct SplitTruth {
  std::string name;
  /// The watermark after the first n steps, for every n up to those handed on. Empty: not known for this strategy.
  std::span<const core::Micros> watermarks{};
  core::Micros idle_timeout_us = 0;
  bool all_handed_on = false;  ///< the whole script, and its end
  bool marked_idle = false;    ///< by the source
  /// From when rows or marks were last handed on, in this process, until now, and until what its reader could see
  /// as unread when it was last polled came; none: nothing was handed on, or is unread.
  std::optional<core::Micros> silent_us{};
  std::optional<core::Micros> unread_after_us{};
};

class ValveWatch {
 public:
  /// Whose components run now; the wrapped calls are told to it. Null: nobody's.
  static inline ValveWatch* current = nullptr;

  /// A new process: its valves begin anew.
  void begin(core::MergeOptions options, std::function<SplitTruth(uint32_t split)> truth);

  void added(const void* valve, uint32_t split, const core::WatermarkOutput& out,
             const core::StatusWatermarkValve& after);
  void removed(const void* valve, uint32_t split, const core::WatermarkOutput& out,
               const core::StatusWatermarkValve& after);
  void applied(const void* valve, const core::SplitChange& change, const core::WatermarkOutput& out,
               const core::StatusWatermarkValve& after);
  void expects_more(const void* valve, bool expected, const core::WatermarkOutput& out,
                    const core::StatusWatermarkValve& after);
  void advanced(const void* valve, core::Micros target, const core::WatermarkOutput& out,
                const core::StatusWatermarkValve& after);
  void settled(const void* valve, const core::WatermarkOutput& out, const core::StatusWatermarkValve& after);
  void caught_up(const void* valve, core::Micros watermark, const core::WatermarkOutput& out,
                 const core::StatusWatermarkValve& after);
  void restored(const void* valve, const core::ValveState& state);
  /// A tick of the split's clock said this.
  void ticked(const core::SplitChange& change);

  /// First breach; empty = none.
  const std::string& violation() const noexcept { return violation_; }
  /// The least watermark of all valves that have splits; kEndOfTime without any.
  core::Micros least_watermark() const;
  uint64_t calls() const noexcept { return calls_; }
  /// Of all calls and what they gave: equal runs have equal hashes.
  uint64_t trace() const noexcept { return trace_; }

 private:
  struct Valve {
    explicit Valve(core::MergeOptions options) : model(options) {}
    MergeModel model;
    core::Micros watermark = core::kNoTime;
    std::map<uint32_t, size_t> heard;  // of said_, by split
  };

  Valve& valve_at(const void* valve);
  void compare(Valve& valve, const core::WatermarkOutput& out, const core::StatusWatermarkValve& after,
               const std::string& call);
  void check_said(Valve& valve, const core::SplitChange& change);
  void check_truth(const core::SplitChange& change);
  core::Micros furthest() const;
  void fail(const std::string& what);
  void mix(uint64_t value);

  core::MergeOptions options_;
  std::function<SplitTruth(uint32_t split)> truth_;
  std::map<const void*, Valve> valves_;
  std::map<uint32_t, std::vector<core::SplitChange>> said_;  // by split, as the first worker heard it
  std::string violation_;
  uint64_t calls_ = 0;
  uint64_t trace_ = 0xcbf29ce484222325ULL;
};

}  // namespace tidemark::test
