// SPDX-License-Identifier: Apache-2.0
//
// Kept rows over a memory store: completion, what becomes a problem, truncations that end anywhere, epochs that are
// durable or not. A random run against a plain map, with restarts from the last commit.
#include "core/state/kept_rows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/batch/cell_text.hpp"
#include "core/batch/cell_writer.hpp"

namespace tidemark::core {
namespace {

ColumnInfo column(std::string name, ColumnType type) {
  ColumnInfo out;
  out.name = std::move(name);
  out.type = type;
  return out;
}

/// (id bigint, note text, v int): id is the key.
std::shared_ptr<const BatchLayout> layout() {
  static const auto kLayout = std::make_shared<const BatchLayout>(BatchLayout{
      {column("id", ColumnType::int64), column("note", ColumnType::text), column("v", ColumnType::int32)}, 0, true});
  return kLayout;
}

/// An image: "?" is absent, nothing is NULL.
struct Image {
  Op op;
  std::string id, note, v;
};

class KeptRowsTest : public ::testing::Test {
 protected:
  KeptRowsTest() { restart(); }

  /// Continues from what was committed.
  void restart(bool takes_unknown = false, bool keeps_times = false) {
    store_ = make_memory_epoch_store(store_.get());
    kept_ = std::make_unique<KeptRows>(*store_, KeptRows::Place{"s", "shard", takes_unknown, keeps_times}, layout(),
                                       std::vector<uint32_t>{0});
  }
  void commit() {
    EpochWrites writes;
    kept_->seal(++epoch_, writes);
    ASSERT_TRUE(store_->commit(writes));
    kept_->committed(epoch_);
  }

  static Slice text(Batch& batch, std::string_view bytes) { return batch.put_on_heap(bytes).value(); }
  std::unique_ptr<Batch> batch_of(const std::vector<Image>& images, const std::string& table = "t") const {
    auto batch = std::make_unique<Batch>(layout(), 64, 16);
    batch->clear();
    batch->origins[0] = {{}, text(*batch, "log.1"), text(*batch, "db"), text(*batch, table), 77, 0, 5};
    batch->origin_count = 1;
    for (const Image& image : images) {
      const uint32_t row = batch->rows++;
      batch->op[row] = static_cast<uint8_t>(image.op);
      batch->origin[row] = 0;
      batch->sequence[row] = row;
      batch->event_time_us[row] = 1;
      const auto put = [&](size_t at, const std::string& value, const auto& write) {
        if (value == "?")
          batch->absent()[at][row >> 3] = static_cast<uint8_t>(batch->absent()[at][row >> 3] | 1U << (row & 7));
        if (value != "?" && !value.empty()) write();
      };
      put(0, image.id, [&] { put_value<int64_t>(*batch, 0, row, std::stoll(image.id)); });
      put(1, image.note, [&] { ASSERT_TRUE(put_text(*batch, 1, row, image.note)); });
      put(2, image.v, [&] { put_value<int32_t>(*batch, 2, row, std::stoi(image.v)); });
    }
    return batch;
  }
  static std::string row_text(const Batch& batch, uint32_t row) {
    std::string out;
    for (size_t i = 0; i < 3; ++i) {
      out += i == 0 ? "" : ",";
      if (batch.column(i).is_valid(row)) append_cell_text(batch, i, row, out);
    }
    return out;
  }
  /// Rows after take(); those with a problem as "!<reason>".
  std::vector<std::string> take(const std::vector<Image>& images, const std::string& table = "t") {
    auto batch = batch_of(images, table);
    const Status taken = kept_->take(*batch);
    EXPECT_TRUE(taken.is_ok()) << taken.message();
    std::vector<std::string> out;
    for (uint32_t row = 0; row < batch->rows; ++row) out.push_back(row_text(*batch, row));
    for (const RowProblem& problem : batch->row_problems()) {
      for (uint32_t i = 0; i < problem.rows; ++i)
        out[problem.row + i] = "!" + std::to_string(static_cast<int>(problem.reason));
      problem_ = std::string(batch->bytes_of(problem.text));
    }
    return out;
  }
  /// All rows that a truncation takes out, in batches of `capacity`; commits and restarts in between on demand.
  std::vector<std::string> take_out(const Truncation& truncation, uint32_t capacity = 64, bool with_restarts = false) {
    std::vector<std::string> out;
    for (bool more = true; more;) {
      Batch batch(layout(), capacity, 16);
      batch.clear();
      const auto result = kept_->take_out(truncation, batch);
      EXPECT_TRUE(result.is_ok()) << result.status().message();
      more = result && *result;
      for (uint32_t row = 0; row < batch.rows; ++row) {
        EXPECT_EQ(batch.op_at(row), Op::remove);
        EXPECT_EQ(batch.sequence[row], truncation.sequence);
        out.push_back(std::string(batch.bytes_of(batch.origin_of(row)->table)) + ":" + row_text(batch, row));
      }
      if (with_restarts) {
        commit();
        restart();
      }
    }
    return out;
  }
  static Truncation of(const std::string& table) {
    Truncation out;
    out.database = "db";
    out.table = table;
    out.sequence = 9;
    return out;
  }

  std::unique_ptr<EpochStore> store_;
  std::unique_ptr<KeptRows> kept_;
  std::string problem_;
  uint64_t epoch_ = 0;
};

using Texts = std::vector<std::string>;

TEST_F(KeptRowsTest, images_are_completed_in_the_order_of_the_rows) {
  EXPECT_EQ(take({{Op::insert, "1", "a", "10"},
                  {Op::update_before, "1", "?", "?"},
                  {Op::update_after, "?", "?", "11"},
                  {Op::update_before, "1", "?", "?"},
                  {Op::update_after, "2", "", "?"},
                  {Op::remove, "2", "?", "?"}}),
            (Texts{"1,a,10", "1,a,10", "1,a,11", "1,a,11", "2,,11", "2,,11"}));
  EXPECT_EQ(take({{Op::remove, "2", "?", "?"}}), Texts{"!1"}) << "it is gone";
}

TEST_F(KeptRowsTest, rows_that_were_never_counted_are_not_taken_back) {
  const std::vector<Image> update{{Op::update_before, "7", "n", "3"}, {Op::update_after, "7", "n", "4"}};
  EXPECT_EQ(take(update), (Texts{"!100", "!100"}));
  EXPECT_NE(problem_.find("log.1:77: a row is changed that was never counted"), std::string::npos) << problem_;
  EXPECT_EQ(take({{Op::remove, "7", "n", "4"}}), Texts{"!100"});
  EXPECT_EQ(take({{Op::insert, "7", "n", "5"}, {Op::insert, "7", "n", "6"}}), (Texts{"7,n,5", "!2"}));
  EXPECT_EQ(take_out(of("t")), Texts{"t:7,n,5"});
  restart(true);  // no_base = "delta"
  EXPECT_EQ(take({{Op::update_before, "7", "n", "3"}, {Op::update_after, "?", "?", "4"}}), (Texts{"7,n,3", "7,n,4"}))
      << "a whole before image needs no kept row";
  EXPECT_EQ(take({{Op::remove, "8", "n", "4"}}), Texts{"8,n,4"});
}

TEST_F(KeptRowsTest, what_is_taken_back_is_what_was_counted) {
  for (const bool delta : {false, true}) {
    restart(delta);
    take({{Op::insert, "1", "a", "10"}});
    auto aside = batch_of({{Op::update_before, "1", "a", "10"}, {Op::update_after, "1", "b", "11"}});
    aside->problems[0] = {0, 2, ProblemReason::undecodable, 0, {}};
    aside->problem_count = 1;
    ASSERT_TRUE(kept_->take(*aside));
    EXPECT_EQ(take({{Op::update_before, "1", "b", "11"}, {Op::update_after, "1", "?", "12"}}),
              (Texts{"1,a,10", "1,b,12"}))
        << "the new half goes by its own old half";
    ASSERT_TRUE(kept_->take(*batch_of({{Op::update_before, "1", "b", "12"}, {Op::update_after, "1", "", "12"}})));
    aside = batch_of({{Op::update_before, "1", "", "12"}, {Op::update_after, "1", "c", "12"}});
    aside->problems[0] = {0, 2, ProblemReason::undecodable, 0, {}};
    aside->problem_count = 1;
    ASSERT_TRUE(kept_->take(*aside));
    EXPECT_EQ(take({{Op::remove, "1", "c", "12"}}), Texts{"1,,12"}) << "a NULL was counted";
  }
}

TEST_F(KeptRowsTest, rows_are_taken_back_with_the_time_that_they_were_counted_with) {
  restart(false, true);
  const auto times = [&](const std::vector<Image>& images, Micros time) {
    auto batch = batch_of(images);
    std::fill_n(batch->event_time_us, batch->rows, time);
    EXPECT_TRUE(kept_->take(*batch));
    return std::vector<Micros>(batch->event_time_us, batch->event_time_us + batch->rows);
  };
  using Times = std::vector<Micros>;
  EXPECT_EQ(times({{Op::insert, "1", "a", "10"}, {Op::insert, "2", "b", "5"}}, 100), (Times{100, 100}));
  EXPECT_EQ(times({{Op::update_before, "1", "?", "?"}, {Op::update_after, "?", "?", "11"}}, 200), (Times{100, 200}));
  commit();
  restart(false, true);
  EXPECT_EQ(times({{Op::update_before, "1", "a", "11"}, {Op::update_after, "3", "a", "11"}}, 300), (Times{200, 300}));
  EXPECT_EQ(times({{Op::remove, "2", "b", "5"}}, 400), Times{100});
  Batch gone(layout(), 4, 16);
  gone.clear();
  Truncation truncation = of("t");
  truncation.event_time_us = 500;
  ASSERT_TRUE(kept_->take_out(truncation, gone).is_ok());
  ASSERT_EQ(gone.rows, 1U);
  EXPECT_EQ(row_text(gone, 0), "3,a,11");
  EXPECT_EQ(gone.event_time_us[0], 300);
}

TEST_F(KeptRowsTest, what_is_not_known_is_a_problem_and_changes_nothing) {
  EXPECT_EQ(take({{Op::insert, "1", "a", "?"}}), Texts{"!1"});
  EXPECT_NE(
      problem_.find("log.1:77: column v of db.t is needed but absent from the row image of an INSERT; the default"),
      std::string::npos)
      << problem_;
  EXPECT_EQ(take({{Op::update_before, "1", "?", "?"}, {Op::update_after, "?", "b", "?"}}), (Texts{"!1", "!1"}));
  EXPECT_NE(
      problem_.find("columns note, v of db.t are needed but absent from the before image of an UPDATE, and no row"),
      std::string::npos)
      << problem_;
  EXPECT_EQ(take({{Op::remove, "?", "a", "1"}}), Texts{"!1"});
  EXPECT_EQ(take({{Op::insert, "", "a", "1"}}), Texts{"!2"}) << "a key without a value";
  EXPECT_EQ(take({{Op::insert, "1", "a", "1"}}, "other"), Texts{"1,a,1"});
  EXPECT_EQ(take({{Op::remove, "1", "?", "?"}}), Texts{"!1"}) << "that is a row of another table";
  EXPECT_EQ(take_out(of("t")), Texts());
}

TEST_F(KeptRowsTest, problems_of_the_source_stay_and_leave_rows_alone) {
  take({{Op::insert, "1", "a", "1"}});
  auto batch = batch_of({{Op::remove, "1", "", ""}, {Op::remove, "5", "?", "?"}, {Op::unread, "", "", ""}});
  batch->problems[0] = {0, 1, ProblemReason::undecodable, 0, {}};
  batch->problems[1] = {2, 1, ProblemReason::statement, 0, {}};
  batch->problem_count = 2;
  ASSERT_TRUE(kept_->take(*batch));
  ASSERT_EQ(batch->row_problems().size(), 3u);
  for (uint32_t row = 0; row < 3; ++row) EXPECT_EQ(batch->row_problems()[row].row, row);
  EXPECT_EQ(take_out(of("t")), Texts{"t:1,a,1"});
}

TEST_F(KeptRowsTest, a_read_meets_what_is_durable_and_what_is_not) {
  take({{Op::insert, "1", "a", "1"}, {Op::insert, "2", "b", "2"}});
  EpochWrites first;
  kept_->seal(1, first);
  take({{Op::remove, "1", "?", "?"}, {Op::insert, "3", "c", "3"}});
  ASSERT_TRUE(store_->commit(first));
  kept_->committed(1);
  EXPECT_EQ(take({{Op::remove, "1", "?", "?"}}), Texts{"!1"}) << "the removal came after the epoch";
  EXPECT_EQ(take({{Op::update_before, "2", "?", "?"}, {Op::update_after, "?", "?", "5"}}), (Texts{"2,b,2", "2,b,5"}));
  epoch_ = 1;
  restart();  // the second epoch was never durable
  EXPECT_EQ(take_out(of("t")), (Texts{"t:1,a,1", "t:2,b,2"}));
  commit();
  EXPECT_EQ(kept_->bytes(), 0u);
  EXPECT_EQ(take_out(of("t")), Texts());
}

TEST_F(KeptRowsTest, a_truncation_takes_a_table_a_database_or_all) {
  const auto fill = [&] {
    for (const char* table : {"a", "ab", "b"}) take({{Op::insert, "1", "x", "1"}, {Op::insert, "2", "y", "2"}}, table);
  };
  fill();
  commit();
  EXPECT_EQ(take_out(of("a")), (Texts{"a:1,x,1", "a:2,y,2"}));
  fill();
  EXPECT_EQ(take_out(of(""), 2, true), (Texts{"a:1,x,1", "a:2,y,2", "b:1,x,1", "b:2,y,2", "ab:1,x,1", "ab:2,y,2"}));
  fill();
  EXPECT_EQ(take_out(Truncation(), 1).size(), 6u);
  EXPECT_EQ(take_out(Truncation()).size(), 0u);
}

// Against a map: every completed image and every row that is taken out.
TEST_F(KeptRowsTest, random_changes_are_as_in_a_map) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); };
    store_ = make_memory_epoch_store();
    restart();
    using Rows = std::map<int, std::pair<std::string, int>>;
    Rows rows;
    Rows durable;
    const auto text_of = [](int id, const std::pair<std::string, int>& row) {
      return std::to_string(id) + "," + row.first + "," + std::to_string(row.second);
    };
    for (int step = 0; step < 300; ++step) {
      const int id = static_cast<int>(below(20));
      const std::string name = std::to_string(id);
      const auto found = rows.find(id);
      const uint32_t what = below(100);
      if (what < 30) {
        const std::string note(below(5), 'n');
        const Texts put = take({{Op::insert, name, note, std::to_string(step)}});
        EXPECT_EQ(put.front() == "!2", found != rows.end());
        rows.try_emplace(id, note, step);
      } else if (what < 60 && found != rows.end()) {
        const std::string before = text_of(id, found->second);
        found->second.second = step;
        const int moved = below(3) == 0 && !rows.contains(id + 20) ? id + 20 : id;
        auto node = rows.extract(found);
        node.key() = moved;
        const auto& after = rows.insert(std::move(node)).position->second;
        EXPECT_EQ(take({{Op::update_before, name, "?", "?"},
                        {Op::update_after, moved == id ? "?" : std::to_string(moved), "?", std::to_string(step)}}),
                  (Texts{before, text_of(moved, after)}));
      } else if (what < 75) {
        const Texts gone = take({{Op::remove, name, "?", "?"}});
        EXPECT_EQ(gone.front(), found == rows.end() ? "!1" : text_of(id, found->second));
        rows.erase(id);
      } else if (what < 80) {
        Texts right;
        for (const auto& [key, row] : rows) right.push_back("t:" + text_of(key, row));
        EXPECT_EQ(take_out(of("t"), 1 + below(7)), right);
        rows.clear();
      } else if (what < 95) {
        commit();
        durable = rows;
      } else {
        restart();
        rows = durable;
      }
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark::core
