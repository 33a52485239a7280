// SPDX-License-Identifier: Apache-2.0
//
// Sessions of rows with a key `k` and a value `v`: the aggregate, rows that are added and taken back, and restarts from
// the pages that the operator's state is written to. What the tests of session windows share.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/state/pane_writer.hpp"
#include "tests/unit/window/batch_builder.hpp"

namespace tidemark::core::test {

/// sum(v) by k over sessions.
inline AggregateSpec sums(Micros gap, Micros allowed_lateness = 0) {
  AggregateSpec spec;
  spec.id = "sums";
  spec.operator_id = 3;
  spec.key_columns = {0};
  spec.columns = {{"sum", AggregateFunction::sum, 1}};
  spec.window.kind = WindowKind::session;
  spec.window.gap_us = gap;
  spec.allowed_lateness_us = allowed_lateness;
  return spec;
}

inline OperatorDriver driver_of(const AggregateSpec& spec) {
  return OperatorDriver(spec, layout_of({column("k", ColumnType::text), column("v", ColumnType::int64)}));
}

inline Row at(Micros time, int64_t value = 1, std::string key = "k") {
  return Row{time, {std::move(key), value}};
}

inline Row taken(Micros time, int64_t value = 1, std::string key = "k") {
  return Row{time, {std::move(key), value}, Op::remove};
}

/// Keys that are in one key group, so that they share pages.
inline const std::vector<std::string>& keys_of_one_group() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> out;
    std::vector<Row> rows;
    for (int i = 0; i < 1500; ++i) rows.push_back(at(0, 1, "k" + std::to_string(i)));
    const AggregateSpec spec = sums(1);
    const GroupedRows grouped = group_rows(spec, make_batch(driver_of(spec).input(), rows));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (key_group_of(grouped.groups[i].hash) != key_group_of(grouped.groups[0].hash)) continue;
      out.push_back(std::get<std::string>(rows[i].cells[0]));
    }
    return out;
  }();
  return keys;
}

/// State of an operator: its pages, base and deltas, and what they come to.
struct Store {
  std::map<std::pair<Micros, std::string>, std::string> entries;
  std::unique_ptr<EpochStore> pages = make_memory_epoch_store();
  std::unique_ptr<PaneWriter> writer = std::make_unique<PaneWriter>(3, *pages, [] { return uint64_t{0}; });
  uint64_t epoch = 0;

  void seal(WindowOperator& from) {
    EpochWrites writes;
    ++epoch;
    for (const Micros end : from.take_closed()) {
      std::erase_if(entries, [end](const auto& one) { return one.first.first == end; });
      writer->close(end, 0, kKeyGroups - 1, writes);
    }
    from.seal([&](const PaneChange& change) {
      EXPECT_TRUE(writer->write(change, epoch, writes).is_ok());
      std::map<std::string, std::string> all;
      change.visit_all([&](const EntryView& entry) { all.emplace(entry.key, entry.accumulators); });
      EXPECT_EQ(all.size(), change.entry_count());
      change.visit_dirty([&](const EntryView& entry) {
        const std::pair<Micros, std::string> key(change.pane_end(), entry.key);
        EXPECT_EQ(all.contains(key.second), !entry.removed);
        entry.removed ? (void)entries.erase(key) : (void)(entries[key] = std::string(entry.accumulators));
      });
      for (const auto& [key, value] : all) {
        const auto found = entries.find({change.pane_end(), key});
        EXPECT_TRUE(found != entries.end() && found->second == value) << "a change was not reported";
      }
    });
    EXPECT_TRUE(pages->commit(writes).is_ok());
  }
  size_t page_count() {
    size_t count = 0;
    EXPECT_TRUE(pages->scan(Family::panes, {}, [&](auto, auto) { return ++count, true; }).is_ok());
    return count;
  }
  /// What a restart makes of the operator.
  OperatorDriver reopen(OperatorDriver& old) {
    seal(old.op());
    OperatorDriver out(old.op().spec(), old.input());
    out.op().restore_watermark(old.op().watermark(), fired_up_to(old.op().watermark()));
    out.op().restore_counters(old.op().counters());
    writer = std::make_unique<PaneWriter>(3, *pages, [] { return uint64_t{0}; });
    const Status status = writer->restore(0, kKeyGroups - 1,
                                          {.entry = [&](Micros pane_end, std::string_view key, const EntryView& entry) {
                                            return out.op().restore_entry(pane_end, key, entry);
                                          }});
    EXPECT_TRUE(status.is_ok()) << status.message();
    return out;
  }
};

}  // namespace tidemark::core::test
