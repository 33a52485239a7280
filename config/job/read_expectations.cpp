// SPDX-License-Identifier: Apache-2.0
//
// `expect` of [[tests]]: results by aggregate or sink, and under names of their own the late store, warnings and the
// job's failure.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/job/test_reader.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

constexpr const char* kLateExample = R"(such as expect.late = [ { aggregate = "revenue", count = 1 } ])";
constexpr std::array<std::string_view, 10> kReasons = {"too_late",    "no_event_time",   "future",         "no_base",
                                                       "undecodable", "refused_by_sink", "missing_column", "statement",
                                                       "partly_late", "not_computable"};

ExpectedResults read_results(const TomlEntry& entry, ReadContext& context) {
  ExpectedResults out;
  out.target = {entry.key, entry.key_span, true};
  out.span = entry.value.span;
  const std::string example = fmt::format("such as expect.{} = [ {{ orders = 1 }} ]", quoted_key(entry.key));
  const std::vector<const TomlNode*> rows = read_table_list(entry, example, context);
  if (rows.size() > defaults::kExpectedRowsMax) {
    context.diagnostics
        .error(code::kOutOfRange, entry.key_span, fmt::format("`{}` has {} expected rows", entry.key, rows.size()))
        .with_help(fmt::format("allowed: 0 to {}", defaults::kExpectedRowsMax));
    return out;
  }
  for (const TomlNode* row : rows) {
    out.rows.push_back({row->span, read_test_cells(*row, {}, context)});
  }
  return out;
}

ExpectedLate read_late(const TomlNode& node, const JobSpec& job, ReadContext& context) {
  ExpectedLate out;
  out.span = node.span;
  TableReader table(context, node, TableKind::expected_late, "tests.expect.late");
  out.aggregate = table.text("aggregate", "");
  out.source = table.text("source", "");
  out.shard = table.text("shard", "");
  out.reason = table.text("reason", "");
  out.count = table.integer("count", 1, {1, INT64_MAX});
  out.lateness_us = table.duration("lateness", 0, {0, defaults::kDurationMax});
  if (const TomlEntry* time = table.find("event_time")) {
    out.event_time = read_test_value("event_time", time->value, context);
    if (out.event_time && !(out.event_time->kind == TestValue::Kind::null || out.event_time->time.has_offset)) {
      context.diagnostics
          .error(code::kWrongType, time->value.span, "`event_time` must be a date and time with an offset")
          .with_help("such as 2026-01-01T00:00:20Z, or {} for rows without one");
      out.event_time.reset();
    }
  }
  table.finish();
  const std::vector<std::string> aggregates = test_ids(job.aggregates);
  std::vector<std::string> sources = test_ids(job.sources);
  sources.insert(sources.end(), aggregates.begin(), aggregates.end());  // results are rows of those that read them
  const std::vector<std::string> reasons(kReasons.begin(), kReasons.end());
  require_name(out.aggregate, "aggregate", aggregates, context);
  require_name(out.source, "source", sources, context);
  require_name(out.reason, "reason", reasons, context);
  return out;
}

void read_warnings(const TomlEntry& entry, ReadContext& context, TestSpec& out) {
  out.warnings.emplace();
  out.warnings_span = entry.value.span;
  const auto refuse = [&](const TomlNode& node) {
    context.diagnostics
        .error(code::kWrongType, node.span,
               fmt::format("`warnings` is a list of texts, this is {}", kind_name(node.kind)))
        .with_help("parts of the warnings' texts; [] for none");
  };
  if (entry.value.kind != Kind::list) return refuse(entry.value);
  for (const TomlNode& item : entry.value.items) {
    if (item.kind != Kind::text || item.text.empty()) {
      refuse(item);
    } else {
      out.warnings->push_back({item.text, text_span(context.source, item), true});
    }
  }
}

void read_error(const TomlEntry& entry, ReadContext& context, TestSpec& out) {
  if (entry.value.kind != Kind::text || entry.value.text.empty()) {
    context.diagnostics
        .error(code::kWrongType, entry.value.span,
               fmt::format("`error` must be a text, not {}", kind_name(entry.value.kind)))
        .with_help("a part of the message that the job must fail with");
    return;
  }
  out.error = {entry.value.text, text_span(context.source, entry.value), true};
}

}  // namespace

void read_expectations(const TomlNode& expect, const JobSpec& job, ReadContext& context, TestSpec& out) {
  std::vector<std::string> targets = test_ids(job.aggregates);
  for (const SinkSpec& sink : job.sinks) targets.push_back(sink.id.value);
  targets.insert(targets.end(), {"late", "warnings", "error"});
  for (const TomlEntry& entry : expect.entries) {
    if (entry.key == "late") {
      out.late.emplace();
      out.late_span = entry.value.span;
      for (const TomlNode* row : read_table_list(entry, kLateExample, context)) {
        out.late->push_back(read_late(*row, job, context));
      }
    } else if (entry.key == "warnings") {
      read_warnings(entry, context, out);
    } else if (entry.key == "error") {
      read_error(entry, context, out);
    } else {
      require_name({entry.key, entry.key_span, true}, "aggregate or sink", targets, context);
      const bool known = std::find(targets.begin(), targets.end(), entry.key) != targets.end();
      ExpectedResults results = read_results(entry, context);
      if (known) out.results.push_back(std::move(results));
    }
  }
}

}  // namespace tidemark::config
