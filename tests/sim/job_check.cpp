// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/sim/job_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace tidemark::test {
namespace {

using Lines = std::vector<std::string>;
using RowIds = std::set<std::tuple<std::string, std::string, uint64_t>>;

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// The last revision of each (window, key), which stand in front of the results of a line.
Lines last_revisions(const Lines& lines, size_t key_cells) {
  std::map<std::string, std::string> latest;
  for (const std::string& line : lines) {
    size_t end = 0;
    for (size_t i = 0; i < key_cells; ++i) end = line.find('|', end) + 1;
    latest[line.substr(0, end)] = line;
  }
  Lines out;
  for (const auto& [key, line] : latest) out.push_back(line);
  return sorted(out);
}

/// What is wrong with a sink's lines; empty = nothing.
std::string check_sink(const SimWorld& world, bool punctual, size_t sink, const RowIds& late) {
  const SimJob& job = world.job();
  const uint32_t aggregate = job.plan.sinks[sink].aggregate;
  const size_t key_cells = 2 + job.plan.aggregates[aggregate].spec.key_columns.size();
  const auto counted = oracle_rows(job, aggregate, [&](uint32_t source, uint32_t split, uint64_t sequence) {
    return !late.contains({job.plan.sources[source].id, job.scripts[source].splits[split].id, sequence});
  });
  const Lines should = sorted(oracle_lines(oracle_final(oracle_job(job, aggregate), counted)));
  const Lines& lines = world.lines(sink);
  return first_difference(punctual ? sorted(lines) : last_revisions(lines, key_cells), should);
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
  std::map<std::string, RowIds> late;
  for (const core::LateItem& item : world.late()) {
    ++(item.aggregate.empty() ? seen.set_aside : seen.late_rows);
    late[item.aggregate].insert({item.source, item.split, item.sequence});
    if (!punctual || item.aggregate.empty()) continue;
    return "late in a punctual job: row " + std::to_string(item.sequence) + " of " + item.source + ", " + item.split +
           ", time " + core::format_rfc3339(item.event_time) + ", watermark " + core::format_rfc3339(item.watermark);
  }
  seen.resumes += world.resumes();
  const core::JobPlan& plan = world.job().plan;
  for (size_t sink = 0; sink < plan.sinks.size(); ++sink) {
    const auto& id = plan.aggregates[plan.sinks[sink].aggregate].spec.id;
    if (std::string wrong = check_sink(world, punctual, sink, late[id]); !wrong.empty()) {
      return "sink " + std::to_string(sink) + ": " + wrong;
    }
  }
  return "";
}

}  // namespace tidemark::test
