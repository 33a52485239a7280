// SPDX-License-Identifier: Apache-2.0
//
// Page format, keys, records and the page writer: round trips, damage, and a restored pane against a map.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "core/base/bytes.hpp"
#include "core/state/keys.hpp"
#include "core/state/page_format.hpp"
#include "core/state/pane_writer.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {
namespace {

using Entries = std::vector<std::tuple<std::string, std::string, bool>>;

Result<Entries> decode(std::string_view page) {
  Entries out;
  const Status decoded = decode_pane_page(page, [&](const EntryView& entry) {
    out.emplace_back(entry.key, entry.accumulators, entry.removed);
    return Status();
  });
  if (!decoded) return decoded;
  return out;
}

Entries some_entries(size_t count) {
  Entries out;
  for (size_t i = 0; i < count; ++i) {
    const std::string key = "customer-" + std::to_string(1000000 + i);
    out.emplace_back(key, i % 7 == 3 ? "" : std::string(i % 40, static_cast<char>(i)), i % 7 == 3);
  }
  return out;
}

std::string page_of(const Entries& entries) {
  PanePageBuilder builder;
  for (const auto& [key, accumulators, removed] : entries) builder.add({key, accumulators, removed});
  return builder.finish();
}

TEST(PanePage, round_trip_small_and_packed) {
  for (const size_t count : {0, 1, 50, 5000}) {
    const Entries entries = some_entries(count);
    const std::string page = page_of(entries);
    const auto back = decode(page);
    ASSERT_TRUE(back.is_ok()) << back.status().message();
    EXPECT_EQ(*back, entries);
    EXPECT_LT(page.size(), 40'000u) << "zstd";
  }
  const Entries empty_key = {{"", "", false}, {std::string(1, '\0'), "x", false}, {"\xff", "", true}};
  EXPECT_EQ(*decode(page_of(empty_key)), empty_key);
}

TEST(PanePage, any_changed_byte_and_any_cut_is_an_error) {
  std::string page = page_of(some_entries(40));
  for (size_t at = 0; at < page.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      page[at] = static_cast<char>(page[at] ^ (1 << bit));
      EXPECT_FALSE(decode(page).is_ok()) << at;
      page[at] = static_cast<char>(page[at] ^ (1 << bit));
    }
    EXPECT_FALSE(decode(std::string_view(page).substr(0, at)).is_ok());
  }
  EXPECT_TRUE(decode(page).is_ok());
}

TEST(Keys, order_of_bytes_is_order_of_values_and_they_read_back) {
  std::vector<PageKey> keys;
  for (const uint16_t op : std::initializer_list<uint16_t>{0, 1, 256}) {
    for (const Micros end : {kNoTime, Micros{-1}, Micros{0}, Micros{60'000'000}, kEndOfTime}) {
      for (const uint16_t group : std::initializer_list<uint16_t>{0, 255}) {
        for (const PageKind kind : {PageKind::base, PageKind::delta, PageKind::addend}) {
          for (const uint64_t epoch : {uint64_t{1}, uint64_t{300}}) {
            for (const uint32_t run : {0u, 1u, 256u}) {
              for (const uint32_t part : {0u, 1u, 256u}) keys.push_back({op, end, group, {kind, epoch, run}, part});
            }
          }
        }
      }
    }
  }
  std::string previous;
  for (const PageKey& key : keys) {
    const std::string bytes = encode_page_key(key);
    EXPECT_LT(previous, bytes);
    EXPECT_EQ(decode_page_key(bytes), key);
    EXPECT_TRUE(bytes.starts_with(group_prefix(key.operator_id, key.pane_end, key.key_group)));
    EXPECT_LT(bytes, group_prefix(key.operator_id, key.pane_end, key.key_group + 1u));
    previous = bytes;
  }
  EXPECT_FALSE(decode_page_key("short"));
  const PageKey old{1, 60, 7, {PageKind::delta, 5, 0}, 0};
  const std::string short_key = encode_page_key(old).substr(0, 21);
  EXPECT_EQ(decode_page_key(short_key), old) << "of an earlier version";
  EXPECT_EQ(run_begin(old), short_key);
  EXPECT_LT(encode_page_key(old), run_end(old));
  const std::string source = source_key("orders", std::string("a\0b", 3));
  EXPECT_EQ(split_source_key(source)->first, "orders");
  EXPECT_EQ(split_source_key(source)->second, std::string_view("a\0b", 3));
  EXPECT_FALSE(split_source_key("orders"));
}

template <typename Record, typename Decode>
void expect_round_trip_and_refusal(const Record& record, const Decode& decode_bytes) {
  std::string bytes = encode(record);
  const auto back = decode_bytes(bytes);
  ASSERT_TRUE(back.is_ok()) << back.status().message();
  EXPECT_EQ(encode(*back), bytes);
  for (size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_FALSE(decode_bytes(bytes).is_ok()) << at;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_FALSE(decode_bytes(std::string_view(bytes).substr(0, at)).is_ok());
  }
}

TEST(Records, round_trip_and_refusal_of_damage) {
  SplitRecord split{
      "shard-01", "orders", std::string("\0pos", 4), {5, std::string("\0g", 2), 7, 8, 9, 10, true, false, true}, 11,
      12,         13};
  split.progress.times = {{1, 2, 3, 4, 5, 6}, 7, SplitState::idle, 3, 2, {8, 9, 10}};
  split.progress.arrivals.gaps.add(20'000'000, 7);
  split.progress.arrivals.periods.add(5'000);
  EXPECT_EQ(*decode_split_record(encode(split)), split);
  expect_round_trip_and_refusal(split, decode_split_record);
  split.rows_truncated = 14;
  split.truncation = Truncation{"shop", "orders", "gtid", "log.1", 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(*decode_split_record(encode(split)), split);
  expect_round_trip_and_refusal(split, decode_split_record);
  expect_round_trip_and_refusal(
      OperatorRecord{3, "revenue", 5, {1, 2, 3, 4, 5}, {7, 8, 9}, 4, 6, "orders", "shard-01", 9},
      decode_operator_record);
  const JobRecord job{"orders", {{"aggregate revenue", "x"}, {"source orders", ""}}, 1, 42};
  EXPECT_EQ(*decode_job_record(encode(job)), job);
  expect_round_trip_and_refusal(job, decode_job_record);
  const EpochRecord epoch{7, 8, true, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(*decode_epoch_record(encode(epoch)), epoch);
  expect_round_trip_and_refusal(epoch, decode_epoch_record);
  EXPECT_FALSE(decode_job_record(encode(epoch)).is_ok());
}

// Version 1 had one time as the generator's state: state of before is read, under the kind that it must have been.
TEST(Records, a_split_of_version_1_is_read) {
  const auto version_1 = [](Micros generator, uint8_t version) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(uint8_t{1});
    writer.fixed(version);
    for (const char* text : {"orders", "shard-01", "pos"}) writer.text(text);
    for (const Micros time : {Micros{5}, generator, Micros{7}, Micros{8}, Micros{9}, Micros{10}}) writer.fixed(time);
    for (const bool flag : {true, false, true}) writer.fixed(static_cast<uint8_t>(flag));
    for (const uint64_t count : {11, 12, 13}) writer.fixed(count);
    writer.fixed(crc32(bytes));
    return bytes;
  };
  SplitRecord expected{"shard-01", "orders", "pos", {5, "", 7, 8, 9, 10, true, false, true}, 11, 12, 13};
  expected.progress.generator = encode_time(GeneratorState::rows, 8);
  EXPECT_EQ(*decode_split_record(version_1(8, 1)), expected);
  expected.progress.generator = encode_time(GeneratorState::source, 6);
  EXPECT_EQ(*decode_split_record(version_1(6, 1)), expected);
  EXPECT_NE(decode_split_record(version_1(8, 4)).status().message().find("has version 4"), std::string::npos);
}

/// A (pane, key group) of the operator, with its marks.
class FakeGroup final : public PaneChange {
 public:
  FakeGroup(Micros pane_end, uint32_t group) : pane_end_(pane_end), group_(group) {}

  void set(const std::string& key, const std::string& value) {
    live[key] = value;
    dirty_.insert(key);
  }
  void remove(const std::string& key) {
    if (live.erase(key) > 0) dirty_.insert(key);
  }
  void clean() { dirty_.clear(); }

  Micros pane_end() const override { return pane_end_; }
  uint32_t key_group() const override { return group_; }
  size_t dirty_count() const override { return dirty_.size(); }
  size_t entry_count() const override { return live.size(); }
  void visit_dirty(const std::function<void(const EntryView&)>& visit) const override {
    for (const std::string& key : dirty_) {
      const auto at = live.find(key);
      visit(at == live.end() ? EntryView{key, {}, true} : EntryView{key, at->second, false});
    }
  }
  void visit_all(const std::function<void(const EntryView&)>& visit) const override {
    for (const auto& [key, value] : live) visit({key, value, false});
  }

  std::map<std::string, std::string> live;

 private:
  Micros pane_end_;
  uint32_t group_;
  std::set<std::string> dirty_;
};

std::unique_ptr<PaneWriter> writer_of(EpochStore& store, uint16_t operator_id = 1) {
  return std::make_unique<PaneWriter>(operator_id, store, [] { return uint64_t{0}; });
}

using Panes = std::map<Micros, std::map<std::string, std::string>>;

Status restore_into(PaneWriter& writer, uint32_t first, uint32_t last, Panes& out) {
  return writer.restore(first, last, {.entry = [&](Micros end, std::string_view key, const EntryView& entry) {
                          if (entry.removed) {
                            out[end].erase(std::string(key));
                          } else {
                            out[end][std::string(key)] = entry.accumulators;
                          }
                          return Status();
                        }});
}

size_t pages_in(EpochStore& store) {
  size_t count = 0;
  EXPECT_TRUE(store.scan(Family::panes, {}, [&](auto, auto) { return ++count, true; }).is_ok());
  return count;
}

TEST(PaneWriter, restores_what_was_sealed_with_any_split_of_key_groups) {
  std::mt19937_64 random(7);
  auto store = make_memory_epoch_store();
  auto writer = writer_of(*store);
  std::map<Micros, std::map<uint32_t, FakeGroup>> panes;
  for (uint64_t epoch = 1; epoch <= 120; ++epoch) {
    EpochWrites writes;
    for (int i = 0; i < 30; ++i) {
      const Micros end = static_cast<Micros>(epoch / 10 + random() % 3) * 60 - 120;
      const auto group = static_cast<uint32_t>(random() % 4);
      FakeGroup& at = panes[end].try_emplace(group, end, group).first->second;
      const std::string key = std::to_string(group) + "-" + std::to_string(random() % 40);
      random() % 5 == 0 ? at.remove(key) : at.set(key, std::string(random() % 60, static_cast<char>(random())));
    }
    for (auto& [end, groups] : panes) {
      for (auto& [group, change] : groups) {
        ASSERT_TRUE(change.dirty_count() == 0 || writer->write(change, epoch, writes).is_ok());
        change.clean();
      }
    }
    if (epoch % 20 == 0) {
      writer->close(panes.begin()->first, 0, 255, writes);
      panes.erase(panes.begin());
    }
    ASSERT_TRUE(store->commit(writes).is_ok());
    Panes wanted;
    for (const auto& [end, groups] : panes) {
      for (const auto& [group, change] : groups) wanted[end].insert(change.live.begin(), change.live.end());
    }
    Panes restored;
    auto low = writer_of(*store);
    auto high = writer_of(*store);
    auto other = writer_of(*store, 2);
    ASSERT_TRUE(restore_into(*low, 0, 1, restored).is_ok());
    ASSERT_TRUE(restore_into(*high, 2, 255, restored).is_ok());
    std::erase_if(wanted, [](const auto& pane) { return pane.second.empty(); });
    std::erase_if(restored, [](const auto& pane) { return pane.second.empty(); });
    ASSERT_EQ(restored, wanted);
    ASSERT_EQ(low->directory().bytes() + high->directory().bytes(), writer->directory().bytes());
    ASSERT_EQ(low->directory().size() + high->directory().size(), writer->directory().size());
    ASSERT_TRUE(restore_into(*other, 0, 255, restored).is_ok());
    ASSERT_EQ(other->directory().size(), 0u);
    if (epoch % 30 == 0) {  // go on after a restart
      writer = writer_of(*store);
      ASSERT_TRUE(restore_into(*writer, 0, 255, restored).is_ok());
    }
  }
}

TEST(PaneWriter, the_base_is_rewritten_and_older_pages_go) {
  auto store = make_memory_epoch_store();
  auto writer = writer_of(*store);
  FakeGroup group(60, 5);
  const auto seal = [&](uint64_t epoch) {
    EpochWrites writes;
    ASSERT_TRUE(writer->write(group, epoch, writes).is_ok());
    group.clean();
    ASSERT_TRUE(store->commit(writes).is_ok());
  };
  for (int i = 0; i < 1000; ++i) group.set(std::to_string(i), "0123456789");
  seal(1);
  EXPECT_EQ(pages_in(*store), 1u);
  for (uint64_t epoch = 2; epoch <= 9; ++epoch) {
    group.set("1", std::to_string(epoch));
    seal(epoch);
    EXPECT_EQ(pages_in(*store), epoch);
  }
  group.set("1", "last");
  seal(10);
  EXPECT_EQ(pages_in(*store), 1u) << "after 8 deltas";
  for (int i = 0; i < 600; ++i) group.set(std::to_string(i), "changed---");
  seal(11);
  for (int i = 400; i < 999; ++i) group.set(std::to_string(i), "changed");
  seal(12);
  group.set("1", "x");
  seal(13);
  EXPECT_EQ(pages_in(*store), 1u) << "deltas larger than the base";
  for (int i = 0; i < 1000; ++i) group.remove(std::to_string(i));
  seal(14);
  EXPECT_EQ(pages_in(*store), 0u);
  EXPECT_EQ(writer->directory().size(), 0u);
}

TEST(PaneWriter, a_damaged_page_is_named) {
  auto store = make_memory_epoch_store();
  auto writer = writer_of(*store);
  FakeGroup group(60'000'000, 5);
  group.set("a", "1");
  EpochWrites writes;
  ASSERT_TRUE(writer->write(group, 3, writes).is_ok());
  std::string page = writes.writes()[0].value;
  page[page.size() / 2] = static_cast<char>(page[page.size() / 2] ^ 1);
  EpochWrites damaged;
  damaged.put(Family::panes, writes.writes()[0].key, page);
  ASSERT_TRUE(store->commit(damaged).is_ok());
  Panes ignored;
  const Status restored = restore_into(*writer, 0, 255, ignored);
  EXPECT_EQ(restored.code(), Code::damage);
  EXPECT_NE(
      restored.message().find("base page of epoch 3 of operator 1, pane ending 1970-01-01T00:01:00Z, key group 5"),
      std::string::npos)
      << restored.message();
  EXPECT_TRUE(restore_into(*writer, 6, 255, ignored).is_ok()) << "another worker's group";
}

}  // namespace
}  // namespace tidemark::core
