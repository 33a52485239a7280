// SPDX-License-Identifier: Apache-2.0
//
// Where other aggregates read the results of one, each result says which row it takes the place of: the last one that
// was given of its window and key, whatever came in between: updates, late rows, sessions that merge and split, groups
// that lose their result and get one again, restarts.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/window/result_writer.hpp"
#include "tests/unit/window/session_driver.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

AggregateSpec read_spec(AggregateSpec spec) {
  spec.changelog = true;
  spec.is_read = true;
  return spec;
}

std::string cells_text(const Batch& batch, uint32_t row, size_t columns) {
  std::string out;
  for (size_t at = 0; at < columns; ++at) {
    if (at > 0) out += ' ';
    if (batch.column(at).is_valid(row)) {
      append_cell_text(batch, at, row, out);
    } else {
      out += '-';
    }
  }
  return out;
}

/// The row that `row` takes the place of, as text; empty: none.
std::string replaced_text(const FiredRows& fired, uint32_t row) {
  const KeyCodec codec = given_row_codec(fired.rows->layout());
  if (fired.replaced.at(row).empty()) return {};
  Batch old(std::make_shared<const BatchLayout>(BatchLayout{codec.columns()}), 1, 0);
  EXPECT_TRUE(codec.decode(fired.replaced[row], old, 0, 0));
  old.rows = 1;
  return cells_text(old, 0, codec.columns().size());
}

/// "k 3 [0,4000) late 2, not k 2\n...": windows of both rows are the same.
std::string told(OperatorDriver& driver) {
  std::string out;
  for (const FiredRows& fired : driver.take_fired()) {
    const size_t columns = fired.rows->columns().size();
    for (uint32_t row = 0; row < fired.rows->rows; ++row) {
      const std::string window = cells_text(*fired.rows, row, 2) + " ";
      const std::string now = cells_text(*fired.rows, row, columns);
      std::string old = replaced_text(fired, row);
      EXPECT_TRUE(old.empty() || old.starts_with(window)) << old << " for " << now;
      out += now.substr(window.size()) + " [" + std::to_string(fired.start_at(row)) + "," +
             std::to_string(fired.end_at(row)) + ")" + (old.empty() ? "" : ", not " + old.substr(window.size())) + "\n";
    }
  }
  return out;
}

TEST(ReplacedRows, updates_and_late_rows) {
  AggregateSpec spec = read_spec(sums(0, 5000));
  spec.window = WindowSpec{};
  spec.window.size_us = 1000;
  spec.emit.early.rule = FiringRule::on_update;
  OperatorDriver driver = driver_of(spec);
  driver.add({at(1, 5), at(2, 7, "b")});
  EXPECT_EQ(told(driver), "b 7 early 1 [0,1000)\nk 5 early 1 [0,1000)\n");
  driver.add({taken(1, 5), at(2, 1, "b")});
  EXPECT_EQ(told(driver), "b 8 early 2 [0,1000), not b 7\nk - retraction 2 [0,1000), not k 5\n");
  driver.add({at(3, 2)});
  EXPECT_EQ(told(driver), "k 2 early 3 [0,1000)\n") << "there was none any more";
  ASSERT_TRUE(driver.advance_only(1000));
  EXPECT_EQ(told(driver), "b 8 on_time 3 [0,1000), not b 8\nk 2 on_time 4 [0,1000), not k 2\n");
  driver.add({at(4, 30)});
  EXPECT_EQ(told(driver), "k 32 late 5 [0,1000), not k 2\n");
}

TEST(ReplacedRows, sessions_merge_and_split) {
  AggregateSpec spec = read_spec(sums(3000, 100'000));
  spec.emit.early.rule = FiringRule::on_update;
  OperatorDriver driver = driver_of(spec);
  driver.add({at(0), at(5000, 2)});
  EXPECT_EQ(told(driver), "k 1 early 1 [0,3000)\nk 2 early 1 [5000,8000)\n");
  driver.add({at(2500, 4)});
  EXPECT_EQ(told(driver),
            "k - retraction 2 [0,3000), not k 1\nk 7 early 1 [0,8000)\nk - retraction 2 [5000,8000), not k 2\n");
  Store store;
  OperatorDriver again = store.reopen(driver);
  again.add({taken(2500, 4)});
  EXPECT_EQ(told(again), "k 1 early 3 [0,3000)\nk - retraction 2 [0,8000), not k 7\nk 2 early 3 [5000,8000)\n");
}

TEST(ReplacedRows, without_readers_nothing_is_kept) {
  AggregateSpec spec = read_spec(sums(3000, 100'000));
  spec.is_read = false;
  OperatorDriver driver = driver_of(spec);
  driver.add({at(0)});
  ASSERT_TRUE(driver.advance_only(3000));
  for (const FiredRows& fired : driver.take_fired()) EXPECT_TRUE(fired.replaced.empty());
}

/// What stands of each window and key, by all that was fired.
class Standing {
 public:
  void take(OperatorDriver& driver) {
    for (const FiredRows& fired : driver.take_fired()) {
      const size_t columns = fired.rows->columns().size() - 2;
      ASSERT_EQ(fired.replaced.size(), fired.rows->rows);
      for (uint32_t row = 0; row < fired.rows->rows; ++row) {
        std::string& stands = rows_[{cells_text(*fired.rows, row, 2), std::string(fired.key_at(row))}];
        ASSERT_EQ(replaced_text(fired, row), stands);
        replaced_ += stands.empty() ? 0 : 1;
        const bool gone = fired.rows->op_at(row) == Op::remove;
        stands = gone ? std::string() : cells_text(*fired.rows, row, columns);
      }
    }
  }
  int replaced() const { return replaced_; }

 private:
  std::map<std::pair<std::string, std::string>, std::string> rows_;
  int replaced_ = 0;
};

std::vector<AggregateSpec> all_kinds() {
  AggregateSpec base = read_spec(sums(1500, 6000));
  base.columns = {{"n", Function::count_all, -1}, {"sum", Function::sum, 1}, {"word", Function::max, 2}};
  std::vector<AggregateSpec> out;
  for (const WindowKind kind :
       {WindowKind::tumbling, WindowKind::sliding, WindowKind::cumulative, WindowKind::session, WindowKind::global}) {
    for (const Firing& early : {Firing{}, Firing{FiringRule::on_update, 0, false, 0},
                                Firing{FiringRule::count, 0, false, 2}, Firing{FiringRule::every, 700, true, 0}}) {
      AggregateSpec spec = base;
      spec.window.kind = kind;
      spec.window.size_us = kind == WindowKind::tumbling ? 2000 : 3000;
      spec.window.slide_us = 1000;
      spec.emit.early = early;
      if (out.size() % 3 == 0) spec.having = "n <> 2";
      out.push_back(spec);
    }
  }
  return out;
}

TEST(ReplacedRows, random_changes_and_restarts) {
  const auto input =
      layout_of({column("k", ColumnType::text), column("v", ColumnType::int64), column("t", ColumnType::text)});
  for (const AggregateSpec& spec : all_kinds()) {
    std::mt19937_64 random(spec.window.size_us + spec.emit.early.interval_us);
    Store state;
    OperatorDriver driver(spec, input);
    Standing standing;
    std::vector<Row> live;
    Micros watermark = 0;
    for (int step = 0; step < 500; ++step) {
      Row row;
      if (!live.empty() && random() % 3 == 0) {
        std::swap(live[random() % live.size()], live.back());
        row = live.back();
        row.op = Op::remove;
        live.pop_back();
      } else {
        row.time = std::max<Micros>(0, watermark - 3000) + static_cast<Micros>(random() % 6000);
        row.cells = {random() % 4 == 0 ? Cell() : Cell(std::string(1, static_cast<char>('a' + random() % 2))),
                     random() % 4 == 0 ? Cell() : Cell(static_cast<int64_t>(random() % 5)),
                     random() % 4 == 0 ? Cell() : Cell(std::string(random() % 30, 'x'))};
        if (row.time % 7 != 0) live.push_back(row);
      }
      driver.add({row});
      if (step % 3 == 0) {
        watermark += static_cast<Micros>(random() % 400);
        ASSERT_TRUE(driver.advance_only(watermark));
      }
      ASSERT_NO_FATAL_FAILURE(standing.take(driver)) << "window kind " << static_cast<int>(spec.window.kind);
      if (step % 23 == 0) driver = state.reopen(driver);
    }
    ASSERT_TRUE(driver.advance_only(kEndOfTime));
    ASSERT_NO_FATAL_FAILURE(standing.take(driver));
    const bool once = spec.window.kind == WindowKind::global && spec.emit.early.rule == FiringRule::never;
    EXPECT_EQ(standing.replaced() > 10, !once) << "window kind " << static_cast<int>(spec.window.kind);
  }
}

}  // namespace
}  // namespace tidemark::core::test
