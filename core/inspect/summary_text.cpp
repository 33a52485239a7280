// SPDX-License-Identifier: Apache-2.0
//
// Text shows the first panes of each aggregate, JSON all of them.
#include "core/inspect/summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/counted.hpp"
#include "core/inspect/entry_text.hpp"
#include "core/observe/json_values.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kPanesShown = 20;
constexpr size_t kPositionShown = 24;

PageTotals sum(const std::vector<PaneSummary>& panes) {
  PageTotals out;
  for (const PaneSummary& pane : panes) {
    out.add(pane.base);
    out.add(pane.delta);
    out.add(pane.addend);
  }
  return out;
}

std::string end_text(Micros end) {
  return end == kEndOfTime ? "(global)" : format_rfc3339(end);
}

void append_splits(const StateSummary& summary, std::string& out) {
  size_t width = 5;
  for (const SplitSummary& one : summary.splits) {
    width = std::max(width, one.record.source.size() + one.record.split.size() + 1);
  }
  out += fmt::format("\n{:<{}}  {:<12} {:<27} {:>12} {:>10}  POSITION\n", "SPLIT", width, "STATE", "WATERMARK",
                     "ROWS READ", "SET ASIDE");
  for (const SplitSummary& one : summary.splits) {
    const SplitRecord& split = one.record;
    const SplitProgressState& progress = split.progress;
    out += fmt::format("{:<{}}  {:<12} {:<27} {:>12} {:>10}  {}\n", split.source + "/" + split.split, width,
                       split_state(one), format_rfc3339(progress.watermark), split.rows_read, split.rows_set_aside,
                       printable(split.position, kPositionShown));
  }
}

void append_aggregate(const AggregateSummary& aggregate, std::string& out) {
  const PageTotals pages = sum(aggregate.panes);
  out += fmt::format("\naggregate {}: watermark {}, {}, {} in {}\n", aggregate.record.aggregate,
                     format_rfc3339(aggregate.record.watermark), counted(aggregate.panes.size(), "pane", "panes"),
                     counted(pages.bytes, "byte", "bytes"), counted(pages.pages, "page", "pages"));
  if (aggregate.panes.empty()) return;
  out += fmt::format("  {:<27} {:<6} {:>10} {:>10} {:>12} {:>11} {:>12} {:>12} {:>12}\n", "PANE END", "STATE",
                     "KEY GROUPS", "BASE PAGES", "BASE BYTES", "DELTA PAGES", "DELTA BYTES", "ADDEND PAGES",
                     "ADDEND BYTES");
  for (size_t i = 0; i < std::min(aggregate.panes.size(), kPanesShown); ++i) {
    const PaneSummary& pane = aggregate.panes[i];
    out += fmt::format("  {:<27} {:<6} {:>10} {:>10} {:>12} {:>11} {:>12} {:>12} {:>12}\n", end_text(pane.end),
                       pane.is_fired ? "given" : "open", pane.key_groups, pane.base.pages, pane.base.bytes,
                       pane.delta.pages, pane.delta.bytes, pane.addend.pages, pane.addend.bytes);
  }
  if (aggregate.panes.size() > kPanesShown) {
    out += fmt::format("  and {} more (--format json lists all)\n", aggregate.panes.size() - kPanesShown);
  }
}

void append_late(const StateSummary& summary, std::string& out) {
  out += fmt::format("\nlate store: {}\n", counted(summary.late.total().rows, "row", "rows"));
  for (const auto& [key, counts] : summary.late.by_key()) {
    out += fmt::format("  {} {}, source {}{}{}\n", counted(counts.rows, "row", "rows"), reason_name(key.reason),
                       key.source, key.split.empty() ? "" : ", split " + key.split,
                       key.aggregate.empty() ? "" : ", aggregate " + key.aggregate);
  }
}

void append_sinks(const StateSummary& summary, std::string& out) {
  for (const SinkSummary& sink : summary.sinks) {
    if (sink.kind.empty()) {
      out += fmt::format("{}: {}\n", sink.name, counted(sink.stored_bytes, "byte", "bytes"));
    } else if (sink.kind == "mysql") {
      out += fmt::format("sink {} (mysql): {}, the last in epoch {}\n", sink.name, counted(sink.rows, "row", "rows"),
                         sink.epoch);
    } else {
      out += fmt::format("sink {} ({}): {}, {} committed\n", sink.name, sink.kind, counted(sink.rows, "row", "rows"),
                         counted(sink.file_bytes, "byte", "bytes"));
    }
  }
}

Json json_pages(const PageTotals& totals) {
  return {{"pages", totals.pages}, {"bytes", totals.bytes}};
}

// The objects that export writes as lines.
template <typename Append>
Json parsed(const Append& append) {
  std::string line;
  append(line);
  Json json = Json::parse(line);
  json.erase("type");
  return json;
}

Json json_aggregate(const AggregateSummary& aggregate) {
  Json out = parsed([&](std::string& line) { append_operator_json(aggregate.record, line); });
  Json& panes = out["panes"] = Json::array();
  for (const PaneSummary& pane : aggregate.panes) {
    panes.push_back({{"end", pane.end == kEndOfTime ? Json(nullptr) : json_time(pane.end)},
                     {"given", pane.is_fired},
                     {"key_groups", pane.key_groups},
                     {"base", json_pages(pane.base)},
                     {"delta", json_pages(pane.delta)},
                     {"addend", json_pages(pane.addend)}});
  }
  return out;
}

Json json_late(const LateSummary& late) {
  Json out = Json::array();
  for (const auto& [key, counts] : late.by_key()) {
    out.push_back({{"reason", reason_name(key.reason)},
                   {"source", key.source},
                   {"split", key.split},
                   {"aggregate", key.aggregate},
                   {"rows", counts.rows},
                   {"pages", counts.pages},
                   {"bytes", counts.bytes}});
  }
  return out;
}

Json json_sink(const SinkSummary& sink) {
  Json out = {{"name", sink.name}, {"stored_bytes", sink.stored_bytes}};
  if (sink.kind.empty()) return out;
  out["kind"] = sink.kind;
  out["rows"] = sink.rows;
  if (sink.kind == "mysql") {
    out["epoch"] = sink.epoch;
  } else {
    out["file_bytes"] = sink.file_bytes;
  }
  return out;
}

std::string document(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string summary_text(const StateSummary& summary, const std::string& standing) {
  const EpochRecord& epoch = summary.epoch;
  std::string out = fmt::format("job {}: epoch {} of {}{}; {}\n", summary.job, epoch.epoch,
                                format_rfc3339(epoch.wall_us), epoch.finished ? ", finished" : "", standing);
  append_splits(summary, out);
  for (const AggregateSummary& aggregate : summary.aggregates) append_aggregate(aggregate, out);
  append_late(summary, out);
  append_sinks(summary, out);
  return out;
}

std::string summary_json(const StateSummary& summary) {
  Json out = parsed([&](std::string& line) { append_epoch_json(summary.epoch, summary.job, line); });
  Json& splits = out["splits"] = Json::array();
  for (const SplitSummary& split : summary.splits) {
    splits.push_back(parsed([&](std::string& line) { append_split_json(split, line); }));
  }
  Json& aggregates = out["aggregates"] = Json::array();
  for (const AggregateSummary& aggregate : summary.aggregates) aggregates.push_back(json_aggregate(aggregate));
  out["late"] = json_late(summary.late);
  Json& sinks = out["sinks"] = Json::array();
  for (const SinkSummary& sink : summary.sinks) sinks.push_back(json_sink(sink));
  return document(out);
}

std::string size_text(const StateSize& size) {
  std::string out = fmt::format("{:<11} {:>12} {:>15}\n", "FAMILY", "ENTRIES", "BYTES");
  for (const FamilySize& family : size.families) {
    out += fmt::format("{:<11} {:>12} {:>15}\n", family_name(family.family), family.entries, family.bytes);
  }
  out +=
      fmt::format("\n{:<20} {:>8} {:>12} {:>11} {:>14} {:>12} {:>14} {:>13} {:>14}\n", "AGGREGATE", "PANES", "ENTRIES",
                  "BASE PAGES", "BASE BYTES", "DELTA PAGES", "DELTA BYTES", "ADDEND PAGES", "ADDEND BYTES");
  for (const AggregateSize& aggregate : size.aggregates) {
    out += fmt::format("{:<20} {:>8} {:>12} {:>11} {:>14} {:>12} {:>14} {:>13} {:>14}\n", aggregate.aggregate,
                       aggregate.panes, aggregate.entries, aggregate.base.pages, aggregate.base.bytes,
                       aggregate.delta.pages, aggregate.delta.bytes, aggregate.addend.pages, aggregate.addend.bytes);
  }
  out += fmt::format("\n{:<18} {:>6} {:>15}\n", "FILES", "FILES", "BYTES");
  uint64_t bytes = 0;
  for (const auto& [kind, totals] : size.files) {
    out += fmt::format("{:<18} {:>6} {:>15}\n", kind, totals.files, totals.bytes);
    bytes += totals.bytes;
  }
  return out + fmt::format("{} on disk\n", counted(bytes, "byte", "bytes"));
}

std::string size_json(const StateSize& size) {
  Json out = {{"families", Json::array()}, {"aggregates", Json::array()}, {"files", Json::array()}};
  for (const FamilySize& family : size.families) {
    out["families"].push_back(
        {{"family", family_name(family.family)}, {"entries", family.entries}, {"bytes", family.bytes}});
  }
  for (const AggregateSize& aggregate : size.aggregates) {
    out["aggregates"].push_back({{"aggregate", aggregate.aggregate},
                                 {"panes", aggregate.panes},
                                 {"page_groups", aggregate.page_groups},
                                 {"entries", aggregate.entries},
                                 {"base", json_pages(aggregate.base)},
                                 {"delta", json_pages(aggregate.delta)},
                                 {"addend", json_pages(aggregate.addend)}});
  }
  for (const auto& [kind, totals] : size.files) {
    out["files"].push_back({{"kind", kind}, {"files", totals.files}, {"bytes", totals.bytes}});
  }
  return document(out);
}

}  // namespace tidemark::core
