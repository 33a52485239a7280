// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/jobtest/test_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/job/check_columns.hpp"
#include "config/job/codes.hpp"
#include "config/job/nearest_name.hpp"

namespace tidemark::core {
namespace {

using config::TestCell;
using config::TestOp;
using config::TestRow;
using config::TestStep;
using config::TestValue;

constexpr Micros kDefaultStart = 1'767'225'600 * kMicrosPerSecond;  // 2026-01-01, where a test names no time

class ScriptBuilder {
 public:
  ScriptBuilder(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics)
      : job_(job), schemas_(schemas), diagnostics_(diagnostics) {}

  TestScript build(const config::TestSpec& test) {
    out_.shards.resize(job_.sources.size());
    out_.ends = test.ends;
    for (const TestStep& step : test.steps) note_shards(step);
    for (const TestStep& step : test.steps) add(step);
    out_.wall_start_us = test.start_us.value_or(latest_ == kNoTime ? kDefaultStart : latest_);
    return std::move(out_);
  }

 private:
  bool is_about(const TestStep& step, uint32_t source) const {
    return step.source.value.empty() || job_.sources[source].id.value == step.source.value;
  }
  // Shards are there before their first row: that is what holds watermarks back.
  void note_shards(const TestStep& step) {
    if (step.kind == TestStep::Kind::silence) return;
    const bool of_all = step.source.value.empty() ||
                        (!step.shard.given && step.kind != TestStep::Kind::rows && step.kind != TestStep::Kind::idle);
    for (uint32_t source = 0; source < job_.sources.size(); ++source) {
      if (of_all || !is_about(step, source)) continue;
      auto& shards = out_.shards[source];
      const std::string name = step.shard.given ? step.shard.value : config::kTestShard;
      if (std::find(shards.begin(), shards.end(), name) == shards.end()) shards.push_back(name);
    }
  }
  std::vector<ShardRef> shards_of(const TestStep& step) const {
    std::vector<ShardRef> out;
    if (step.kind == TestStep::Kind::silence) return out;
    const bool of_one = step.kind == TestStep::Kind::rows || step.kind == TestStep::Kind::idle;
    for (uint32_t source = 0; source < job_.sources.size(); ++source) {
      if (!is_about(step, source)) continue;
      for (uint32_t shard = 0; shard < out_.shards[source].size(); ++shard) {
        const std::string& name = out_.shards[source][shard];
        const bool meant = step.shard.given ? name == step.shard.value : !of_one || name == config::kTestShard;
        if (meant && !ended_.contains({source, shard})) out.push_back({source, shard});
      }
    }
    return out;
  }

  void add(const TestStep& step) {
    ScriptStep added{step.kind, shards_of(step), {}, step.time_us, step.idle};
    if (added.shards.empty() && step.kind != TestStep::Kind::silence) {
      diagnostics_.error(config::code::kContradiction, step.span, "this step has no shard: those it means have ended")
          .with_help("a step { end = true } is a shard's last; shards are there once a step names them");
    }
    if (step.kind == TestStep::Kind::end) {
      for (const ShardRef& one : added.shards) ended_.insert({one.source, one.shard});
    }
    if (step.kind == TestStep::Kind::watermark) latest_ = std::max(latest_, step.time_us);
    if (step.kind == TestStep::Kind::rows) {
      for (const TestRow& row : step.rows) add_row(step.source.value, row, added.rows);
    }
    out_.steps.push_back(std::move(added));
  }

  // A test that such a row is passed over may be meant, one of what it takes back is not.
  void check_operation(const std::string& source, const TestRow& row) {
    if (row.op == TestOp::insert) return;
    const auto* spec = job_.find_source(source);
    if (spec == nullptr || spec->mode.value == config::InputMode::changelog) return;
    const char* what = row.op == TestOp::update ? "an update" : "a delete";
    diagnostics_
        .warning(
            config::code::kDoubtful, row.span,
            fmt::format("source `{}` counts inserts alone (mode = \"append\"), so {} changes nothing", source, what))
        .with_help(fmt::format("mode = \"changelog\" in [sources.{}] counts updates and deletes", source));
  }

  void add_row(const std::string& source, const TestRow& row, std::vector<ScriptRow>& out) {
    check_operation(source, row);
    ScriptRow now;
    set(source, row.cells, now);
    if (row.op != TestOp::update) {
      now.op = row.op == TestOp::insert ? Op::insert : Op::remove;
      out.push_back(std::move(now));
      return;
    }
    ScriptRow before = now;
    set(source, row.before, before);
    before.op = Op::update_before;
    now.op = Op::update_after;
    out.push_back(std::move(before));
    out.push_back(std::move(now));
  }

  void set(const std::string& source, const std::vector<TestCell>& cells, ScriptRow& out) {
    const auto found = schemas_.find(source);
    if (found == schemas_.end()) return;
    const Schema& schema = found->second;
    out.cells.resize(schema.columns.size());
    for (const TestCell& cell : cells) {
      note_time(cell.value);
      if (cell.column.value.starts_with('$')) {
        set_place(cell, out);
        continue;
      }
      const int column = schema.find(cell.column.value);
      if (column < 0) {
        report_unknown(source, schema, cell);
        continue;
      }
      const auto at = static_cast<size_t>(column);
      auto read = read_cell(cell.value, schema.columns[at]);
      if (auto* value = std::get_if<CellValue>(&read)) {
        out.cells[at] = std::move(*value);
      } else {
        report(cell, std::get<CellProblem>(read));
      }
    }
  }

  void note_time(const TestValue& value) {
    if (value.kind == TestValue::Kind::time && value.time.has_date) latest_ = std::max(latest_, value.time.us);
  }

  // What a row's place and the source's own time say.
  void set_place(const TestCell& cell, ScriptRow& out) {
    const std::string& name = cell.column.value;
    if (name == "$commit_time" || name == "$header_time") {
      if (cell.value.kind == TestValue::Kind::time && cell.value.time.has_offset) {
        out.source_time_us = cell.value.time.us;
      } else {
        report(cell, {"must be a date and time with an offset", "such as 2026-01-01T00:00:10Z"});
      }
    } else if (name == "$database" || name == "$table") {
      if (cell.value.kind == TestValue::Kind::text) {
        (name == "$table" ? out.table : out.database) = cell.value.text;
      } else {
        report(cell, {"must be a text", {}});
      }
    } else if (name == "$shard") {
      report(cell, {"is not given row by row", "name it in the step: shard = \"…\""});
    } else {
      diagnostics_.error(config::code::kUnknownColumn, cell.column.span, fmt::format("there is no `{}`", name))
          .with_help("rows have $commit_time, $header_time, $database and $table besides their columns");
    }
  }

  void report(const TestCell& cell, const CellProblem& problem) {
    diagnostics_
        .error(config::code::kWrongType, cell.value.span, fmt::format("`{}` {}", cell.column.value, problem.text))
        .with_help(problem.help);
  }
  void report_unknown(const std::string& source, const Schema& schema, const TestCell& cell) {
    std::vector<std::string> names;
    for (const ColumnInfo& one : schema.columns) names.push_back(one.name);
    auto& finding = diagnostics_.error(config::code::kUnknownColumn, cell.column.span,
                                       fmt::format("no column `{}` in `{}`", cell.column.value, source));
    if (const auto near = config::nearest_name(cell.column.value, names)) {
      finding.with_help(fmt::format("did you mean `{}`?", *near));
    }
    finding.with_note(config::columns_note(source, names));
  }

  const config::JobSpec& job_;
  const SchemasById& schemas_;
  config::Diagnostics& diagnostics_;
  TestScript out_;
  std::set<std::pair<uint32_t, uint32_t>> ended_;
  Micros latest_ = kNoTime;  // of all times that the test names
};

}  // namespace

TestScript build_script(const config::JobSpec& job, const config::TestSpec& test, const SchemasById& schemas,
                        config::Diagnostics& diagnostics) {
  return ScriptBuilder(job, schemas, diagnostics).build(test);
}

}  // namespace tidemark::core
