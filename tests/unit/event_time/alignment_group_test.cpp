// SPDX-License-Identifier: Apache-2.0
//
// Alignment: vectors A01-A04, A07-A13 and A15-A23 of semantics 2.5 (A05, A06 and A14 are about the running job:
// tests/sim), and decision 8. Flink's "MAX" of an idle or ended source is a state here. Where Flink compares with
// the oldest of N samples, tidemark compares with the newest: N = 0.
#include "core/event_time/alignment_group.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/event_time/split_multiplexer.hpp"
#include "core/event_time/split_progress.hpp"

namespace tidemark::core::test {
namespace {

constexpr Micros kDrift = 1000;

AlignmentTerms drift(Micros max_drift_us, Micros timeout_us = 10 * kMicrosPerSecond) {
  return {.max_drift_us = max_drift_us, .timeout_us = timeout_us};
}

// One member per source; a report of kEndOfTime is Flink's word for idle.
struct Coordinator {
  explicit Coordinator(std::vector<Micros> drifts) {
    for (uint32_t source = 0; source < drifts.size(); ++source) group.add(source, drift(drifts[source]));
  }
  Micros report(uint32_t source, Micros watermark) {
    const bool idle = watermark == kEndOfTime;
    group.report(source, idle ? last[source] : watermark, idle ? SplitState::idle : SplitState::active, 0);
    if (!idle) last[source] = watermark;
    return group.ceiling(source, 0);
  }
  AlignmentGroup group;
  std::map<uint32_t, Micros> last;
};

TEST(AlignmentGroup, vec_A01) {
  Coordinator c({kDrift, kDrift});
  EXPECT_EQ(c.report(0, 42), 1042);
  EXPECT_EQ(c.report(1, 44), 1042);
  EXPECT_EQ(c.group.ceiling(0, 0), 1042);
  EXPECT_EQ(c.report(0, 5000), 1044);
  EXPECT_EQ(c.group.ceiling(1, 0), 1044);
  EXPECT_EQ(c.group.holder(0), 1U);
  EXPECT_EQ(c.group.drift_us(0, 0), 4956);
  EXPECT_EQ(c.group.drift_us(1, 0), 0);
}

TEST(AlignmentGroup, vec_A02) {
  Coordinator c({kDrift, kDrift});
  c.report(0, 42);
  EXPECT_EQ(c.report(1, 44), 1042);
  EXPECT_EQ(c.report(0, kEndOfTime), 1044);
  EXPECT_EQ(c.report(0, 42), 1042);
  c.report(0, kEndOfTime);
  EXPECT_EQ(c.report(1, kEndOfTime), kEndOfTime) << "no overflow: FLINK-31632";
  EXPECT_EQ(c.report(0, 42), 1042);
  EXPECT_EQ(c.report(1, 46), 1042);
}

TEST(AlignmentGroup, vec_A03) {
  Coordinator g1({kDrift});
  Coordinator g2({kDrift});
  EXPECT_EQ(g1.report(0, 42), 1042);
  EXPECT_EQ(g2.report(0, 44), 1044);
  EXPECT_EQ(g1.group.ceiling(0, 0), 1042);
  EXPECT_EQ(g1.report(0, 5000), 6000);
  EXPECT_EQ(g2.group.ceiling(0, 0), 1044);
}

TEST(AlignmentGroup, vec_A04) {
  Coordinator c({kDrift, kDrift, kDrift});
  struct Step {
    uint32_t member;
    Micros watermark;
    Micros minimum;
  };
  for (const Step& step : std::vector<Step>{{0, 10, 10},
                                            {1, 12, 10},
                                            {2, 13, 10},
                                            {1, 9, 9},
                                            {1, kEndOfTime, 10},
                                            {1, 8, 8},
                                            {1, 20, 10},
                                            {0, 23, 13},
                                            {2, 22, 20}}) {
    c.report(step.member, step.watermark);
    EXPECT_EQ(c.group.minimum(0), step.minimum) << step.member << " at " << step.watermark;
  }
}

TEST(AlignmentGroup, vec_A07) {
  Coordinator c({100, 10});
  c.report(0, 50);
  c.report(1, 70);
  EXPECT_EQ(c.group.ceiling(0, 0), 150);
  EXPECT_EQ(c.group.ceiling(1, 0), 60);
}

// Flink, ring of N = 2: after 13 and 42 the oldest sample is MIN, after 44 it is 42, after 1337 it is 44; N = 3:
// 42, then 44. Decision 8: the newest counts at once.
TEST(AlignmentGroup, vec_A08) {
  AlignmentGroup group;
  group.add(0, drift(0));
  for (const Micros watermark : {13, 42, 44, 1337, 0}) {
    group.report(0, watermark, SplitState::active, 0);
    EXPECT_EQ(group.minimum(0), watermark);
  }
}

TEST(AlignmentGroup, vec_A10) {
  AlignmentGroup group;
  EXPECT_EQ(group.minimum(0), kEndOfTime) << "no member";
  group.add(0, drift(kDrift));
  group.report(0, kNoTime, SplitState::active, 0);
  EXPECT_EQ(group.minimum(60 * kMicrosPerSecond), kEndOfTime) << "no watermark: FLINK-32414";
  EXPECT_EQ(group.holder(0), AlignmentGroup::kNobody);
  group.report(0, 10, SplitState::active, 0);
  EXPECT_EQ(group.minimum(0), 10);
}

// Flink reports a reader's minimum, which does not go back for a split that is added later: 2000. Here splits are
// the members, wherever they are read (decisions 1 and 8), so the new one sets the minimum; a reader's own minimum,
// by which readers that cannot pause a split are judged, stays as in Flink.
TEST(AlignmentGroup, vec_A11) {
  AlignmentGroup group;
  SplitMultiplexer reader;
  group.add(1, drift(kDrift));
  reader.add_split(1);
  group.report(1, 2000, SplitState::active, 0);
  reader.immediate_watermark(1, 2000);
  EXPECT_EQ(group.minimum(0), 2000);
  group.add(2, drift(kDrift));
  reader.add_split(2);
  group.report(2, 1000, SplitState::active, 0);
  reader.immediate_watermark(2, 1000);
  EXPECT_EQ(group.minimum(0), 1000);
  EXPECT_EQ(reader.watermark(), 2000);
}

TEST(AlignmentGroup, vec_A13) {
  AlignmentGroup group;
  group.add(0, drift(kDrift));
  group.report(0, 50, SplitState::active, 0);
  EXPECT_EQ(group.minimum(0), 50);
  group.report(0, 50, SplitState::finished, 0);
  EXPECT_EQ(group.minimum(0), kEndOfTime) << "FLINK-35157";
}

TEST(AlignmentGroup, a_disconnected_member_counts_until_its_timeout) {
  AlignmentGroup group;
  group.add(0, drift(kDrift, 500));
  group.add(1, drift(kDrift));
  group.report(0, 50, SplitState::active, 0);
  group.report(1, 5000, SplitState::active, 0);
  group.report(0, 50, SplitState::disconnected, 100);
  group.report(0, 50, SplitState::disconnected, 300);
  EXPECT_EQ(group.minimum(600), 50) << "500 since it was lost: not yet longer than the timeout";
  EXPECT_EQ(group.minimum(601), 5000) << "FLINK-40505";
  group.report(0, 50, SplitState::active, 700);
  EXPECT_EQ(group.minimum(700), 50);
  group.report(0, 50, SplitState::disconnected, 800);
  EXPECT_EQ(group.minimum(1300), 50) << "another loss, another timeout";
}

TEST(AlignmentGroup, members_are_told_apart_and_forgotten) {
  AlignmentGroup group;
  EXPECT_TRUE(group.add(7, drift(10)));
  EXPECT_FALSE(group.add(7, drift(99)));
  EXPECT_TRUE(group.add(3, drift(20)));
  group.report(3, 1, SplitState::active, 0);
  group.report(7, 1, SplitState::active, 0);
  group.report(5, -100, SplitState::active, 0);
  EXPECT_EQ(group.holder(0), 3U);
  EXPECT_EQ(group.ceiling(7, 0), 11);
  EXPECT_EQ(group.ceiling(5, 0), kEndOfTime) << "no member";
  EXPECT_TRUE(group.remove(3));
  EXPECT_FALSE(group.remove(3));
  EXPECT_EQ(group.size(), 1U);
  EXPECT_EQ(group.holder(0), 7U);
}

TEST(AlignmentGroup, arithmetic_saturates) {
  EXPECT_EQ(AlignmentGroup::ceiling_over(kEndOfTime - 5, 10), kEndOfTime);
  EXPECT_EQ(AlignmentGroup::ceiling_over(kNoTime, 10), kNoTime + 10);
  AlignmentGroup group;
  group.add(0, drift(kDrift));
  group.add(1, drift(kDrift));
  group.report(0, kNoTime + 1, SplitState::active, 0);
  group.report(1, kEndOfTime - 1, SplitState::active, 0);
  EXPECT_EQ(group.drift_us(1, 0), kEndOfTime);
}

// Splits of one reader with scripts of watermarks, their idle clocks, and a member elsewhere that sets the limit.
class Aligned {
 public:
  explicit Aligned(Micros idle_timeout_us, std::vector<std::vector<Micros>> scripts)
      : timeout_us_(idle_timeout_us), scripts_(std::move(scripts)) {
    group_.add(kElsewhere, drift(kDrift));
    const SplitProgressOptions options{{WatermarkStrategyKind::ascending, 0}, timeout_us_};
    for (uint32_t split = 0; split < scripts_.size(); ++split) {
      group_.add(split, drift(kDrift));
      splits_.push_back(std::make_unique<SplitProgress>(split, options, now_));
      reader_.add_split(split);
      paused_.push_back(false);
      next_.push_back(0);
    }
  }

  void limit(Micros limit) {
    group_.report(kElsewhere, limit - kDrift, SplitState::active, now_);
    align();
  }
  void no_limit() {
    group_.report(kElsewhere, 0, SplitState::idle, now_);
    align();
  }
  // The split's next record, if it may be read; a record of w gives the watermark w.
  bool poll(uint32_t split) {
    if (paused_[split] || next_[split] == scripts_[split].size()) return false;
    const std::vector<Micros> time{scripts_[split][next_[split]++] + 1};
    publish(split, splits_[split]->on_batch({time}, now_));
    align();
    return true;
  }
  // As poll(), with a record that has no time.
  void poll_untimed(uint32_t split) {
    const std::vector<Micros> time{kNoTime};
    publish(split, splits_[split]->on_batch({time}, now_));
    align();
  }
  void mark_idle(uint32_t split) {
    publish(split, splits_[split]->set_idle(true, now_));
    align();
  }
  void finish(uint32_t split) {
    publish(split, splits_[split]->finish(now_));
    align();
  }
  void pass(Micros span, bool blocked = false) {
    for (const Micros end = now_ + span; now_ < end;) {
      const Micros step = splits_.empty() ? span : splits_[0]->probe_interval_us();
      now_ = step > end - now_ ? end : now_ + step;
      for (uint32_t split = 0; split < splits_.size(); ++split) {
        publish(split, splits_[split]->tick(now_, {.paused = paused_[split], .blocked = blocked}));
      }
      align();
    }
  }
  std::string states() const {
    std::string out;
    for (uint32_t split = 0; split < splits_.size(); ++split) {
      const bool idle = splits_[split]->current().state == SplitState::idle;
      out += (out.empty() ? "" : " ") + std::string(paused_[split] ? "paused" : idle ? "idle" : "active");
    }
    return out;
  }
  Micros watermark(uint32_t split) const { return splits_[split]->current().watermark; }
  // What Flink's source would report: the reader's own minimum.
  Micros reader_minimum() const { return reader_.watermark(); }
  bool reader_idle() const { return reader_.is_idle(); }
  bool counts() const { return group_.holder(now_) != AlignmentGroup::kNobody; }
  Micros group_minimum() const { return group_.minimum(now_); }

 private:
  static constexpr uint32_t kElsewhere = 99;

  void publish(uint32_t split, const std::optional<SplitChange>& change) {
    if (!change) return;
    group_.report(split, change->watermark, change->state, now_);
    if (change->state == SplitState::finished) {
      reader_.remove_split(split);
      return;
    }
    reader_.immediate_watermark(split, change->watermark);
    reader_.immediate_status(split, change->state == SplitState::idle ? StreamStatus::idle : StreamStatus::active);
  }
  void align() {
    for (uint32_t split = 0; split < splits_.size(); ++split) {
      const SplitChange current = splits_[split]->current();
      const auto verdict =
          AlignmentGroup::judge(current.watermark, current.state, paused_[split], group_.ceiling(split, now_));
      if (verdict == AlignmentVerdict::keep) continue;
      paused_[split] = verdict == AlignmentVerdict::pause;
      splits_[split]->tick(now_, {.paused = paused_[split]});
    }
  }

  Micros timeout_us_;
  Micros now_ = 1000;
  std::vector<std::vector<Micros>> scripts_;
  std::vector<std::unique_ptr<SplitProgress>> splits_;
  std::vector<bool> paused_;
  std::vector<size_t> next_;
  SplitMultiplexer reader_;
  AlignmentGroup group_;
};

// Flink with N = 1 and N = 3 stops one and three samples later; decision 8: N = 0, at once.
TEST(Alignment, vec_A09) {
  Aligned a(0, {{1000, 2000, 3000}});
  EXPECT_TRUE(a.poll(0));
  EXPECT_EQ(a.reader_minimum(), 1000);
  a.limit(999);
  EXPECT_EQ(a.states(), "paused");
  EXPECT_FALSE(a.poll(0));
  a.limit(1001);
  EXPECT_EQ(a.states(), "active");
  EXPECT_TRUE(a.poll(0));
  EXPECT_EQ(a.states(), "paused");
  EXPECT_EQ(a.reader_minimum(), 2000);
  EXPECT_FALSE(a.poll(0)) << "3000 is not read";
}

TEST(Alignment, vec_A12) {
  Aligned a(0, {{1}});
  a.poll(0);
  EXPECT_EQ(a.group_minimum(), 1);
  a.mark_idle(0);
  EXPECT_TRUE(a.reader_idle());
  EXPECT_FALSE(a.counts()) << "all idle: no limit";
  a.poll_untimed(0);
  EXPECT_EQ(a.states(), "active");
  EXPECT_EQ(a.group_minimum(), 1) << "its old watermark counts again";
  a.limit(101);
  EXPECT_EQ(a.states(), "active");
}

// With N = 1 and N = 3 Flink pauses that many samples later; decision 8: N = 0.
TEST(Alignment, vec_A15) {
  Aligned a(0, {{5, 11}, {3, 12}});
  a.poll(0);
  a.limit(4);
  EXPECT_EQ(a.states(), "paused active");
  a.limit(5);
  EXPECT_EQ(a.states(), "active active") << "equality reads";
  a.poll(0);
  a.poll(1);
  EXPECT_EQ(a.states(), "paused active");
  a.poll(1);
  EXPECT_EQ(a.states(), "paused paused");
}

TEST(Alignment, vec_A16) {
  Aligned a(100, {{42}, {44}});
  a.poll(0);
  a.pass(1000, true);
  a.pass(1000, true);
  EXPECT_EQ(a.states(), "active active");
  EXPECT_EQ(a.reader_minimum(), kNoTime);
  a.poll(1);
  EXPECT_EQ(a.reader_minimum(), 42);
  a.pass(150);
  EXPECT_EQ(a.states(), "idle idle") << "by time that was free alone";
  EXPECT_TRUE(a.reader_idle());
  EXPECT_EQ(a.reader_minimum(), 44);
}

TEST(Alignment, vec_A17) {
  Aligned a(100, {{1, 1, 1, 1, 5, 105}});
  a.limit(4);
  for (int round = 0; round < 10; ++round) {
    a.poll(0);
    a.pass(100);
    EXPECT_NE(a.states(), "idle") << round << ", FLINK-36751";
    EXPECT_FALSE(a.reader_idle());
  }
  EXPECT_EQ(a.states(), "paused");
  EXPECT_EQ(a.watermark(0), 5);
}

TEST(Alignment, vec_A18) {
  Aligned a(100, {{5, 105}, {3, 3, 3, 3, 3, 3, 3, 105}});
  a.limit(4);
  a.poll(0);
  for (int step = 0; step < 8; ++step) {
    a.poll(0);
    a.poll(1);
    EXPECT_TRUE(a.states().starts_with("paused")) << a.states();
    EXPECT_LE(a.reader_minimum(), 5);
    a.pass(99);
  }
  EXPECT_EQ(a.states(), "paused paused");
  EXPECT_LE(a.reader_minimum(), 5);
}

TEST(Alignment, vec_A19) {
  Aligned a(0, {{5}});
  a.poll(0);
  a.finish(0);
  a.limit(4);
  EXPECT_EQ(a.states(), "active") << "finished, so never paused";
}

TEST(Alignment, vec_A20) {
  Aligned a(100, {{5, 6}, {3, 8}});
  a.poll(0);
  a.poll(0);
  a.limit(4);
  EXPECT_EQ(a.states(), "paused active");
  a.poll(1);
  a.pass(1000);
  EXPECT_EQ(a.states(), "paused idle");
  a.limit(7);
  EXPECT_EQ(a.states(), "active idle");
  a.poll(1);
  EXPECT_EQ(a.states(), "active paused");
  a.limit(10);
  EXPECT_EQ(a.states(), "active active");
}

TEST(Alignment, vec_A21) {
  Aligned a(100, {{5, 6, 7}});
  a.poll(0);
  a.limit(4);
  EXPECT_EQ(a.states(), "paused");
  a.pass(1000);
  EXPECT_EQ(a.states(), "paused") << "and not idle";
  EXPECT_FALSE(a.reader_idle());
  a.limit(5);
  EXPECT_EQ(a.states(), "active");
  a.pass(1000);
  EXPECT_EQ(a.states(), "idle");
  a.poll(0);
  EXPECT_EQ(a.states(), "paused");
  EXPECT_FALSE(a.reader_idle());
  a.limit(7);
  EXPECT_EQ(a.states(), "active");
  a.pass(1000);
  EXPECT_EQ(a.states(), "idle");
  a.poll(0);
  EXPECT_EQ(a.states(), "active");
}

TEST(Alignment, vec_A22) {
  Aligned a(100, {{5, 6, 7, 8}});
  for (int i = 0; i < 3; ++i) a.poll(0);
  a.pass(1000);
  EXPECT_EQ(a.states(), "idle");
  a.limit(4);
  EXPECT_EQ(a.states(), "idle") << "K8, FLINK-39073";
  a.limit(7);
  a.poll(0);
  EXPECT_EQ(a.states(), "paused") << "as soon as it speaks";
}

// Flink marks it idle while it is paused, since its time was up before (1.5.9). Decision 7: paused is never
// declared idle; it is after it was resumed, by the time that its clock had counted before. Resuming an idle split
// (K9, decision 8) is shown with one that its source marks idle.
TEST(Alignment, vec_A23) {
  Aligned a(1000, {{5, 6}});
  a.poll(0);
  a.pass(1200);  // the limit falls before the next probe
  EXPECT_EQ(a.states(), "active");
  a.limit(4);
  EXPECT_EQ(a.states(), "paused");
  a.pass(150);
  EXPECT_FALSE(a.reader_idle()) << "Flink: idle here";
  a.limit(7);
  EXPECT_EQ(a.states(), "active");
  a.pass(200);
  EXPECT_EQ(a.states(), "idle");
  a.poll(0);
  EXPECT_EQ(a.states(), "active");

  a.limit(4);
  a.mark_idle(0);
  EXPECT_TRUE(a.reader_idle());
  EXPECT_EQ(a.states(), "paused");
  a.limit(7);
  EXPECT_EQ(a.states(), "idle") << "resumed though idle: FLINK-40093";
}

}  // namespace
}  // namespace tidemark::core::test
