// SPDX-License-Identifier: Apache-2.0
// Cut and damaged files: never a crash, never a wrong row, never a row of a group whose end is missing.
// One thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "binlog_builder.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

using Lines = std::vector<std::string>;

bool is_prefix(const Lines& part, const Lines& all) {
  return part.size() <= all.size() && std::equal(part.begin(), part.end(), all.begin());
}

// Lines up to the last whole group.
Lines whole_groups(const Lines& lines) {
  size_t keep = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("end") || lines[i].starts_with("rotate")) keep = i + 1;
  }
  return {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(keep)};
}

// The first kilobytes of a real file, ending at a group's end.
Bytes head_of(const std::filesystem::path& file, size_t bytes_max) {
  Bytes all = test::read_bytes(file);
  const auto whole = test::fresh_folder("damage_head") / "f";
  if (all.size() > bytes_max) all.resize(bytes_max);
  test::write_bytes(whole, all);
  const Reading reading = read_binlog(whole.string(), 0, false);
  EXPECT_FALSE(reading.error) << reading.error->to_string();
  all.resize(static_cast<size_t>(reading.resume_position));
  return all;
}

class Damage : public ::testing::Test {
 protected:
  Reading read(bool with_cells) const { return read_binlog(file_.string(), 0, with_cells); }

  // Reads with one byte changed, in place: rewriting whole files thousands of times is slow on some file systems.
  Reading read_changed(size_t at, uint8_t value, uint8_t original) const {
    put_byte(at, value);
    Reading reading = read(true);
    put_byte(at, original);
    return reading;
  }

  void put_byte(size_t at, uint8_t value) const {
    std::fstream out(file_, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(at));
    out.put(static_cast<char>(value));
    ASSERT_TRUE(out.flush().good());
  }

  void cut_everywhere(const Bytes& all, bool with_cells) {
    test::write_bytes(file_, all);
    const Reading whole = read(with_cells);
    ASSERT_FALSE(whole.error) << whole.error->to_string();
    ASSERT_FALSE(whole.rows().empty());
    for (size_t size = all.size(); size-- > 0;) {
      std::filesystem::resize_file(file_, size);
      const Reading reading = read(with_cells);
      ASSERT_TRUE(is_prefix(reading.items, whole.items)) << size;
      ASSERT_EQ(reading.items, whole_groups(reading.items)) << size;  // no group in parts
      if (reading.error) {
        ASSERT_EQ(reading.error->kind, ErrorKind::torn_tail) << size << ": " << reading.error->to_string();
      }
    }
  }

  // Every byte, `bits` of its bits: what is read is a prefix of the truth, and the damage is noticed.
  void flip_bits(const Bytes& all, uint32_t bits) {
    test::write_bytes(file_, all);
    const Reading whole = read(true);
    ASSERT_FALSE(whole.error);
    ASSERT_FALSE(whole.rows().empty());
    for (size_t at = 0; at < all.size(); ++at) {
      for (uint32_t i = 0; i < bits; ++i) {
        const uint32_t bit = (static_cast<uint32_t>(at) + i) % 8;
        const Reading reading = read_changed(at, static_cast<uint8_t>(all[at] ^ 1u << bit), all[at]);
        ASSERT_TRUE(is_prefix(reading.items, whole.items)) << "byte " << at << " bit " << bit;
        const bool noticed = reading.error.has_value() || reading.incomplete;
        const bool in_use_flag = at == 4 + 17 && bit == 0;
        ASSERT_TRUE(noticed || in_use_flag) << "byte " << at << " bit " << bit;
      }
    }
  }

  std::filesystem::path file_ =
      test::fresh_folder(std::string("damage_") + ::testing::UnitTest::GetInstance()->current_test_info()->name()) /
      "f";
};

TEST_F(Damage, cut_mysql_full_metadata) {
  cut_everywhere(head_of(test::corpus("orders-mysql-9.7") / "shard-01" / "binlog.000001", 4000), true);
}

TEST_F(Damage, cut_mysql_compressed) {
  cut_everywhere(head_of(test::corpus("orders-mysql-9.7") / "shard-03" / "binlog.000001", 4000), false);
}

TEST_F(Damage, cut_mariadb_compressed) {
  cut_everywhere(head_of(test::corpus("orders-mariadb-10.11") / "shard-03" / "binlog.000001", 4000), false);
}

// Larger files: cut at every event's boundary and at random points inside, flipped at random bits.
TEST_F(Damage, larger_files) {
  for (const auto& [corpus, shard] : {std::pair{"orders-mysql-9.7", "shard-02"},
                                      {"orders-mysql-9.7", "shard-04"},
                                      {"orders-mariadb-10.11", "shard-03"},
                                      {"orders-mariadb-10.11", "shard-02"}}) {
    const Bytes all = head_of(test::corpus(corpus) / shard / "binlog.000001", 30'000);
    std::mt19937 random(7);
    std::vector<size_t> sizes;
    for (size_t at = 4; at + kHeaderBytes <= all.size();) {
      sizes.push_back(at);
      const size_t size = parse_header({all.data() + at, kHeaderBytes}).size;
      sizes.push_back(at + 1 + random() % size);
      at += size;
    }
    sizes.push_back(all.size());
    std::sort(sizes.rbegin(), sizes.rend());
    test::write_bytes(file_, all);
    const Reading whole = read(false);
    ASSERT_FALSE(whole.error);
    ASSERT_GT(whole.rows().size(), 20u);
    for (const size_t size : sizes) {
      std::filesystem::resize_file(file_, size);
      const Reading reading = read(false);
      ASSERT_TRUE(is_prefix(reading.items, whole.items)) << shard << " cut at " << size;
      ASSERT_EQ(reading.items, whole_groups(reading.items)) << shard << " cut at " << size;
      const bool torn = !reading.error || reading.error->kind == ErrorKind::torn_tail;
      ASSERT_TRUE(torn) << shard << " cut at " << size << ": " << reading.error->to_string();
      ASSERT_TRUE(reading.incomplete || reading.error || reading.resume_position == size) << shard << ' ' << size;
    }
    test::write_bytes(file_, all);
    for (int i = 0; i < 300; ++i) {
      const size_t at = random() % all.size();
      const auto bit = static_cast<uint8_t>(1u << random() % 8);
      if (at == 4 + 17) continue;  // flags of FORMAT_DESCRIPTION: the in-use flag is no damage
      put_byte(at, all[at] ^ bit);
      const Reading reading = read(false);
      put_byte(at, all[at]);
      ASSERT_TRUE(is_prefix(reading.items, whole.items)) << shard << " byte " << at;
      ASSERT_TRUE(reading.error || reading.incomplete) << shard << " byte " << at;
      // It stops at that event: names its place, or that of the group that needs it.
      const uint64_t place = reading.error ? reading.error->position : 0;
      ASSERT_LE(place, at) << shard << ": " << reading.error->to_string();
    }
  }
}

TEST_F(Damage, flip_every_bit) {
  BinlogBuilder builder;
  builder.mysql_gtid(1, 5);
  builder.begin();
  builder.table_map();
  builder.insert(1, "abc");
  builder.xid();
  builder.mysql_gtid(2, 6);
  builder.begin();
  builder.table_map();
  builder.insert(2, "def");
  builder.query("ROLLBACK");
  flip_bits(builder.bytes(), 8);
}

TEST_F(Damage, flip_mysql) {
  flip_bits(head_of(test::corpus("orders-mysql-9.7") / "shard-01" / "binlog.000001", 2600), 1);
}

TEST_F(Damage, flip_mariadb) {
  flip_bits(head_of(test::corpus("orders-mariadb-10.11") / "shard-02" / "binlog.000001", 2600), 1);
}

// Without checksums damage cannot be seen in general, but nothing may crash or read out of bounds.
TEST_F(Damage, flips_without_checksums_are_survived) {
  BinlogBuilder builder({"8.4.3", false, false});
  builder.mysql_gtid(1, 5);
  builder.begin();
  builder.table_map();
  builder.insert(1, "abc");
  builder.table_map();
  builder.insert(2, "");
  builder.xid();
  Bytes inner;
  for (const auto& [type, body] :
       {std::pair{EventType::query, query_body("BEGIN", "db")}, std::pair{EventType::table_map, table_map_body("t", 7)},
        std::pair{EventType::write_rows_v1, insert_body(1, "x", 7)}, std::pair{EventType::xid, Bytes(8)}}) {
    const Bytes event = make_event(type, body, 0, false);
    inner.insert(inner.end(), event.begin(), event.end());
  }
  builder.event(EventType::transaction_payload, payload_body(inner, 255));
  builder.event(EventType::transaction_payload, payload_body(inner, 0));
  const Bytes all = builder.bytes();
  test::write_bytes(file_, all);
  ASSERT_EQ(read(true).rows().size(), 4u);
  for (size_t at = 4; at < all.size(); ++at) {
    for (uint32_t bit = 0; bit < 8; ++bit) {
      const Reading reading = read_changed(at, static_cast<uint8_t>(all[at] ^ 1u << bit), all[at]);
      ASSERT_LE(reading.items.size(), 100u);
    }
  }
}

}  // namespace
}  // namespace tidemark::binlog
