// SPDX-License-Identifier: Apache-2.0
//
// The valve against a naive model that scans all channels at each step, over seeded random steps of all kinds and
// all options. The model is written from semantics 1.1 and section 5; a failure prints seed and step.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "core/event_time/watermark_valve.hpp"
#include "tests/unit/event_time/vector_script.hpp"

namespace tidemark::core::test {
namespace {

class NaiveValve {
 public:
  explicit NaiveValve(MergeOptions options) : options_(options) {}

  WatermarkOutput add(uint32_t id) {
    channels_[id] = {};
    finished_.erase(id);
    return wake(channels_[id]);
  }
  WatermarkOutput gone(uint32_t id, bool finished) {
    if (channels_.erase(id) == 0) return {};
    if (finished) finished_.insert(id);
    return after_leaving();
  }
  WatermarkOutput watermark(uint32_t id, Micros time) {
    const auto at = channels_.find(id);
    if (at == channels_.end()) return {};
    if (time == kEndOfTime && options_.rules == MergeRules::tidemark) return gone(id, true);
    Channel& channel = at->second;
    if (channel.idle || time <= channel.time) return {};
    channel.time = time;
    if (time >= out_) channel.aligned = true;
    return step({});
  }
  WatermarkOutput status(uint32_t id, bool idle) {
    const auto at = channels_.find(id);
    if (at == channels_.end() || at->second.idle == idle) return {};
    at->second.idle = idle;
    return idle ? after_leaving() : wake(at->second);
  }
  Micros out() const { return out_; }
  bool idle() const { return idle_; }
  Micros counted_minimum() const {
    Micros least = kEndOfTime;
    for (const auto& [id, channel] : channels_) {
      if (!channel.idle && channel.aligned) least = std::min(least, channel.time);
    }
    return least;
  }

 private:
  struct Channel {
    Micros time = kNoTime;
    bool idle = false;
    bool aligned = false;
  };

  WatermarkOutput wake(Channel& channel) {
    channel.aligned = options_.on_resume == ResumeRule::hold || channel.time >= out_;
    WatermarkOutput out;
    if (idle_) out.status = StreamStatus::active;
    idle_ = false;
    return step(out);
  }
  WatermarkOutput rise(Micros to, WatermarkOutput out) {
    if (to > out_) out.watermark = out_ = to;
    return out;
  }
  WatermarkOutput step(WatermarkOutput out) {
    bool any = false;
    for (const auto& [id, channel] : channels_) any = any || (!channel.idle && channel.aligned);
    return any ? rise(counted_minimum(), out) : out;
  }
  WatermarkOutput after_leaving() {
    const bool awake = std::any_of(channels_.begin(), channels_.end(), [](const auto& c) { return !c.second.idle; });
    if (awake) return step({});
    WatermarkOutput out;
    if (channels_.empty() && !finished_.empty()) {
      if (idle_) out.status = StreamStatus::active;
      idle_ = false;
      return rise(kEndOfTime, out);
    }
    for (const auto& [id, channel] : channels_) {
      if (options_.all_idle == AllIdlePolicy::flush) out = rise(channel.time, out);
      if (options_.all_idle == AllIdlePolicy::end_of_time) out = rise(kEndOfTime, out);
    }
    if (!idle_) out.status = StreamStatus::idle;
    idle_ = true;
    return out;
  }

  MergeOptions options_;
  std::map<uint32_t, Channel> channels_;
  Micros out_ = kNoTime;
  bool idle_ = false;
  std::set<uint32_t> finished_;  ///< and not added again
};

void run_seed(uint32_t seed, MergeOptions options) {
  std::mt19937 random(seed);
  const auto below = [&random](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
  const uint32_t channels = 1 + below(12);
  StatusWatermarkValve valve(options);
  NaiveValve model(options);
  std::vector<bool> live(channels, true);
  for (uint32_t id = 0; id < channels; ++id) ASSERT_EQ(valve.add_channel(id), model.add(id));
  Micros base = 0;
  for (int step = 0; step < 300; ++step) {
    const uint32_t id = below(channels);
    WatermarkOutput got;
    WatermarkOutput want;
    const uint32_t kind = below(100);
    const Micros before = valve.watermark();
    base += below(3);
    if (kind < 60) {
      const Micros time = kind == 0 ? kEndOfTime : base + below(20) - 10;
      if (time == kEndOfTime && options.rules == MergeRules::tidemark) live[id] = false;
      got = valve.input_watermark(id, time);
      want = model.watermark(id, time);
    } else if (kind < 90) {
      const bool idle = kind < 76;
      got = valve.input_status(id, idle ? StreamStatus::idle : StreamStatus::active);
      want = model.status(id, idle);
    } else if (live[id]) {
      const bool finished = kind < 95;
      got = finished ? valve.finish_channel(id) : valve.remove_channel(id);
      want = model.gone(id, finished);
      live[id] = false;
    } else {
      got = valve.add_channel(id);
      want = model.add(id);
      live[id] = true;
    }
    ASSERT_EQ(words(got), words(want)) << "seed " << seed << " step " << step;
    ASSERT_EQ(valve.watermark(), model.out());
    ASSERT_EQ(valve.status() == StreamStatus::idle, model.idle());
    if (got.watermark) {
      ASSERT_GT(*got.watermark, before);
    }
    if (const auto holder = valve.holder()) {
      ASSERT_EQ(valve.channel(*holder).watermark, model.counted_minimum());
    }
    if (step % 50 == 49) {
      StatusWatermarkValve other(options);
      other.restore(valve.snapshot());
      ASSERT_EQ(other.snapshot(), valve.snapshot());
    }
  }
}

TEST(WatermarkValveModel, random_steps_equal_the_naive_model) {
  for (const ResumeRule resume : {ResumeRule::hold, ResumeRule::catch_up}) {
    for (const AllIdlePolicy policy : {AllIdlePolicy::hold, AllIdlePolicy::flush, AllIdlePolicy::end_of_time}) {
      for (uint32_t seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
        run_seed(seed, {resume, policy, MergeRules::tidemark});
      }
    }
  }
  for (uint32_t seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
    run_seed(seed, MergeOptions::flink_f24());
  }
}

// With a thousand splits the heap must agree with a scan, and 100,000 steps take milliseconds.
TEST(WatermarkValveModel, many_splits) {
  StatusWatermarkValve valve;
  constexpr uint32_t kSplits = 1024;
  std::vector<Micros> times(kSplits, kNoTime);
  for (uint32_t id = 0; id < kSplits; ++id) valve.add_channel(id);
  std::mt19937 random(7);
  for (int step = 0; step < 100'000; ++step) {
    const auto id = static_cast<uint32_t>(random() % kSplits);
    times[id] = std::max<Micros>(times[id], 0) + static_cast<Micros>(random() % 100);
    valve.input_watermark(id, times[id]);
  }
  EXPECT_EQ(valve.watermark(), *std::min_element(times.begin(), times.end()));
  EXPECT_EQ(times[valve.holder().value()], valve.watermark());
}

}  // namespace
}  // namespace tidemark::core::test
