// SPDX-License-Identifier: Apache-2.0
//
// What the reader says of a state is what the operator that wrote it would give: windows, slices, sessions, bases with
// deltas, keys of NULL, results that were given. And a state that is damaged is an error, never other values.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/inspect/entry_reader.hpp"
#include "core/inspect/entry_text.hpp"
#include "core/state/keys.hpp"
#include "tests/unit/window/session_driver.hpp"

namespace tidemark::core::test {
namespace {

constexpr Micros kSecond = kMicrosPerSecond;

AggregateSpec windows(Micros size) {
  AggregateSpec spec = sums(0);
  spec.columns = {{"n", AggregateFunction::count_all, -1},
                  {"sum", AggregateFunction::sum, 1},
                  {"values", AggregateFunction::count_distinct, 1}};
  spec.window = {};
  spec.window.size_us = size;
  return spec;
}

struct Shown {
  Status status;
  std::vector<std::string> lines;  // "k 2 5 [0,1000)": as to_text() of results
  std::vector<StateEntry::Kind> kinds;
  std::vector<Emission> emissions;

  std::string text() const {
    std::string out;
    for (const std::string& line : lines) out += line + "\n";
    return out;
  }
};

Shown show(OperatorDriver& driver, EpochStore& store, const EntryFilter& filter = {}, size_t limit = SIZE_MAX) {
  auto reader = EntryReader::create(driver.op().spec(), *driver.input());
  if (!reader) return {reader.status(), {}, {}, {}};
  Shown out;
  out.status = (*reader)->visit(store, filter, [&](const StateEntry& entry) {
    std::string line;
    for (size_t at = 0; at < (*reader)->columns().size(); ++at) {
      if (entry.cells->column(at).is_valid(0)) {
        append_cell_text(*entry.cells, at, 0, line);
      } else {
        line += '-';
      }
      line += ' ';
    }
    line += "[" + std::to_string(entry.range.start) + "," + std::to_string(entry.range.end) + ")";
    out.lines.push_back(std::move(line));
    out.kinds.push_back(entry.kind);
    out.emissions.push_back(entry.emission == nullptr ? Emission{} : *entry.emission);
    return out.lines.size() < limit;
  });
  return out;
}

std::multiset<std::string> lines_of(const std::string& text) {
  std::multiset<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

size_t deltas(EpochStore& store) {
  size_t count = 0;
  EXPECT_TRUE(store.scan(Family::panes, {}, [&](std::string_view key, auto) {
    count += decode_page_key(key)->run.kind == PageKind::delta;
    return true;
  }));
  return count;
}

TEST(EntryReader, deltas_with_removals_and_null_keys_are_what_the_window_gives) {
  AggregateSpec spec = windows(1000);
  spec.changelog = true;
  OperatorDriver driver = driver_of(spec);
  Store store;
  const std::vector<std::string>& keys = keys_of_one_group();
  ASSERT_GE(keys.size(), 4U);
  std::vector<Row> rows = {Row{5, {Cell{}, 7}}, Row{6, {std::string(), 1}}};
  for (const std::string& key : keys) rows.push_back(at(10, 3, key));
  driver.add(rows);
  store.seal(driver.op());
  driver.add({taken(10, 3, keys[0]), at(11, 4, keys[1]), at(1200, 2, keys[2])});
  store.seal(driver.op());
  ASSERT_GT(deltas(*store.pages), 0U);
  const Shown shown = show(driver, *store.pages);
  ASSERT_TRUE(shown.status.is_ok()) << shown.status.message();
  EXPECT_EQ(lines_of(shown.text()), lines_of(driver.advance(5000)));
  EXPECT_EQ(shown.lines.size(), keys.size() + 2);  // one is gone, one is in two windows
  EXPECT_EQ(show(driver, *store.pages, {}, 2).lines.size(), 2U);
  EXPECT_EQ(show(driver, *store.pages, {2000, {}}).text(), keys[2] + " 1 2 1 [1000,2000)\n");
  EXPECT_EQ(show(driver, *store.pages, {{}, {{0, keys[1]}}}).text(), keys[1] + " 2 7 2 [0,1000)\n");
  EXPECT_EQ(show(driver, *store.pages, {{}, {{0, std::nullopt}}}).text(), "- 1 7 1 [0,1000)\n");
  EXPECT_EQ(show(driver, *store.pages, {{}, {{0, ""}}}).text(), " 1 1 1 [0,1000)\n");
}

TEST(EntryReader, windows_that_overlap_show_their_slices) {
  AggregateSpec spec = windows(3000);
  spec.window.kind = WindowKind::sliding;
  spec.window.slide_us = 1000;
  OperatorDriver driver = driver_of(spec);
  Store store;
  driver.add({at(10, 3), at(1500, 4), at(1600, 5), at(3100, 6)});
  store.seal(driver.op());
  const Shown all = show(driver, *store.pages);
  EXPECT_EQ(all.text(), "k 1 3 1 [0,1000)\nk 2 9 2 [1000,2000)\nk 1 6 1 [3000,4000)\n");
  EXPECT_EQ(all.kinds, std::vector<StateEntry::Kind>(3, StateEntry::Kind::slice));
  EXPECT_EQ(show(driver, *store.pages, {3000, {}}).text(), "k 1 3 1 [0,1000)\nk 2 9 2 [1000,2000)\n");
}

TEST(EntryReader, what_was_given_of_a_window) {
  AggregateSpec spec = windows(1000);
  spec.allowed_lateness_us = 5000;
  for (const bool is_read : {false, true}) {
    spec.is_read = is_read;
    OperatorDriver driver = driver_of(spec);
    Store store;
    driver.add({at(10, 3), at(20, 4)});
    driver.advance(1500);
    driver.add({at(30, 5), at(1600, 1)});
    store.seal(driver.op());
    const Shown shown = show(driver, *store.pages);
    ASSERT_EQ(shown.text(), "k 3 12 3 [0,1000)\nk 1 1 1 [1000,2000)\n") << shown.status.message();
    EXPECT_EQ(shown.emissions[0].revision, 2U);
    EXPECT_TRUE(shown.emissions[0].present);
    EXPECT_EQ(shown.emissions[1].revision, 0U);
  }
}

TEST(EntryReader, sessions_are_whole_across_pages) {
  AggregateSpec spec = sums(30 * kSecond);
  for (const bool changelog : {false, true}) {  // pieces are sessions, or one per time
    spec.changelog = changelog;
    OperatorDriver driver = driver_of(spec);
    Store store;
    for (int i = 0; i < 20; ++i) driver.add({at(i * 10 * kSecond, i)});
    driver.add({at(500 * kSecond, 7), at(0, 2, "other"), Row{kSecond, {Cell{}, 9}}});
    store.seal(driver.op());
    driver.add({at(200 * kSecond, 1)});  // the session moves to another page
    store.seal(driver.op());
    const Shown shown = show(driver, *store.pages);
    ASSERT_TRUE(shown.status.is_ok()) << shown.status.message();
    EXPECT_EQ(shown.kinds, std::vector<StateEntry::Kind>(4, StateEntry::Kind::session));
    EXPECT_EQ(show(driver, *store.pages, {230 * kSecond, {}}).text(), "k 191 [0,230000000)\n");
    EXPECT_EQ(lines_of(shown.text()), lines_of(driver.advance(3600 * kSecond)));
  }
}

TEST(EntryReader, a_session_that_was_given_and_became_another_is_gone) {
  AggregateSpec spec = sums(1000, 100'000);
  spec.emit.late = {FiringRule::every, 50'000, true, 0};
  OperatorDriver driver = driver_of(spec);
  Store store;
  driver.add({at(100, 1)});
  driver.advance(2000);  // [100, 1100) is given
  driver.add({at(900, 2)});
  store.seal(driver.op());
  const Shown shown = show(driver, *store.pages);
  ASSERT_EQ(shown.text(), "k 3 [100,1900)\nk - [100,1100)\n") << shown.status.message();
  EXPECT_EQ(shown.kinds, (std::vector{StateEntry::Kind::session, StateEntry::Kind::gone}));
  EXPECT_EQ(shown.emissions[1].revision, 1U);
}

TEST(EntryReader, random_histories) {
  size_t deltas_seen = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    AggregateSpec spec = seed % 2 == 0 ? windows(20 * kSecond) : sums(8 * kSecond);
    spec.changelog = seed % 4 < 2;
    if (seed % 4 == 3) spec.window.max_size_us = 15 * kSecond;
    OperatorDriver driver = driver_of(spec);
    Store store;
    std::vector<Row> live;
    for (int epoch = 0; epoch < 12; ++epoch) {
      std::vector<Row> rows;
      for (int i = 0; i < 10; ++i) {
        if (spec.changelog && random() % 3 == 0 && !live.empty()) {
          std::swap(live[random() % live.size()], live.back());
          rows.push_back(live.back());
          rows.back().op = Op::remove;
          live.pop_back();
          continue;
        }
        const std::string& key = keys_of_one_group()[random() % keys_of_one_group().size()];
        rows.push_back(at(static_cast<Micros>(random() % 120) * kSecond, static_cast<int64_t>(random() % 9), key));
        live.push_back(rows.back());
      }
      driver.add(rows);
      store.seal(driver.op());
    }
    const Shown shown = show(driver, *store.pages);
    ASSERT_TRUE(shown.status.is_ok()) << "seed " << seed << ": " << shown.status.message();
    ASSERT_FALSE(shown.lines.empty());
    ASSERT_EQ(lines_of(shown.text()), lines_of(driver.advance(3600 * kSecond))) << "seed " << seed;
    deltas_seen += deltas(*store.pages);
  }
  EXPECT_GT(deltas_seen, 60U);
}

TEST(EntryReader, damage_and_another_aggregate_are_errors) {
  OperatorDriver driver = driver_of(windows(1000));
  Store store;
  driver.add({at(10, 3)});
  store.seal(driver.op());
  AggregateSpec other = windows(1000);
  other.columns.pop_back();
  OperatorDriver other_driver = driver_of(other);
  EXPECT_EQ(show(other_driver, *store.pages).status.code(), Code::damage);
  AggregateSpec longer = windows(700);
  OperatorDriver longer_driver = driver_of(longer);
  EXPECT_EQ(show(longer_driver, *store.pages).status.code(), Code::damage);
  std::string key;
  std::string page;
  ASSERT_TRUE(store.pages->scan(Family::panes, {}, [&](std::string_view at_key, std::string_view value) {
    key = at_key;
    page = value;
    return true;
  }));
  PageKey moved = *decode_page_key(key);
  moved.run.kind = PageKind::delta;
  EpochWrites writes;
  writes.remove(Family::panes, key);
  writes.put(Family::panes, encode_page_key(moved), page);
  ASSERT_TRUE(store.pages->commit(writes).is_ok());
  const Status without_base = show(driver, *store.pages).status;
  EXPECT_EQ(without_base.code(), Code::damage);
  EXPECT_NE(without_base.message().find("delta page of epoch 1"), std::string::npos) << without_base.message();
  EXPECT_NE(without_base.message().find("does not follow its base"), std::string::npos);
  page[page.size() / 2] = static_cast<char>(page[page.size() / 2] ^ 1);
  EpochWrites damage;
  damage.put(Family::panes, key, page);
  ASSERT_TRUE(store.pages->commit(damage).is_ok());
  EXPECT_EQ(show(driver, *store.pages).status.code(), Code::damage);
}

TEST(EntryText, lines_of_an_entry) {
  AggregateSpec spec = windows(1000);
  spec.allowed_lateness_us = 1000;
  OperatorDriver driver = driver_of(spec);
  Store store;
  driver.add({at(10, 3, "a \"b\"\n"), Row{20, {Cell{}, Cell{}}}});
  store.seal(driver.op());
  auto reader = EntryReader::create(spec, *driver.input());
  ASSERT_TRUE(reader.is_ok());
  std::set<std::string> json;
  std::set<std::string> text;
  ASSERT_TRUE((*reader)->visit(*store.pages, {}, [&](const StateEntry& entry) {
    std::string line;
    append_entry_json(**reader, entry, line);
    json.insert(line);
    line.clear();
    append_entry_text(**reader, entry, line);
    text.insert(line);
    return true;
  }));
  const std::string head =
      R"({"type":"entry","aggregate":"sums","kind":"window","window_start":"1970-01-01T00:00:00Z",)"
      R"("window_end":"1970-01-01T00:00:00.001Z",)";
  const std::string given = R"("revision":0,"stands":false,"pending":false,"rows_since":0})"
                            "\n";
  EXPECT_EQ(json, (std::set<std::string>{
                      head + R"("key":{"k":null},"rows":1,"values":{"n":1,"sum":null,"values":0},)" + given,
                      head + R"("key":{"k":"a \"b\"\n"},"rows":1,"values":{"n":1,"sum":3,"values":1},)" + given}));
  EXPECT_NE(text.begin()->find(R"( k="a \"b\"\n" | n=1 sum=3 values=1 | revision 0)"), std::string::npos)
      << *text.begin();
  EXPECT_NE(text.rbegin()->find(" k=NULL | n=1 sum=NULL values=0 | revision 0"), std::string::npos) << *text.rbegin();
  EXPECT_EQ(printable(std::string_view("f\\1\0\nx", 6), 5), "f\\x5c1\\x00\\x0a...");
}

}  // namespace
}  // namespace tidemark::core::test
