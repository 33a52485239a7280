// SPDX-License-Identifier: Apache-2.0
//
// [[tests]]: names, schemas and steps. Each step does one thing, which its key says.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/job/sections.hpp"
#include "config/job/test_reader.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

constexpr const char* kStepForms =
    R"({ source = "…", rows = [ … ] }, { silence = "40m" }, { watermark = 2026-01-01T00:06:00Z }, { idle = true } or )"
    R"({ end = true })";
constexpr std::array<std::string_view, 2> kRowKeys = {"op", "before"};
constexpr std::array<Choice<TestOp>, 3> kOps = {
    {{"insert", TestOp::insert}, {"update", TestOp::update}, {"delete", TestOp::remove}}};

// True or false; `fallback` where it is not there, and after a finding.
bool read_flag(TableReader& table, std::string_view key, bool fallback, ReadContext& context) {
  const TomlEntry* entry = table.find(key);
  if (entry == nullptr) return fallback;
  if (entry->value.kind == Kind::boolean) return entry->value.boolean;
  context.diagnostics.error(code::kWrongType, entry->value.span, fmt::format("`{}` must be true or false", key));
  return fallback;
}

// A point in time; empty after a finding.
std::optional<core::Micros> read_point(const TomlEntry& entry, ReadContext& context) {
  if (entry.value.kind == Kind::time && entry.value.time.has_offset) return entry.value.time.us;
  context.diagnostics
      .error(code::kWrongType, entry.value.span, fmt::format("`{}` must be a date and time with an offset", entry.key))
      .with_help("such as 2026-01-01T00:06:00Z, without quotes");
  return std::nullopt;
}

TestRow read_row(const TomlNode& node, ReadContext& context) {
  TestRow out;
  out.span = node.span;
  out.cells = read_test_cells(node, kRowKeys, context);
  for (const TomlEntry& entry : node.entries) {
    if (entry.key == "op") {
      const auto known = std::find_if(kOps.begin(), kOps.end(), [&](const auto& one) {
        return entry.value.kind == Kind::text && one.name == entry.value.text;
      });
      if (known != kOps.end()) {
        out.op = known->value;
      } else {
        context.diagnostics
            .error(code::kUnknownValue, text_span(context.source, entry.value), "`op` is not the kind of a change")
            .with_help(R"("insert", "update" or "delete"; a column of this name is written "`op`")");
      }
    } else if (entry.key == "before") {
      if (entry.value.kind == Kind::table) {
        out.before = read_test_cells(entry.value, {}, context);
      } else {
        context.diagnostics.error(code::kWrongType, entry.value.span, "`before` must be a table")
            .with_help("the old values of what an update changed; a column of this name is written \"`before`\"");
      }
    }
  }
  const bool has_before =
      std::any_of(node.entries.begin(), node.entries.end(), [](const TomlEntry& one) { return one.key == "before"; });
  if (has_before != (out.op == TestOp::update)) {
    context.diagnostics
        .error(code::kContradiction, node.span,
               has_before ? "`before` goes with op = \"update\"" : "an update needs `before`")
        .with_help(R"(such as { op = "update", before = { amount = 5 }, amount = 7, … })");
  }
  return out;
}

std::optional<TestStep::Kind> kind_of_step(const TomlNode& node, ReadContext& context) {
  static constexpr std::array<std::pair<std::string_view, TestStep::Kind>, 5> kKinds = {
      {{"rows", TestStep::Kind::rows},
       {"silence", TestStep::Kind::silence},
       {"watermark", TestStep::Kind::watermark},
       {"idle", TestStep::Kind::idle},
       {"end", TestStep::Kind::end}}};
  std::optional<TestStep::Kind> out;
  for (const TomlEntry& entry : node.entries) {
    const auto known =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& one) { return one.first == entry.key; });
    if (known == kKinds.end()) continue;
    if (out) {
      context.diagnostics
          .error(code::kContradiction, entry.key_span, fmt::format("a step does one thing: `{}` is another", entry.key))
          .with_help("make it a step of its own");
      return std::nullopt;
    }
    out = known->second;
  }
  if (!out) {
    context.diagnostics.error(code::kMissingKey, node.span, "this step does nothing")
        .with_help(fmt::format("one of: {}", kStepForms));
  }
  return out;
}

// Who a step is about: a source must be told where there are several, unless the step is about all shards.
void read_place(TableReader& table, const JobSpec& job, ReadContext& context, TestStep& out) {
  out.source = table.text("source", "");
  out.shard = table.text("shard", "");
  const std::vector<std::string> sources = test_ids(job.sources);
  require_name(out.source, "source", sources, context);
  if (out.kind == TestStep::Kind::silence) {
    for (const auto* key : {&out.source, &out.shard}) {
      if (!key->given) continue;
      context.diagnostics.error(code::kContradiction, key->span, "a silence is everybody's")
          .with_help("remove it; shards without rows are silent by themselves");
    }
    return;
  }
  const bool of_one = out.kind == TestStep::Kind::rows || out.kind == TestStep::Kind::idle || out.shard.given;
  if (out.source.given || !of_one) return;
  if (job.sources.size() == 1) {
    out.source.value = job.sources.front().id.value;
  } else if (!job.sources.empty()) {
    table.missing("source", "the job has several: say which one");
  }
}

std::optional<TestStep> read_step(const TomlNode& node, const JobSpec& job, ReadContext& context) {
  const std::optional<TestStep::Kind> kind = kind_of_step(node, context);
  if (!kind) return std::nullopt;
  TestStep out;
  out.kind = *kind;
  out.span = node.span;
  TableReader table(context, node, TableKind::test_step, "tests.steps");
  read_place(table, job, context, out);
  switch (out.kind) {
    case TestStep::Kind::rows:
      for (const TomlNode* row :
           read_table_list(*table.find("rows"), "such as rows = [ { id = 1, amount = 9.99 } ]", context)) {
        out.rows.push_back(read_row(*row, context));
      }
      break;
    case TestStep::Kind::silence:
      out.time_us = table.duration("silence", defaults::kSecond, defaults::kSilenceRange).value;
      break;
    case TestStep::Kind::watermark:
      if (const auto time = read_point(*table.find("watermark"), context)) out.time_us = *time;
      break;
    case TestStep::Kind::idle:
      out.idle = read_flag(table, "idle", true, context);
      break;
    case TestStep::Kind::end:
      if (!read_flag(table, "end", true, context)) {
        context.diagnostics.error(code::kUnknownValue, table.find("end")->value.span, "a step can only end its shards")
            .with_help("end = false stands in the test itself, and leaves its input open");
      }
      break;
  }
  table.finish();
  return out;
}

void read_schema(const TomlEntry& schema, const JobSpec& job, ReadContext& context, TestSpec& out) {
  const std::vector<std::string> sources = test_ids(job.sources);
  for (const TomlEntry& source : schema.value.entries) {
    const Spanned<std::string> id{source.key, source.key_span, true};
    require_name(id, "source", sources, context);
    if (source.value.kind != Kind::table) {
      context.diagnostics
          .error(code::kWrongType, source.value.span, fmt::format("`schema.{}` must be a table", source.key))
          .with_help("columns and their types, such as { amount = \"decimal(18,4)\" }");
      continue;
    }
    for (const TomlEntry& column : source.value.entries) {
      if (column.value.kind != Kind::text) {
        context.diagnostics
            .error(code::kWrongType, column.value.span, fmt::format("the type of `{}` must be a text", column.key))
            .with_help("such as \"bigint\", \"decimal(18,4)\", \"varchar\" or \"datetime\"");
        continue;
      }
      out.schema.push_back({id,
                            {column.key, column.key_span, true},
                            {column.value.text, text_span(context.source, column.value), true}});
    }
  }
}

TestSpec read_test(const TomlNode& node, const JobSpec& job, ReadContext& context) {
  TestSpec out;
  out.span = node.span;
  TableReader table(context, node, TableKind::test, "tests");
  out.name = table.required_text("name", R"(such as name = "a late row is kept")");
  if (const TomlEntry* start = table.find("start")) out.start_us = read_point(*start, context);
  out.ends = read_flag(table, "end", true, context);
  if (const TomlEntry* schema = table.find_table("schema")) read_schema(*schema, job, context, out);
  if (const TomlEntry* steps = table.find("steps")) {
    for (const TomlNode* step : read_table_list(*steps, fmt::format("a step is one of: {}", kStepForms), context)) {
      if (auto read = read_step(*step, job, context)) out.steps.push_back(*std::move(read));
    }
  } else {
    table.missing("steps", fmt::format("a list of steps: {}", kStepForms));
  }
  if (const TomlEntry* expect = table.find_table("expect")) {
    read_expectations(expect->value, job, context, out);
  } else if (table.find("expect") == nullptr) {
    table.missing("expect", "such as expect.revenue = [ { orders = 1 } ]: a test without it cannot fail");
  }
  table.finish();
  return out;
}

}  // namespace

void read_tests(TableReader& root, ReadContext& context, JobSpec& job) {
  const TomlEntry* tests = root.find("tests");
  if (tests == nullptr) return;
  for (const TomlNode* test : read_table_list(*tests, "each test has a header of its own: [[tests]]", context)) {
    TestSpec read = read_test(*test, job, context);
    const auto same = std::find_if(job.tests.begin(), job.tests.end(),
                                   [&](const TestSpec& one) { return one.name.value == read.name.value; });
    if (same != job.tests.end() && read.name.given) {
      context.diagnostics
          .error(code::kDuplicate, read.name.span, fmt::format("two tests are named \"{}\"", read.name.value))
          .with_help("give one of them another name");
    }
    job.tests.push_back(std::move(read));
  }
}

}  // namespace tidemark::config
