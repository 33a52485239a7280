// SPDX-License-Identifier: Apache-2.0
//
// Sessions of one key against the vectors of semantics 2.7 (S09 to S12) and those of 2.6 that need a gap per row,
// which a job cannot give (W25, W26, W28, W34). Contents are texts here, so that it shows which was kept.
#include "core/window/session_set.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tidemark::core::test {
namespace {

/// Rows in merged pieces; tells what was folded.
class Merging {
 public:
  /// "[0,5)=a": the piece that the row is in afterwards, and its content.
  std::string add(Micros start, Micros end, const std::string& name) {
    folded.clear();
    auto& piece = set.merge(
        {start, end}, [&] { return name; },
        [&](std::string& into, const std::string& from) {
          folded += (folded.empty() ? "" : " ") + from;
          into += "+" + from;
        });
    return text(piece.range) + "=" + piece.content;
  }
  std::string sessions() const {
    std::string out;
    for (const auto& piece : set.pieces()) out += (out.empty() ? "" : " ") + text(piece.range);
    return out;
  }
  static std::string text(const TimeRange& range) {
    return "[" + std::to_string(range.start) + "," + std::to_string(range.end) + ")";
  }

  SessionSet<std::string> set;
  std::string folded;
};

TEST(SessionSet, vec_S09) {
  EXPECT_TRUE(touches({10, 20}, {20, 30}));
  EXPECT_FALSE(touches({10, 20}, {21, 30}));
  EXPECT_TRUE(touches({10, 20}, {19, 22}));
  EXPECT_TRUE(touches({20, 30}, {10, 20}));
}

TEST(SessionSet, vec_S10) {
  Merging first;
  for (const auto& [start, end] : {std::pair{0, 1}, {1, 2}, {2, 3}, {4, 5}, {5, 6}}) first.add(start, end, "x");
  EXPECT_EQ(first.sessions(), "[0,3) [4,6)");
  Merging second;
  for (const auto& [start, end] : {std::pair{1, 1}, {0, 2}, {4, 7}, {5, 6}}) second.add(start, end, "x");
  EXPECT_EQ(second.sessions(), "[0,2) [4,7)");
  Merging single;
  single.add(0, 1, "x");
  EXPECT_EQ(single.folded, "");
}

TEST(SessionSet, vec_S11) {
  Merging sessions;
  EXPECT_EQ(sessions.add(0, 4, "a"), "[0,4)=a");
  EXPECT_EQ(sessions.add(0, 4, "b"), "[0,4)=a");
  EXPECT_EQ(sessions.add(3, 5, "c"), "[0,5)=a");
  EXPECT_EQ(sessions.add(4, 6, "d"), "[0,6)=a");
  EXPECT_EQ(sessions.add(1, 4, "e"), "[0,6)=a");
  EXPECT_EQ(sessions.add(3, 5, "f"), "[0,6)=a");
  EXPECT_EQ(sessions.add(11, 14, "g"), "[11,14)=g");
  EXPECT_EQ(sessions.add(10, 13, "h"), "[10,14)=g");
  EXPECT_EQ(sessions.add(12, 15, "i"), "[10,15)=g");
  EXPECT_EQ(sessions.folded, "");
  sessions.set.erase(0, 1);
  EXPECT_EQ(sessions.sessions(), "[10,15)");
}

TEST(SessionSet, vec_S12) {
  Merging sessions;
  sessions.add(0, 3, "a");
  sessions.add(5, 8, "b");
  sessions.add(10, 13, "c");
  EXPECT_EQ(sessions.add(8, 10, "d"), "[5,13)=b+c");
  EXPECT_EQ(sessions.folded, "c");
  EXPECT_EQ(sessions.add(3, 5, "e"), "[0,13)=a+b+c");
  EXPECT_EQ(sessions.folded, "b+c");
}

TEST(SessionSet, vec_W25_gap_per_row) {
  Merging sessions;
  sessions.add(5000, 7000, "4");
  sessions.add(6000, 8000, "5");
  EXPECT_EQ(sessions.sessions(), "[5000,8000)");
  Merging later;
  later.add(13000, 14000, "10");
  later.add(13500, 14500, "10");
  later.add(14000, 16000, "1");
  EXPECT_EQ(later.sessions(), "[13000,16000)");
}

TEST(SessionSet, vec_W26_rows_without_length) {
  Merging first;
  first.add(0, 3000, "1");
  first.add(1000, 1000, "33");
  first.add(2500, 2500, "33");
  EXPECT_EQ(first.sessions(), "[0,3000)");
  Merging second;
  second.add(10, 3010, "1");
  second.add(1000, 4000, "2");
  second.add(2500, 2500, "33");
  EXPECT_EQ(second.sessions(), "[10,4000)");
}

/// Flink fails on it at run time: a merged session there may be given any bounds. Here it covers its rows.
TEST(SessionSet, vec_W28_case_FLINK_5713) {
  Merging sessions;
  sessions.add(0, 12, "a");
  EXPECT_EQ(sessions.add(0, 11, "b"), "[0,12)=a");
}

/// Flink loses 1, 2 and 3 (its result is {4 [0,6)}); decision 11: a session equal to a merged one keeps its contents.
TEST(SessionSet, vec_W34) {
  Merging sessions;
  sessions.add(0, 4, "1");
  sessions.add(3, 5, "2");
  sessions.add(4, 6, "3");
  EXPECT_EQ(sessions.add(0, 6, "4"), "[0,6)=1");
  EXPECT_EQ(sessions.folded, "");
}

TEST(SessionSet, kept_apart_with_a_largest_size) {
  SessionSet<int> set;
  for (const Micros time : {30, 0, 20, 10, 41}) set.add({time, time + 10}, [] { return 1; });
  const auto whole = set.session_from(0, 0);
  EXPECT_EQ(whole.past, 4U);
  EXPECT_EQ(whole.window, (TimeRange{0, 40}));
  EXPECT_EQ(set.session_from(0, 20).window, (TimeRange{0, 30}));
  EXPECT_EQ(set.session_from(3, 20).window, (TimeRange{30, 40}));
  EXPECT_EQ(set.find(20), 2U);
  EXPECT_EQ(set.find(21), set.pieces().size());
  EXPECT_EQ(set.window_with({40, 50}, 0), (TimeRange{0, 51}));
  EXPECT_EQ(set.window_with({40, 50}, 20), (TimeRange{30, 51}));
  EXPECT_EQ(set.window_with({-10, 0}, 20), (TimeRange{-10, 20}));
  EXPECT_EQ(set.window_with({60, 70}, 0), (TimeRange{60, 70}));
}

}  // namespace
}  // namespace tidemark::core::test
