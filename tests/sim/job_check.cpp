// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/sim/job_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

namespace tidemark::test {
namespace {

using Lines = std::vector<std::string>;
/// Up to which window end each row (source, split, sequence) missed its windows; nothing: all of them.
using RowMissed = std::map<std::tuple<std::string, std::string, uint64_t>, std::optional<core::Micros>>;

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Cells of a line, from the `first` on.
std::string cells_from(const std::string& line, size_t first) {
  size_t at = 0;
  for (size_t i = 0; i < first; ++i) at = line.find('|', at) + 1;
  return line.substr(at);
}

/// What stands in the end of results that can be corrected: the last one of each (window, key), which are the first
/// `key_cells` cells, without kind and revision. Says what is wrong with the order of revisions, if something is.
Lines last_revisions(const Lines& lines, size_t key_cells, std::string& wrong) {
  std::map<std::string, std::pair<uint64_t, std::string>> latest;  // revision, line without it; empty = taken back
  for (const std::string& line : lines) {
    const size_t revision_at = line.rfind('|') + 1;
    const size_t kind_at = line.rfind('|', revision_at - 2) + 1;
    const std::string kind = line.substr(kind_at, revision_at - 1 - kind_at);
    auto& [revision, text] = latest[line.substr(0, line.size() - cells_from(line, key_cells).size())];
    const uint64_t next = std::stoull(line.substr(revision_at));
    if (next != revision + 1) wrong = "revision " + std::to_string(revision) + " is followed by " + line;
    if (kind == "retraction" && text.empty()) wrong = "nothing to take back: " + line;
    revision = next;
    text = kind == "retraction" ? "" : line.substr(0, kind_at - 1);
  }
  Lines out;
  for (const auto& [key, result] : latest) {
    if (!result.second.empty()) out.push_back(result.second);
  }
  return sorted(out);
}

/// What is wrong with a sink's lines; empty = nothing.
std::string check_sink(const SimWorld& world, size_t sink, const RowMissed& missed) {
  const SimJob& job = world.job();
  const uint32_t aggregate = job.plan.sinks[sink].aggregate;
  const core::AggregateSpec& spec = job.plan.aggregates[aggregate].spec;
  const auto counted = oracle_rows(
      job, aggregate, [&](uint32_t source, uint32_t split, uint64_t sequence) -> std::optional<core::Micros> {
        const auto found = missed.find({job.plan.sources[source].id, job.scripts[source].splits[split].id, sequence});
        return found == missed.end() ? core::kNoTime : found->second;
      });
  const Lines should = sorted(oracle_lines(oracle_final(oracle_job(job, aggregate), counted)));
  std::string wrong;
  const Lines is = spec.can_fire_again() ? last_revisions(world.lines(sink), 2 + spec.key_columns.size(), wrong)
                                         : sorted(world.lines(sink));
  return wrong.empty() ? first_difference(is, should) : wrong;
}

}  // namespace

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string first_difference(const Lines& is, const Lines& should) {
  const auto line = [](const Lines& lines, size_t i) { return i < lines.size() ? lines[i] : "nothing"; };
  for (size_t i = 0; i < std::max(is.size(), should.size()); ++i) {
    if (line(is, i) == line(should, i)) continue;
    return "line " + std::to_string(i + 1) + " is " + line(is, i) + ", should be " + line(should, i);
  }
  return "";
}

std::string run_and_check(SimWorld& world, bool punctual, Sightings& seen) {
  world.run_to_end();
  if (!world.failure().empty()) return world.failure();
  std::map<std::string, RowMissed> late;
  for (const core::LateItem& item : world.late()) {
    ++(item.aggregate.empty() ? seen.set_aside : seen.late_rows);
    std::optional<core::Micros> missed;
    if (item.reason == core::LateReason::partly_late) missed = item.pane_end;
    late[item.aggregate].insert({{item.source, item.split, item.sequence}, missed});
    if (!punctual || item.aggregate.empty()) continue;
    return "late in a punctual job: row " + std::to_string(item.sequence) + " of " + item.source + ", " + item.split +
           ", time " + core::format_rfc3339(item.event_time) + ", watermark " + core::format_rfc3339(item.watermark);
  }
  seen.resumes += world.resumes();
  const core::JobPlan& plan = world.job().plan;
  for (size_t sink = 0; sink < plan.sinks.size(); ++sink) {
    const auto& id = plan.aggregates[plan.sinks[sink].aggregate].spec.id;
    if (std::string wrong = check_sink(world, sink, late[id]); !wrong.empty()) {
      return "sink " + std::to_string(sink) + ": " + wrong;
    }
  }
  return "";
}

}  // namespace tidemark::test
