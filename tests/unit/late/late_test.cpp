// SPDX-License-Identifier: Apache-2.0
//
// Late pages over a store: what was put in comes out with everything known of it; headers alone give the counts;
// damage is never other rows.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "core/base/clock.hpp"
#include "core/base/int256.hpp"
#include "core/late/late_key.hpp"
#include "core/late/late_page.hpp"
#include "core/late/late_page_writer.hpp"
#include "core/late/late_reader.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kMinute = 60 * kMicrosPerSecond;

class FakeClock final : public Clock {
 public:
  Micros monotonic_us() const noexcept override { return wall; }
  Micros wall_us() const noexcept override { return wall; }
  Micros wall = 1'774'742'340'000'000;  // 2026-03-28T23:59:00Z
};

std::shared_ptr<const BatchLayout> all_types() {
  auto layout = std::make_shared<BatchLayout>();
  for (int type = static_cast<int>(ColumnType::boolean); type <= static_cast<int>(ColumnType::json); ++type) {
    ColumnInfo column;
    column.name = "c" + std::to_string(type);
    column.type = static_cast<ColumnType>(type);
    if (is_decimal(column.type)) column.precision = 18, column.scale = 2;
    layout->columns.push_back(column);
  }
  return layout;
}

Slice put_text(Batch& batch, std::string_view text) {
  return batch.put_on_heap(text).value();
}

/// Random rows of every type; about a quarter of the cells is NULL, and a row in ten has no event time.
BatchRef random_batch(std::shared_ptr<const BatchLayout> layout, uint32_t rows, std::mt19937_64& random,
                      size_t text_bytes_max = 20) {
  auto batch = std::make_shared<Batch>(std::move(layout), rows, 64);
  batch->rows = rows;
  batch->split = 3;
  for (uint32_t i = 0; i < 2; ++i) {
    batch->origins[i] = {put_text(*batch, "gtid-" + std::to_string(random())),
                         put_text(*batch, "binlog.000007"),
                         put_text(*batch, "shop"),
                         put_text(*batch, "orders"),
                         random(),
                         i,
                         Micros{5} + i};
  }
  batch->origin_count = 2;
  for (uint32_t row = 0; row < rows; ++row) {
    batch->event_time_us[row] = random() % 10 == 0 ? kNoTime : static_cast<Micros>(random() % 1000) * kMinute;
    batch->op[row] = static_cast<uint8_t>(1 + random() % 4);
    batch->sequence[row] = random();
    batch->origin[row] = random() % 7 == 0 ? kNoOrigin : static_cast<uint32_t>(row * 2 / rows);
    for (size_t i = 0; i < batch->columns().size(); ++i) {
      Column& column = batch->mutable_columns()[i];
      const ColumnType type = batch->layout().columns[i].type;
      if (random() % 4 == 0) continue;
      column.set_valid(row);
      if (is_variable_width(type)) {
        const Slice text = put_text(*batch, std::string(random() % (text_bytes_max + 1), 'x'));
        static_cast<Slice*>(column.values)[row] = text;
      } else {
        for (uint32_t byte = 0; byte < value_width(type); ++byte) {
          // small values: dates and times stay in range, whatever the type
          const bool low = byte < 2;
          static_cast<uint8_t*>(column.values)[row * value_width(type) + byte] =
              low ? static_cast<uint8_t>(random() % 100) : uint8_t{0};
        }
      }
    }
  }
  return batch;
}

std::vector<uint32_t> all_rows(const Batch& batch) {
  std::vector<uint32_t> out(batch.rows);
  for (uint32_t row = 0; row < batch.rows; ++row) out[row] = row;
  return out;
}

void expect_same_row(const Batch& a, uint32_t row_a, const Batch& b, uint32_t row_b) {
  ASSERT_EQ(a.layout().columns.size(), b.layout().columns.size());
  EXPECT_EQ(a.event_time_us[row_a], b.event_time_us[row_b]);
  EXPECT_EQ(a.op[row_a], b.op[row_b]);
  EXPECT_EQ(a.sequence[row_a], b.sequence[row_b]);
  const Origin* from = a.origin_of(row_a);
  const Origin* to = b.origin_of(row_b);
  ASSERT_EQ(from == nullptr, to == nullptr);
  if (from != nullptr) {
    EXPECT_EQ(a.bytes_of(from->gtid), b.bytes_of(to->gtid));
    EXPECT_EQ(a.bytes_of(from->file), b.bytes_of(to->file));
    EXPECT_EQ(a.bytes_of(from->database), b.bytes_of(to->database));
    EXPECT_EQ(a.bytes_of(from->table), b.bytes_of(to->table));
    EXPECT_EQ(from->position, to->position);
    EXPECT_EQ(from->schema_version, to->schema_version);
    EXPECT_EQ(from->commit_time_us, to->commit_time_us);
  }
  for (size_t i = 0; i < a.layout().columns.size(); ++i) {
    const ColumnType type = a.layout().columns[i].type;
    ASSERT_EQ(a.layout().columns[i], b.layout().columns[i]);
    ASSERT_EQ(a.column(i).is_valid(row_a), b.column(i).is_valid(row_b));
    if (!a.column(i).is_valid(row_a)) continue;
    if (is_variable_width(type)) {
      EXPECT_EQ(a.bytes_at(i, row_a), b.bytes_at(i, row_b));
    } else {
      const uint32_t width = value_width(type);
      EXPECT_EQ(std::memcmp(a.column(i).as<char>() + row_a * width, b.column(i).as<char>() + row_b * width, width), 0);
    }
  }
}

LateContext context_of(std::string_view aggregate) {
  LateContext out;
  out.source = "orders";
  out.source_number = 2;
  out.split = "shard-03";
  out.aggregate = aggregate;
  out.holder = "shard-01";
  return out;
}

TEST(LatePage, reads_back_as_the_same_rows_with_everything_known_of_them) {
  std::mt19937_64 random(1);
  FakeClock clock;
  LatePageWriter writer(clock, 5);
  const BatchRef batch = random_batch(all_types(), 300, random);
  const LateGroup group{7, 10 * kMinute, 20 * kMinute, batch, {0, 3, 4, 299}};
  writer.add(group, context_of("revenue"));
  EXPECT_EQ(writer.rows_waiting(), 4u);
  const auto records = writer.seal(9);
  ASSERT_EQ(records.size(), 1u);
  const auto page = decode_late_page(records[0].value);
  ASSERT_TRUE(page.is_ok()) << page.status().message();
  ASSERT_EQ(page->header.rows, 4u);
  for (uint32_t row = 0; row < 4; ++row) {
    expect_same_row(*batch, group.rows[row], *page->rows, row);
    const LateItem item = page->item(row);
    EXPECT_EQ(item.source, "orders");
    EXPECT_EQ(item.split, "shard-03");
    EXPECT_EQ(item.split_number, 3u);
    EXPECT_EQ(item.aggregate, "revenue");
    EXPECT_EQ(item.reason, LateReason::too_late);
    EXPECT_EQ(item.holder, "shard-01");
    EXPECT_EQ(item.pane_end, 10 * kMinute);
    EXPECT_EQ(item.arrival, clock.wall);
    const bool timed = item.event_time != kNoTime;
    EXPECT_EQ(item.lateness_us, timed ? 20 * kMinute - item.event_time : 0);
  }
  const auto key = decode_late_key(records[0].key);
  ASSERT_TRUE(key);
  EXPECT_EQ(*key, (LateKey{arrival_hour_of(clock.wall), 2, 3, batch->event_time_us[0], late_sequence(9, 5, 0)}));
  EXPECT_TRUE(writer.seal(10).empty());
}

TEST(LatePage, half_an_update_says_what_the_other_half_was) {
  std::mt19937_64 random(3);
  FakeClock clock;
  LatePageWriter writer(clock, 5);
  const BatchRef batch = random_batch(all_types(), 6, random);
  const Op ops[] = {Op::update_before, Op::update_after, Op::insert, Op::update_before, Op::update_after, Op::remove};
  for (uint32_t row = 0; row < 6; ++row) {
    batch->op[row] = static_cast<uint8_t>(ops[row]);
    batch->event_time_us[row] = row * kMinute;
    batch->sequence[row] = 100 + row;
  }
  LateGroup group{7, 10 * kMinute, 20 * kMinute, batch, {0, 2, 3, 4, 5}};
  group.why = LateGroup::Why::partly_late;
  group.windows_missed = 2;
  writer.add(group, context_of("revenue"));
  const auto page = decode_late_page(writer.seal(1).at(0).value);
  ASSERT_TRUE(page.is_ok()) << page.status().message();
  EXPECT_EQ(page->item(0).reason, LateReason::partly_late);
  EXPECT_EQ(page->item(0).detail,
            "missed 2 windows; half of an update; the other half: event time 1970-01-01T00:01:00Z, sequence 101");
  for (uint32_t row = 1; row < 5; ++row) EXPECT_EQ(page->item(row).detail, "missed 2 windows");  // 3 and 4: both here
}

TEST(LatePage, any_changed_byte_and_any_cut_is_an_error) {
  std::mt19937_64 random(2);
  FakeClock clock;
  LatePageWriter writer(clock, 0);
  for (const uint32_t rows : {2u, 100u}) {  // as it is, and packed
    const BatchRef batch = random_batch(all_types(), rows, random);
    writer.add_set_aside(*batch, all_rows(*batch), LateReason::future, context_of(""));
    std::string page = writer.seal(1)[0].value;
    const auto header = read_late_header(page);
    ASSERT_TRUE(decode_late_page(page).is_ok());
    for (size_t at = 0; at < page.size(); ++at) {
      page[at] = static_cast<char>(page[at] ^ 0x20);
      EXPECT_FALSE(decode_late_page(page).is_ok()) << at;
      const auto damaged = read_late_header(page);
      EXPECT_TRUE(!damaged || *damaged == *header) << at;
      page[at] = static_cast<char>(page[at] ^ 0x20);
      EXPECT_FALSE(decode_late_page(std::string_view(page).substr(0, at)).is_ok()) << at;
    }
  }
}

TEST(LateStore, nothing_is_lost_and_headers_give_the_counts) {
  std::mt19937_64 random(3);
  FakeClock clock;
  const auto store = make_memory_epoch_store();
  LatePageWriter worker(clock, 1);
  LatePageWriter ingest(clock, 2);
  auto layout = all_types();
  std::map<std::pair<std::string, LateReason>, uint64_t> wanted;
  std::multiset<uint64_t> sequences;
  for (uint64_t epoch = 1; epoch <= 6; ++epoch) {
    for (int i = 0; i < 5; ++i) {
      const BatchRef batch = random_batch(layout, 400, random, i == 0 ? 2000 : 20);
      const std::string aggregate = random() % 2 == 0 ? "revenue" : "visits";
      worker.add({1, 5 * kMinute, 9 * kMinute, batch, all_rows(*batch)}, context_of(aggregate));
      wanted[{aggregate, LateReason::too_late}] += batch->rows;
      const std::vector<uint32_t> some = {1, 2, 3};
      ingest.add_set_aside(*batch, some, LateReason::no_event_time, context_of(""));
      wanted[{"", LateReason::no_event_time}] += some.size();
      for (const uint32_t row : all_rows(*batch)) sequences.insert(batch->sequence[row]);
      for (const uint32_t row : some) sequences.insert(batch->sequence[row]);
      clock.wall += 17 * kMinute;
    }
    if (epoch == 3) {  // the table got another column
      auto wider = std::make_shared<BatchLayout>(*layout);
      wider->columns.push_back({"more", ColumnType::int64, 0, 0, true, ""});
      layout = wider;
    }
    EpochWrites writes;
    for (LatePageWriter* writer : {&worker, &ingest}) {
      for (LateRecord& record : writer->seal(epoch)) {
        ASSERT_FALSE((*store->get(Family::late, record.key)).has_value()) << "keys are unique";
        EXPECT_LE(record.value.size(), 3 * kLatePageBytes);
        writes.put(Family::late, std::move(record.key), std::move(record.value));
      }
    }
    ASSERT_TRUE(store->commit(writes).is_ok());
  }

  LateSummary summary;
  std::multiset<uint64_t> seen;
  Status status;
  ASSERT_TRUE(store
                  ->scan(Family::late, {},
                         [&](auto key, auto value) {
                           status = summary.add(key, value);
                           if (status) {
                             status = visit_late_page(key, value, {}, [&](const LateItem& item) {
                               seen.insert(item.sequence);
                               return true;
                             });
                           }
                           return status.is_ok();
                         })
                  .is_ok());
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_EQ(seen, sequences);
  std::map<std::pair<std::string, LateReason>, uint64_t> counted;
  for (const auto& [key, counts] : summary.by_key()) counted[{key.aggregate, key.reason}] += counts.rows;
  EXPECT_EQ(counted, wanted);
  EXPECT_EQ(summary.total().rows, sequences.size());
  EXPECT_EQ(summary.by_split().at("shard-03").rows, sequences.size());
  EXPECT_EQ(summary.by_reason().at(LateReason::no_event_time).rows, 90u);
}

TEST(LateStore, filters_skip_pages_and_rows) {
  std::mt19937_64 random(4);
  FakeClock clock;
  LatePageWriter writer(clock, 0);
  const BatchRef batch = random_batch(all_types(), 200, random);
  writer.add({1, 5 * kMinute, 9 * kMinute, batch, all_rows(*batch)}, context_of("revenue"));
  const LateRecord record = writer.seal(1)[0];
  const auto count = [&](const LateFilter& filter) {
    size_t rows = 0;
    EXPECT_TRUE(visit_late_page(record.key, record.value, filter, [&](const LateItem& item) {
                  EXPECT_TRUE(filter.matches(item));
                  return ++rows, true;
                }).is_ok());
    return rows;
  };
  EXPECT_EQ(count({}), 200u);
  LateFilter by_time;
  by_time.event_from = 100 * kMinute;
  by_time.event_to = 500 * kMinute;
  const auto in_range = std::count_if(batch->event_time_us, batch->event_time_us + 200,
                                      [&](Micros t) { return t >= 100 * kMinute && t < 500 * kMinute; });
  EXPECT_EQ(count(by_time), static_cast<size_t>(in_range));
  LateFilter other;
  other.aggregate = "visits";
  EXPECT_EQ(count(other), 0u);
  other = {};
  other.reason = LateReason::future;
  EXPECT_EQ(count(other), 0u);
  other = {};
  other.arrival_from = clock.wall + 1;
  EXPECT_EQ(count(other), 0u);
  bool stopped = false;
  EXPECT_TRUE(visit_late_page(
                  record.key, record.value, {}, [](const LateItem&) { return false; }, &stopped)
                  .is_ok());
  EXPECT_TRUE(stopped);
}

TEST(LateKey, order_of_bytes_is_order_of_values) {
  std::string previous;
  for (const uint32_t hour : {0u, 500'000u}) {
    for (const uint16_t source : std::initializer_list<uint16_t>{0, 300}) {
      for (const uint32_t split : {0u, 70'000u}) {
        for (const Micros time : {kNoTime, Micros{-5}, Micros{5}, kEndOfTime}) {
          for (const uint64_t sequence : {late_sequence(1, 0, 7), late_sequence(1, 1, 0), late_sequence(2, 0, 0)}) {
            const LateKey key{hour, source, split, time, sequence};
            const std::string bytes = encode_late_key(key);
            EXPECT_LT(previous, bytes);
            EXPECT_EQ(decode_late_key(bytes), key);
            EXPECT_LT(bytes, late_hour_prefix(hour + 1));
            previous = bytes;
          }
        }
      }
    }
  }
}

TEST(LateKey, every_key_can_be_described) {
  LateKey key;
  key.arrival_hour = UINT32_MAX;  // far beyond the range of times
  EXPECT_NE(describe(key).find("late page of hour end"), std::string::npos) << describe(key);
  key.arrival_hour = 492'983;
  EXPECT_NE(describe(key).find("hour 2026-03-28T23:00:00Z"), std::string::npos) << describe(key);
}

}  // namespace
}  // namespace tidemark::core
