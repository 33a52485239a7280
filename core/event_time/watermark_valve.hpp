// SPDX-License-Identifier: Apache-2.0
//
// StatusWatermarkValve: merges the watermarks of splits ("channels") into one, after Flink's class of that name at
// level F24 (semantics 1.1), with channels that come and go and with the decisions of semantics section 5. One
// valve stands at each worker; all see the same changes, so all give the same watermark.
//
// Invariants: output watermarks strictly increase; kNoTime is never given; the output is idle exactly while no
// channel is active (and the input has not ended); a finished channel never lifts the watermark (decision 4);
// kEndOfTime comes from "every channel finished" or from all_idle = end_of_time alone. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.hpp"
#include "core/event_time/merge_options.hpp"
#include "core/event_time/minimum_heap.hpp"
#include "core/event_time/split_change.hpp"
#include "core/event_time/stream_status.hpp"

namespace tidemark::core {

enum class ChannelStatus : uint8_t { absent, active, idle, finished, removed };

/// One channel, as restored and as shown. `aligned`: takes part in the minimum (active channels only).
struct ValveChannel {
  uint32_t id = 0;
  Micros watermark = kNoTime;
  ChannelStatus status = ChannelStatus::absent;
  bool aligned = false;
  bool tentative = false;  ///< SplitChange::tentative

  friend bool operator==(const ValveChannel&, const ValveChannel&) = default;
};

/// All that a checkpoint keeps of a valve (decision 9). Channels ascend by id; removed ones are left out.
struct ValveState {
  Micros watermark = kNoTime;
  bool idle = false;
  bool more_expected = false;
  std::vector<ValveChannel> channels;

  friend bool operator==(const ValveState&, const ValveState&) = default;
};

class StatusWatermarkValve {
 public:
  explicit StatusWatermarkValve(MergeOptions options = {}) : options_(options) {}

  /// The watermark of all_idle = flush or end_of_time is not given when the last channel turns idle, but by
  /// settle_all_idle(): for an owner that hears of channels in several queues, where "the last" may be out of date.
  void postpone_all_idle() noexcept { postponed_ = true; }
  /// What the policy makes of an idle output.
  WatermarkOutput settle_all_idle();
  /// Takes the watermark of another valve over the same channels, which heard of their changes in another order.
  WatermarkOutput catch_up_with(Micros watermark);

  /// A new active channel that has said nothing yet, or one that returns after it finished or was removed. It
  /// joins by on_resume and makes an idle output active. The id must not be live; ids are small and dense.
  WatermarkOutput add_channel(uint32_t id);
  /// The channel has no more rows, ever: it leaves the minimum. When all are finished the output is kEndOfTime.
  WatermarkOutput finish_channel(uint32_t id);
  /// The channel is gone (released, reassigned): it leaves the minimum and does not count as finished.
  WatermarkOutput remove_channel(uint32_t id);

  /// Ignored for channels that are idle, finished or removed. kEndOfTime finishes the channel (decision 4; with
  /// bare Flink rules it is a watermark like any other).
  WatermarkOutput input_watermark(uint32_t id, Micros watermark);
  /// A status equal to the channel's does nothing.
  WatermarkOutput input_status(uint32_t id, StreamStatus status);
  /// One lane entry: wakes, then watermark, then idle or finished.
  WatermarkOutput apply(const SplitChange& change);

  /// While more channels are expected (a source that still discovers), "all finished" means idle, not the end.
  WatermarkOutput expect_more_channels(bool expected);
  /// all_idle = advance: moves an idle output to `target` (the owner's clock minus the lag). Else nothing.
  WatermarkOutput advance_idle_to(Micros target);

  /// The last output watermark, kNoTime before the first.
  Micros watermark() const noexcept { return watermark_; }
  StreamStatus status() const noexcept { return idle_ ? StreamStatus::idle : StreamStatus::active; }
  /// The channel that holds the minimum (ties: the lowest id). Empty when none takes part: all are idle, finished
  /// or still catching up.
  std::optional<uint32_t> holder() const noexcept;
  /// Active channels that are behind the output and not in the minimum (on_resume = catch_up).
  uint32_t catching_up_count() const noexcept;
  /// A channel as it stands; status absent when the id was never added.
  ValveChannel channel(uint32_t id) const noexcept;

  ValveState snapshot() const;
  /// Replaces everything but the options. With on_resume = hold, channels that were catching up join.
  void restore(const ValveState& state);

 private:
  bool is_live(uint32_t id) const noexcept;
  void set_status(ValveChannel& channel, ChannelStatus status);
  void set_tentative(ValveChannel& channel, bool tentative);
  void join(ValveChannel& channel);
  void activate(ValveChannel& channel, WatermarkOutput& out);
  WatermarkOutput leave(uint32_t id, ChannelStatus status);
  void settle(WatermarkOutput& out);
  void go_idle(WatermarkOutput& out);
  void follow_policy(WatermarkOutput& out);
  void raise(Micros watermark, WatermarkOutput& out);
  void raise_to_minimum(WatermarkOutput& out);

  MergeOptions options_;
  std::vector<ValveChannel> channels_;  ///< by id
  MinimumHeap aligned_;
  uint32_t active_count_ = 0;
  uint32_t tentative_count_ = 0;
  uint32_t idle_count_ = 0;
  uint32_t finished_count_ = 0;
  Micros watermark_ = kNoTime;
  bool idle_ = false;
  bool more_expected_ = false;
  bool postponed_ = false;
};

}  // namespace tidemark::core
