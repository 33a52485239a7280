// SPDX-License-Identifier: Apache-2.0
//
// Windows of times: the vectors of semantics 2.7, the cases from the field on zones and settings, and that windows
// tile the line around every clock change from 1900 to 2100. S06 (stagger) is no setting of ours: its arithmetic is
// that of an offset. One thread.
#include "core/window/window_assigner.hpp"

#include <cctz/time_zone.h>
#include <gtest/gtest.h>

#include <random>

namespace tidemark::core::test {
namespace {

constexpr Micros kSecond = kMicrosPerSecond;
constexpr Micros kMinute = 60 * kSecond;
constexpr Micros kHour = 60 * kMinute;
constexpr Micros kDay = 24 * kHour;

WindowSpec tumbling(Micros size, Micros offset = 0, std::string zone = "UTC") {
  WindowSpec spec;
  spec.size_us = size;
  spec.offset_us = offset;
  spec.zone = std::move(zone);
  return spec;
}

WindowSpec stepped(WindowKind kind, Micros size, Micros slide, Micros offset = 0, std::string zone = "UTC") {
  WindowSpec spec = tumbling(size, offset, std::move(zone));
  spec.kind = kind;
  spec.slide_us = slide;
  return spec;
}

WindowSpec sliding(Micros size, Micros slide, Micros offset = 0, std::string zone = "UTC") {
  return stepped(WindowKind::sliding, size, slide, offset, std::move(zone));
}

WindowAssigner assigner(const WindowSpec& spec) {
  Result<WindowAssigner> made = WindowAssigner::create(spec);
  EXPECT_TRUE(made) << made.status().message();
  return *made;
}

std::string refusal(const WindowSpec& spec) {
  const Status status = WindowAssigner::create(spec).status();
  EXPECT_EQ(status.code(), Code::config);
  return status.message();
}

std::vector<TimeRange> windows_of(const WindowAssigner& windows, Micros time) {
  std::vector<TimeRange> out;
  const std::optional<TimeRange> slice = windows.slice_of(time);
  if (!slice) return out;
  std::vector<Micros> ends;
  windows.window_ends(*slice, ends);
  for (const Micros end : ends) out.push_back(windows.window_ending_at(end).value());
  return out;
}

std::vector<Micros> starts_of(const WindowAssigner& windows, Micros time) {
  std::vector<Micros> out;
  for (const TimeRange& window : windows_of(windows, time)) out.push_back(window.start);
  return out;
}

Micros start_of(const WindowSpec& spec, Micros time) {
  return assigner(spec).slice_of(time).value().start;
}

Micros utc(const char* text) {
  return parse_rfc3339(text).value();
}

TimeRange between(const char* start, const char* end) {
  return {utc(start), utc(end)};
}

TEST(WindowAssigner, vec_S01_S02_S03) {
  using Cases = std::vector<std::pair<Micros, Micros>>;
  const std::vector<std::pair<Micros, Cases>> by_offset = {
      {0, {{-8, -14}, {-7, -7}, {-6, -7}, {-1, -7}, {1, 0}, {6, 0}, {7, 7}, {8, 7}}},
      {3, {{-10, -11}, {-9, -11}, {-3, -4}, {-2, -4}, {-1, -4}, {1, -4}, {2, -4}, {3, 3}, {9, 3}, {10, 10}}},
      {-2,
       {{-12, -16},
        {-7, -9},
        {-4, -9},
        {-3, -9},
        {-2, -2},
        {-1, -2},
        {1, -2},
        {2, -2},
        {3, -2},
        {4, -2},
        {7, 5},
        {12, 12}}}};
  for (const auto& [offset, cases] : by_offset) {
    for (const auto& [time, start] : cases) EXPECT_EQ(start_of(tumbling(7, offset), time), start) << time;
  }
}

TEST(WindowAssigner, vec_S04) {
  EXPECT_EQ(start_of(tumbling(86'400'000, -8 * 3'600'000), 1470902048450), 1470844800000);
}

TEST(WindowAssigner, vec_S05_S06) {
  EXPECT_EQ(assigner(tumbling(5000, 100)).slice_of(100), (TimeRange{100, 5100}));
  EXPECT_EQ(assigner(tumbling(5000, 100)).slice_of(5099), (TimeRange{100, 5100}));
  EXPECT_EQ(assigner(tumbling(5000, 100)).slice_of(5100), (TimeRange{5100, 10100}));
  EXPECT_EQ(assigner(tumbling(5000, -100)).slice_of(0), (TimeRange{-100, 4900}));
  EXPECT_EQ(assigner(tumbling(5000, -100)).slice_of(4900), (TimeRange{4900, 9900}));
  EXPECT_EQ(assigner(tumbling(5000, 150)).slice_of(5300), (TimeRange{5150, 10150}));
}

TEST(WindowAssigner, vec_S07) {
  const WindowAssigner windows = assigner(sliding(5000, 1000));
  EXPECT_EQ(starts_of(windows, 0), (std::vector<Micros>{-4000, -3000, -2000, -1000, 0}));
  EXPECT_EQ(starts_of(windows, 4999), (std::vector<Micros>{0, 1000, 2000, 3000, 4000}));
  EXPECT_EQ(starts_of(windows, 5000), (std::vector<Micros>{1000, 2000, 3000, 4000, 5000}));
  EXPECT_EQ(starts_of(assigner(sliding(5000, 1000, -100)), 0), (std::vector<Micros>{-4100, -3100, -2100, -1100, -100}));
}

TEST(WindowAssigner, vec_S08_case_C10) {
  EXPECT_NE(refusal(tumbling(-1)).find("size is"), std::string::npos);
  EXPECT_NE(refusal(tumbling(0)).find("above zero"), std::string::npos);
  EXPECT_NE(refusal(tumbling(kEndOfTime)).find("10000 years"), std::string::npos);
  for (const Micros offset : {kMinute, -kMinute, kNoTime}) {
    EXPECT_NE(refusal(tumbling(kMinute, offset)).find("offset is"), std::string::npos);
    EXPECT_NE(refusal(sliding(kHour, kMinute, offset)).find("shorter than slide (1m)"), std::string::npos);
  }
  EXPECT_NE(refusal(sliding(-2, 1)).find("size is"), std::string::npos);
  EXPECT_NE(refusal(sliding(2, 0)).find("slide is"), std::string::npos);
  EXPECT_NE(refusal(sliding(100'001 * kSecond, kSecond)).find("more than 100000 times slide 1s"), std::string::npos);
  EXPECT_NE(refusal(sliding(7 * kMinute, 5 * kMinute, 0, "Asia/Kolkata")).find("no multiple"), std::string::npos);
  EXPECT_NE(refusal(stepped(WindowKind::cumulative, 10, 3)).find("max_size"), std::string::npos);
  for (const char* zone : {"Europe/Berln", "", "localtime", "../localtime", "/etc/localtime", "right/UTC"}) {
    EXPECT_NE(refusal(tumbling(kHour, 0, zone)).find("Europe/Berlin"), std::string::npos) << zone;
  }
  WindowSpec session;
  session.kind = WindowKind::session;
  for (const Micros gap : {Micros{0}, Micros{-5}}) {
    session.gap_us = gap;
    EXPECT_NE(refusal(session).find("gap is"), std::string::npos);
  }
  session.gap_us = kMinute;
  EXPECT_TRUE(check_window(session));
  session.max_size_us = -1;
  EXPECT_NE(refusal(session).find("max_size is"), std::string::npos);
}

TEST(WindowAssigner, vec_S13) {
  const WindowAssigner windows = assigner(stepped(WindowKind::cumulative, 10, 2));
  EXPECT_EQ(windows.slice_of(5), (TimeRange{4, 6}));
  EXPECT_EQ(windows_of(windows, 5), (std::vector<TimeRange>{{0, 6}, {0, 8}, {0, 10}}));
}

TEST(WindowAssigner, vec_W13_times_between_windows) {
  const WindowAssigner windows = assigner(sliding(500, 1000));
  EXPECT_EQ(windows.slice_of(700), std::nullopt);
  EXPECT_EQ(windows.slice_of(-500), std::nullopt);
  EXPECT_EQ(windows_of(windows, -501), (std::vector<TimeRange>{{-1000, -500}}));
  EXPECT_EQ(windows.window_ending_at(1000), std::nullopt);
}

TEST(WindowAssigner, global) {
  WindowSpec spec;
  spec.kind = WindowKind::global;
  EXPECT_EQ(windows_of(assigner(spec), -7), (std::vector<TimeRange>{{kNoTime, kEndOfTime}}));
}

TEST(WindowAssigner, ends_of_the_range_saturate) {
  EXPECT_EQ(assigner(tumbling(1000)).slice_of(kEndOfTime - 3), (TimeRange{kEndOfTime - 807, kEndOfTime}));
  EXPECT_EQ(assigner(tumbling(1000)).slice_of(kEndOfTime), (TimeRange{kEndOfTime - 807, kEndOfTime}));
  EXPECT_EQ(assigner(tumbling(1000)).slice_of(kNoTime), (TimeRange{kNoTime, kNoTime + 808}));
  for (const WindowSpec& spec :
       {sliding(7000, 1000, 11), sliding(7000, 3000), sliding(7 * kDay, kDay, 0, "America/New_York"),
        stepped(WindowKind::cumulative, kDay, kHour, 0, "Asia/Kathmandu")}) {
    for (const Micros time : {kNoTime, kNoTime + 1, kEndOfTime - 5000, kEndOfTime - 1, kEndOfTime}) {
      const std::vector<TimeRange> windows = windows_of(assigner(spec), time);
      ASSERT_FALSE(windows.empty());
      for (size_t i = 0; i < windows.size(); ++i) {
        EXPECT_LE(windows[i].start, time);
        EXPECT_GE(windows[i].end, std::min(time, kEndOfTime - 1) + 1);
        if (i > 0) {
          EXPECT_GT(windows[i].end, windows[i - 1].end);
        }
      }
    }
  }
}

/// Against the definition: every window start, one by one.
TEST(WindowAssigner, sliding_of_any_lengths) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Micros size = 1 + static_cast<Micros>(random() % 40);
    const Micros slide = 1 + static_cast<Micros>(random() % 40);
    const Micros offset = static_cast<Micros>(random() % static_cast<uint64_t>(2 * slide - 1)) - slide + 1;
    const WindowAssigner windows = assigner(sliding(size, slide, offset));
    const Micros time = static_cast<Micros>(random() % 1000) - 500;
    std::vector<TimeRange> expected;
    for (Micros start = time - size + 1; start <= time; ++start) {
      if ((start - offset) % slide == 0) expected.push_back({start, start + size});
    }
    EXPECT_EQ(windows_of(windows, time), expected) << size << " " << slide << " " << offset << " " << time;
  }
}

TEST(WindowAssigner, case_O10) {
  const char* const old = getenv("TZ");
  for (const char* machine : {"UTC", "America/New_York"}) {
    setenv("TZ", machine, 1);
    const WindowAssigner days = assigner(tumbling(kDay, 0, "Asia/Kolkata"));
    EXPECT_EQ(days.slice_of(utc("2026-03-01T18:29:59Z")), between("2026-02-28T18:30:00Z", "2026-03-01T18:30:00Z"));
    EXPECT_EQ(days.slice_of(utc("2026-03-01T18:30:00Z")), between("2026-03-01T18:30:00Z", "2026-03-02T18:30:00Z"));
    const WindowAssigner hours = assigner(tumbling(kHour, 0, "Asia/Kathmandu"));
    EXPECT_EQ(hours.slice_of(utc("2026-03-01T18:29:59Z")), between("2026-03-01T18:15:00Z", "2026-03-01T19:15:00Z"));
  }
  old != nullptr ? setenv("TZ", old, 1) : unsetenv("TZ");
}

size_t windows_between(const WindowSpec& spec, Micros begin, Micros end) {
  const WindowAssigner windows = assigner(spec);
  size_t count = 0;
  for (; begin < end; begin = windows.slice_of(begin)->end) ++count;
  EXPECT_EQ(begin, end);
  return count;
}

TEST(WindowAssigner, case_O12) {
  const std::string zone = "America/New_York";
  const WindowAssigner days = assigner(tumbling(kDay, 0, zone));
  EXPECT_EQ(days.slice_of(utc("2026-11-01T03:59:59Z")), between("2026-10-31T04:00:00Z", "2026-11-01T04:00:00Z"));
  EXPECT_EQ(days.slice_of(utc("2026-11-02T04:59:59Z")), between("2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"));
  EXPECT_EQ(days.slice_of(utc("2026-11-02T05:00:00Z")), between("2026-11-02T05:00:00Z", "2026-11-03T05:00:00Z"));
  const WindowAssigner hours = assigner(tumbling(kHour, 0, zone));
  EXPECT_EQ(hours.slice_of(utc("2026-11-01T05:30:00Z")), between("2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z"));
  EXPECT_EQ(hours.slice_of(utc("2026-11-01T06:30:00Z")), between("2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z"));
  const ZoneCalendar calendar = ZoneCalendar::load(zone).value();
  EXPECT_EQ(calendar.utc_offset(utc("2026-11-01T05:59:59Z")), -4 * kHour);  // both show 01:00 to 02:00
  EXPECT_EQ(calendar.utc_offset(utc("2026-11-01T06:00:00Z")), -5 * kHour);
  const TimeRange autumn = *days.slice_of(utc("2025-11-02T12:00:00Z"));
  EXPECT_EQ(windows_between(tumbling(kHour, 0, zone), autumn.start, autumn.end), 25U);
  const TimeRange spring = *days.slice_of(utc("2026-03-08T12:00:00Z"));
  EXPECT_EQ(windows_between(tumbling(kHour, 0, zone), spring.start, spring.end), 23U);
  // The rules go on where the zone files' lists end.
  EXPECT_EQ(days.slice_of(utc("2090-07-01T12:00:00Z")), between("2090-07-01T04:00:00Z", "2090-07-02T04:00:00Z"));
}

TEST(WindowAssigner, days_without_or_with_two_midnights) {
  const auto day = [](const char* zone, const char* time, Micros offset = 0) {
    return *assigner(tumbling(kDay, offset, zone)).slice_of(utc(time));
  };
  // No midnight: the day begins at 01:00, at the clock change.
  EXPECT_EQ(day("America/Sao_Paulo", "2017-10-15T12:00:00Z"), between("2017-10-15T03:00:00Z", "2017-10-16T02:00:00Z"));
  EXPECT_EQ(day("Asia/Beirut", "2024-03-31T12:00:00Z"), between("2024-03-30T22:00:00Z", "2024-03-31T21:00:00Z"));
  // 00:00 to 01:00 twice is one day, begun at the first midnight.
  EXPECT_EQ(day("America/Havana", "2022-11-06T05:30:00Z"), between("2022-11-06T04:00:00Z", "2022-11-07T05:00:00Z"));
  // Set back over midnight after a minute: the repeated evening belongs to the day that has begun.
  EXPECT_EQ(day("America/St_Johns", "2010-11-07T03:00:00Z"), between("2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z"));
  // Samoa had no 30 December 2011.
  EXPECT_EQ(day("Pacific/Apia", "2011-12-30T09:59:59Z"), between("2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"));
  EXPECT_EQ(day("Pacific/Apia", "2011-12-30T10:00:00Z"), between("2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"));
  // A day from six to six, and weeks that begin on Monday.
  EXPECT_EQ(day("America/New_York", "2026-11-01T09:00:00Z", 6 * kHour),
            between("2026-10-31T10:00:00Z", "2026-11-01T11:00:00Z"));
  EXPECT_EQ(assigner(tumbling(7 * kDay, 4 * kDay, "Europe/Berlin")).slice_of(utc("2026-03-29T12:00:00Z")),
            between("2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z"));
  EXPECT_EQ(day("Europe/Amsterdam", "1937-06-30T12:00:00Z").end - day("Europe/Amsterdam", "1937-06-30T12:00:00Z").start,
            kDay);
}

TEST(WindowAssigner, half_hour_clock_changes) {
  // Lord Howe is set back from 02:00 to 01:30: 01:00 to 02:00 takes an hour and a half.
  const WindowAssigner hours = assigner(tumbling(kHour, 0, "Australia/Lord_Howe"));
  EXPECT_EQ(hours.slice_of(utc("2026-04-04T15:10:00Z")), between("2026-04-04T14:00:00Z", "2026-04-04T15:30:00Z"));
  // In spring 02:00 becomes 02:30: that hour has a half.
  EXPECT_EQ(hours.slice_of(utc("2026-10-03T15:45:00Z")), between("2026-10-03T15:30:00Z", "2026-10-03T16:00:00Z"));
}

TEST(WindowAssigner, windows_of_slices_in_a_zone) {
  const WindowAssigner week = assigner(sliding(7 * kDay, kDay, 0, "America/New_York"));
  const std::vector<TimeRange> windows = windows_of(week, utc("2026-11-01T12:00:00Z"));
  ASSERT_EQ(windows.size(), 7U);
  EXPECT_EQ(windows.front(), between("2026-10-26T04:00:00Z", "2026-11-02T05:00:00Z"));
  EXPECT_EQ(windows.back(), between("2026-11-01T04:00:00Z", "2026-11-08T05:00:00Z"));
  const WindowAssigner steps = assigner(stepped(WindowKind::cumulative, kDay, kHour, 0, "America/New_York"));
  const std::vector<TimeRange> day = windows_of(steps, utc("2026-11-01T04:30:00Z"));
  ASSERT_EQ(day.size(), 25U);
  for (const TimeRange& window : day) EXPECT_EQ(window.start, utc("2026-11-01T04:00:00Z"));
  EXPECT_EQ(day.back().end, utc("2026-11-02T05:00:00Z"));
}

/// Clock changes of a zone from 1900 to 2100.
std::vector<Micros> clock_changes(const std::string& name) {
  cctz::time_zone zone;
  EXPECT_TRUE(cctz::load_time_zone(name, &zone));
  std::vector<Micros> out;
  cctz::time_point<cctz::seconds> at = zone.lookup(cctz::civil_second(1900)).pre;
  cctz::time_zone::civil_transition change;
  while (zone.next_transition(at, &change) && change.to.year() < 2100) {
    at = zone.lookup(change.to).trans;
    out.push_back(at.time_since_epoch().count() * kSecond);
  }
  return out;
}

void expect_tiles(const WindowAssigner& windows, Micros time) {
  const TimeRange slice = windows.slice_of(time).value();
  ASSERT_LE(slice.start, time);
  ASSERT_GT(slice.end, time);
  EXPECT_EQ(windows.slice_of(slice.start), slice);
  EXPECT_EQ(windows.slice_of(slice.end - 1), slice);
  EXPECT_EQ(windows.slice_of(slice.end)->start, slice.end);
  EXPECT_EQ(windows.slice_of(slice.start - 1)->end, slice.start);
  EXPECT_EQ(windows.slice_ending_at(slice.end), slice);
  for (const TimeRange& window : windows_of(windows, time)) {
    EXPECT_LE(window.start, slice.start);
    EXPECT_GE(window.end, slice.end);
    EXPECT_EQ(windows.slice_of(window.start)->start, window.start);
    EXPECT_EQ(windows.slice_of(window.end - 1)->end, window.end);
  }
}

TEST(WindowAssigner, tiles_the_line_around_all_clock_changes) {
  std::mt19937_64 random(11);
  const auto pick = [&](Micros below) { return static_cast<Micros>(random() % static_cast<uint64_t>(below)); };
  for (const char* zone : {"America/New_York", "Australia/Lord_Howe", "America/Havana", "America/Sao_Paulo",
                           "Asia/Beirut", "Pacific/Apia", "America/St_Johns", "Asia/Kolkata", "Africa/Casablanca",
                           "Antarctica/Troll", "Europe/Amsterdam", "Africa/Monrovia"}) {
    const std::vector<Micros> changes = clock_changes(zone);
    ASSERT_FALSE(changes.empty());
    for (const Micros slide : {kSecond / 10, 7 * kMinute, kHour, 2 * kHour, 5 * kHour, kDay, 36 * kHour, 7 * kDay}) {
      const Micros offset = pick(2 * slide - 1) - slide + 1;
      const Micros count = 1 + pick(4);
      const std::vector<WindowAssigner> all = {
          assigner(tumbling(slide, offset, zone)), assigner(sliding(count * slide, slide, offset, zone)),
          assigner(stepped(WindowKind::cumulative, count * slide, slide, offset, zone))};
      for (const Micros change : changes) {
        const Micros nearby = change + pick(60 * kHour) - 30 * kHour;
        for (const WindowAssigner& windows : all) {
          for (const Micros time : {change - 1, change, nearby}) expect_tiles(windows, time);
        }
      }
      if (HasFailure()) FAIL() << zone << " " << format_duration(slide) << " " << format_duration(offset);
    }
  }
}

}  // namespace
}  // namespace tidemark::core::test
