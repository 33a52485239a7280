// SPDX-License-Identifier: Apache-2.0
//
// The sink of type mysql over a target that fails where it is told to: whatever step fails or dies, the target has each
// stored epoch once. What an epoch gives after a crash before it was stored differs, as it does in life.
#include "core/sink/mysql_sink.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "core/batch/cell_writer.hpp"

namespace tidemark::core {
namespace {

using Kind = TargetOutcome::Kind;
using Table = std::map<std::string, int64_t>;

std::shared_ptr<const BatchLayout> layout() {
  auto out = std::make_shared<BatchLayout>();
  out->columns = {{.name = "region", .type = ColumnType::text, .comment = {}},
                  {.name = "total", .type = ColumnType::int64, .comment = {}}};
  return out;
}

struct Row {
  std::string key;
  int64_t value = 0;
  bool removal = false;
};

std::shared_ptr<Batch> batch_of(const std::vector<Row>& rows) {
  auto out = std::make_shared<Batch>(layout(), static_cast<uint32_t>(rows.size()), 64);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(put_text(*out, 0, i, rows[i].key));
    put_value(*out, 1, i, rows[i].value);
    out->op[i] = static_cast<uint8_t>(rows[i].removal ? Op::remove : Op::insert);
    out->origin[i] = kNoOrigin;
  }
  out->rows = static_cast<uint32_t>(rows.size());
  return out;
}

/// What outlives crashes.
struct Server {
  Table table;
  std::optional<TargetEpoch> epoch;
  int ids = 0;
  uint64_t commits = 0;
  std::set<std::string> refused_keys{};
  std::vector<std::string> statements{};
  std::function<std::optional<std::string>(const char* step)> fault{};  ///< of a step: fails with this text
};

class FakeTarget final : public MysqlTarget {
 public:
  explicit FakeTarget(Server& server) : server_(server) {}

  Status open(const std::shared_ptr<const BatchLayout>&, const std::vector<std::string>&) override { return {}; }
  Result<std::string> new_state_id() override { return "id" + std::to_string(++server_.ids); }
  std::string describe_epoch() const override { return "the row"; }
  TargetOutcome begin() override {
    table_ = server_.table;
    epoch_ = server_.epoch;
    return step("begin");
  }
  TargetOutcome read_epoch(std::optional<TargetEpoch>& epoch) override {
    epoch = epoch_;
    return step("read_epoch");
  }
  TargetOutcome write(const ResultRows& rows, std::span<const uint32_t> indexes) override {
    Table next = table_;
    std::string statement = rows.is_removal(indexes.front()) ? "delete" : "upsert";
    for (const uint32_t index : indexes) {
      const BatchRef batch = rows.batch_of(index);
      const std::string key(batch->bytes_at(0, rows.row_of(index)));
      EXPECT_EQ(rows.is_removal(index), rows.is_removal(indexes.front()));
      if (server_.refused_keys.contains(key)) return {Kind::refused, "no " + key};
      statement += " " + key;
      if (rows.is_removal(index)) {
        next.erase(key);
      } else {
        next[key] = batch->column(1).as<int64_t>()[rows.row_of(index)];
      }
    }
    server_.statements.push_back(statement);
    table_ = std::move(next);
    return step("write");
  }
  TargetOutcome write_epoch(const TargetEpoch& epoch) override {
    epoch_ = epoch;
    return step("write_epoch");
  }
  TargetOutcome commit() override {
    if (TargetOutcome lost = step("commit"); !lost.is_ok()) return lost;
    server_.table = table_;
    server_.epoch = epoch_;
    ++server_.commits;
    return step("commit_answer");
  }
  void abandon() override {}

 private:
  TargetOutcome step(const char* name) {
    if (!server_.fault) return {};
    auto text = server_.fault(name);
    return text ? TargetOutcome{Kind::failed, std::move(*text)} : TargetOutcome{};
  }

  Server& server_;
  Table table_;
  std::optional<TargetEpoch> epoch_;
};

MysqlSinkOptions options(bool set_aside = false) {
  MysqlSinkOptions out;
  out.table = "t";
  out.key = {"region"};
  out.batch_rows = 3;
  out.set_aside = set_aside;
  return out;
}

/// A sink over the server, opened at `progress`.
std::unique_ptr<Sink> open_sink(Server& server, const std::string& progress, bool set_aside = false) {
  auto sink = make_mysql_sink(options(set_aside), std::make_unique<FakeTarget>(server));
  const Status opened = sink->open(layout(), progress);
  EXPECT_TRUE(opened.is_ok()) << opened.message();
  return sink;
}

void write_all(Sink& sink, const std::vector<Row>& rows) {
  const auto batch = batch_of(rows);
  for (uint32_t i = 0; i < batch->rows; ++i) ASSERT_TRUE(sink.write(*batch, i).is_ok());
}

void follow(Table& table, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    table.erase(row.key);
    if (!row.removal) table[row.key] = row.value;
  }
}

TEST(MysqlSink, several_results_of_a_key_become_the_last_and_removals_come_first) {
  Server server;
  server.table = {{"gone", 7}, {"eu", 1}};
  const auto sink = open_sink(server, {});
  write_all(*sink, {{"eu", 2}, {"us", 3}, {"eu", 10}, {"gone", 0, true}, {"us", 0, true}, {"us", 4}});
  EXPECT_TRUE(sink->flush(5).is_ok());
  EXPECT_EQ(server.table.at("eu"), 1) << "nothing is seen before the epoch is stored";
  EXPECT_TRUE(sink->committed().is_ok());
  EXPECT_EQ(server.statements, (std::vector<std::string>{"delete gone", "upsert eu us"}));
  EXPECT_EQ(server.table, (Table{{"eu", 10}, {"us", 4}}));
  EXPECT_EQ(server.epoch, (TargetEpoch{"id1", 5}));
}

TEST(MysqlSink, an_epoch_without_results_leaves_the_target_alone) {
  Server server;
  std::string progress;
  for (uint64_t epoch = 1; epoch <= 4; ++epoch) {
    const auto sink = open_sink(server, progress);
    if (epoch == 2) write_all(*sink, {{"eu", 1}});
    progress = sink->flush(epoch).value();
    EXPECT_TRUE(sink->committed().is_ok());
  }
  EXPECT_EQ(server.commits, 1u);
  EXPECT_EQ(server.epoch->epoch, 2u);
}

// Every kind of fault at every step, and deaths between the steps, in random order.
TEST(MysqlSink, case_K04_every_stored_epoch_is_there_once_wherever_it_fails_or_dies) {
  size_t faults = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    const auto chance = [&](unsigned one_in) { return random() % one_in == 0; };
    Server server;
    server.fault = [&](const char* step) -> std::optional<std::string> {
      if (!chance(12)) return std::nullopt;
      ++faults;
      return std::string("lost at ") + step;
    };
    Table truth;
    std::string progress;
    std::unique_ptr<Sink> sink;
    for (uint64_t epoch = 1; epoch <= 8;) {
      if (sink == nullptr) {
        sink = make_mysql_sink(options(), std::make_unique<FakeTarget>(server));
        if (!sink->open(layout(), progress).is_ok()) {
          sink.reset();
          continue;
        }
      }
      std::vector<Row> rows;
      for (size_t i = random() % 12; i > 0; --i) {
        rows.push_back({"k" + std::to_string(random() % 7), static_cast<int64_t>(random() % 100), chance(4)});
      }
      write_all(*sink, rows);
      if (chance(6)) {  // dies before or in the middle of the flush
        if (chance(2)) (void)sink->flush(epoch);
        sink.reset();
        continue;
      }
      Result<std::string> flushed = sink->flush(epoch);
      while (!flushed) {
        ASSERT_TRUE(flushed.status().retryable()) << flushed.status().message();
        flushed = sink->flush(epoch);
      }
      if (chance(6)) {  // dies before the epoch is stored
        sink.reset();
        continue;
      }
      progress = *flushed;
      follow(truth, rows);
      ++epoch;
      Status done = sink->committed();
      while (!done && !chance(5)) {
        ASSERT_TRUE(done.retryable()) << done.message();
        done = sink->committed();
      }
      if (!done || chance(6)) {
        sink.reset();  // dies before the target's commit, or behind it
      } else {
        ASSERT_EQ(server.table, truth) << "seed " << seed << ", epoch " << epoch;
      }
    }
    server.fault = nullptr;
    (void)open_sink(server, progress);
    ASSERT_EQ(server.table, truth) << "seed " << seed;
  }
  EXPECT_GT(faults, 500u);
}

TEST(MysqlSink, what_is_refused_is_found_set_aside_and_not_written_again) {
  Server server;
  server.refused_keys = {"c", "f"};
  auto sink = open_sink(server, {}, true);
  write_all(*sink, {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}, {"f", 0, true}});
  const std::string progress = sink->flush(1).value();
  const auto refused = sink->take_refused();
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].rows->bytes_at(0, refused[0].row), "c");
  EXPECT_EQ(refused[0].reason, "no c");
  EXPECT_EQ(refused[1].rows->bytes_at(0, refused[1].row), "f");
  sink = open_sink(server, progress, true);  // died before the target's commit
  EXPECT_EQ(server.table, (Table{{"a", 1}, {"b", 2}, {"d", 4}, {"e", 5}}));
  EXPECT_TRUE(sink->take_refused().empty());
}

TEST(MysqlSink, a_refused_result_fails_the_epoch_unless_it_is_to_be_set_aside) {
  Server server;
  server.refused_keys = {"b"};
  const auto sink = open_sink(server, {});
  write_all(*sink, {{"a", 1}, {"b", 2}});
  const auto flushed = sink->flush(1);
  ASSERT_FALSE(flushed.is_ok());
  EXPECT_FALSE(flushed.status().retryable());
  EXPECT_EQ(flushed.status().message(),
            "table t refuses the result with region = b: no b; change the table or the job, or keep such results apart "
            "with on_reject = \"set_aside\"");
  EXPECT_TRUE(server.table.empty());
}

TEST(MysqlProgress, tells_another_run_an_older_state_and_an_older_target_from_what_is_left_undone) {
  const MysqlProgress last{.state = "a", .previous = 3, .epoch = 5, .rows = 9, .outbox = "x"};
  EXPECT_EQ(decode_mysql_progress(encode(last)).value(), last);
  std::string damaged = encode(last);
  damaged[5] ^= 1;
  EXPECT_EQ(decode_mysql_progress(damaged).status().code(), Code::damage);
  EXPECT_TRUE(must_write(last, true, TargetEpoch{"a", 3}, "row").value());
  EXPECT_FALSE(must_write(last, true, TargetEpoch{"a", 5}, "row").value());
  const auto said = [&](bool at_hand, const std::optional<TargetEpoch>& target) {
    return must_write(last, at_hand, target, "row").status().message();
  };
  EXPECT_NE(said(true, TargetEpoch{"b", 3}).find("another state"), std::string::npos);
  EXPECT_NE(said(true, TargetEpoch{"a", 6}).find("ahead of this job's state"), std::string::npos);
  EXPECT_NE(said(true, TargetEpoch{"a", 2}).find("behind what"), std::string::npos);
  EXPECT_NE(said(false, TargetEpoch{"a", 3}).find("behind what"), std::string::npos);
  EXPECT_NE(said(true, std::nullopt).find("is not there"), std::string::npos);
  const MysqlProgress first{.state = "a", .previous = 0, .epoch = 1, .rows = 1, .outbox = "x"};
  EXPECT_TRUE(must_write(first, true, std::nullopt, "row").value());
  EXPECT_FALSE(must_write(first, false, std::nullopt, "row").is_ok());
  EXPECT_FALSE(must_write(MysqlProgress{.state = "a", .outbox = {}}, false, std::nullopt, "row").value());
}

}  // namespace
}  // namespace tidemark::core
