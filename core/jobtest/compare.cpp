// SPDX-License-Identifier: Apache-2.0
//
// Comparison. Expected rows may leave columns open, so which result belongs to which of them is found as a maximum
// matching: no order of the rows decides whether a test passes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "config/job/codes.hpp"
#include "core/jobtest/expectations.hpp"

namespace tidemark::core {
namespace {

namespace code = config::code;

constexpr size_t kRowsShownMax = 8;

bool is_equal(const ExpectedCell& expected, const std::optional<std::string>& actual) {
  if (!expected.is_real || !expected.text || !actual) return expected.text == actual;
  double real = 0;
  const auto [at, error] = std::from_chars(actual->data(), actual->data() + actual->size(), real);
  if (error != std::errc{} || !std::isfinite(real)) return expected.text == actual;
  return std::abs(real - expected.real) <= expected.tolerance;
}

size_t differences(const std::vector<ExpectedCell>& expected, const ResultCells& actual) {
  return static_cast<size_t>(std::count_if(expected.begin(), expected.end(), [&](const ExpectedCell& cell) {
    return !is_equal(cell, actual[cell.column]);
  }));
}

/// Pairs of expected rows and results, as many as there can be.
class Matching {
 public:
  Matching(const std::vector<std::vector<ExpectedCell>>& expected, const std::vector<ResultCells>& actual)
      : expected_(expected), actual_(actual), of_actual_(actual.size(), kNone), of_expected_(expected.size(), kNone) {
    std::vector<size_t> crowded;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!take_free(i)) crowded.push_back(i);
    }
    for (const size_t i : crowded) {
      std::vector<bool> tried(actual.size(), false);
      find_pair(i, tried);
    }
    for (size_t i = 0; i < actual.size(); ++i) {
      if (of_actual_[i] != kNone) of_expected_[of_actual_[i]] = i;
    }
  }

  bool is_met(size_t expected) const { return of_expected_[expected] != kNone; }
  bool was_expected(size_t actual) const { return of_actual_[actual] != kNone; }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  bool take_free(size_t expected) {
    for (size_t i = 0; i < actual_.size(); ++i) {
      if (of_actual_[i] != kNone || differences(expected_[expected], actual_[i]) != 0) continue;
      of_actual_[i] = expected;
      return true;
    }
    return false;
  }
  // Takes a free result, or one whose owner finds another. As deep as there are expected rows, at most.
  bool find_pair(size_t expected, std::vector<bool>& tried) {
    for (size_t i = 0; i < actual_.size(); ++i) {
      if (tried[i] || differences(expected_[expected], actual_[i]) != 0) continue;
      tried[i] = true;
      if (of_actual_[i] != kNone && !find_pair(of_actual_[i], tried)) continue;
      of_actual_[i] = expected;
      return true;
    }
    return false;
  }

  const std::vector<std::vector<ExpectedCell>>& expected_;
  const std::vector<ResultCells>& actual_;
  std::vector<size_t> of_actual_;
  std::vector<size_t> of_expected_;
};

std::string row_text(const BatchLayout& layout, const ResultCells& row) {
  std::string out;
  for (size_t i = 0; i < row.size(); ++i) {
    out += fmt::format("{}{} = {}", i == 0 ? "" : ", ", layout.columns[i].name, row[i].value_or("NULL"));
  }
  return out;
}

std::string cells_text(const BatchLayout& layout, const std::vector<ExpectedCell>& cells) {
  std::string out;
  for (const ExpectedCell& cell : cells) {
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", layout.columns[cell.column].name, cell.shown);
  }
  return out.empty() ? "any row" : out;
}

// The result with the fewest differences; one that nobody expected before the others. The number of the one it shows.
std::optional<size_t> explain_nearest(const std::vector<ExpectedCell>& expected, const BatchLayout& layout,
                                      const std::vector<ResultCells>& actual, const Matching& matching,
                                      config::Diagnostic& finding) {
  size_t nearest = SIZE_MAX;
  std::pair<bool, size_t> best{true, SIZE_MAX};
  for (size_t i = 0; i < actual.size(); ++i) {
    const std::pair<bool, size_t> one{matching.was_expected(i), differences(expected, actual[i])};
    if (one < best) {
      best = one;
      nearest = i;
    }
  }
  if (nearest == SIZE_MAX || matching.was_expected(nearest)) {
    finding.with_note(actual.empty() ? "there were no results at all"
                                     : "every result that came is another expected row");
    return std::nullopt;
  }
  finding.with_note("nearest: " + row_text(layout, actual[nearest]));
  for (const ExpectedCell& cell : expected) {
    const auto& value = actual[nearest][cell.column];
    if (is_equal(cell, value)) continue;
    finding.with_note(
        fmt::format("{}: expected {}, is {}", layout.columns[cell.column].name, cell.shown, value.value_or("NULL")));
  }
  return nearest;
}

template <typename Text>
void list_rows(size_t count, config::Diagnostic& finding, Text text) {
  for (size_t i = 0; i < std::min(count, kRowsShownMax); ++i) finding.with_note(text(i));
  if (count > kRowsShownMax) finding.with_note(fmt::format("and {} more", count - kRowsShownMax));
}

void compare_table(const ExpectedTable& table, const BatchLayout& layout, const std::vector<ResultCells>& actual,
                   config::Diagnostics& diagnostics) {
  const Matching matching(table.rows, actual);
  std::set<size_t> shown;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    if (matching.is_met(i)) continue;
    auto& finding =
        diagnostics.error(code::kTestResult, table.row_spans[i], fmt::format("`{}` has no such result", table.name));
    finding.with_note("expected: " + cells_text(layout, table.rows[i]));
    if (const auto nearest = explain_nearest(table.rows[i], layout, actual, matching, finding)) shown.insert(*nearest);
  }
  std::vector<size_t> more;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (!matching.was_expected(i) && !shown.contains(i)) more.push_back(i);
  }
  if (more.empty()) return;
  auto& finding = diagnostics.error(code::kTestResult, table.span,
                                    fmt::format("`{}` has {} that {} not expected", table.name,
                                                more.size() == 1 ? "a result" : fmt::format("{} results", more.size()),
                                                more.size() == 1 ? "was" : "were"));
  list_rows(more.size(), finding, [&](size_t i) { return row_text(layout, actual[more[i]]); });
}

bool is_meant(const config::ExpectedLate& expected, const LateItem& item) {
  const auto same = [](const config::Spanned<std::string>& wanted, std::string_view is) {
    return !wanted.given || wanted.value == is;
  };
  if (expected.event_time) {
    const bool none = expected.event_time->kind == config::TestValue::Kind::null;
    if (item.event_time != (none ? kNoTime : expected.event_time->time.us)) return false;
  }
  return same(expected.aggregate, item.aggregate) && same(expected.source, item.source) &&
         same(expected.shard, item.split) && same(expected.reason, reason_name(item.reason));
}

std::string late_text(const LateItem& item) {
  std::string out = std::string(reason_name(item.reason));
  if (!item.aggregate.empty()) out += ", aggregate " + item.aggregate;
  out += ", source " + item.source;
  if (!item.split.empty()) out += ", shard " + item.split;  // results of an aggregate have none
  out += item.event_time == kNoTime ? ", without event time" : ", event time " + format_rfc3339(item.event_time);
  if (item.lateness_us > 0) out += ", late by " + format_duration(item.lateness_us);
  for (const LateValue& value : item.columns) {
    out += fmt::format(", {} = {}", value.name, value.is_null ? "NULL" : value.text);
  }
  return out;
}

void compare_late(const config::TestSpec& test, const std::vector<LateItem>& late, config::Diagnostics& diagnostics) {
  std::set<size_t> meant;
  for (const config::ExpectedLate& expected : *test.late) {
    std::vector<size_t> mine;
    Micros lateness = 0;
    for (size_t i = 0; i < late.size(); ++i) {
      if (!is_meant(expected, late[i])) continue;
      mine.push_back(i);
      meant.insert(i);
      lateness = std::max(lateness, late[i].lateness_us);
    }
    if (static_cast<int64_t>(mine.size()) != expected.count.value) {
      auto& finding = diagnostics.error(code::kTestLate, expected.count.given ? expected.count.span : expected.span,
                                        fmt::format("the late store has {} such row{}, not {}", mine.size(),
                                                    mine.size() == 1 ? "" : "s", expected.count.value));
      const bool none = mine.empty();
      list_rows(none ? late.size() : mine.size(), finding,
                [&](size_t i) { return (none ? "it has: " : "") + late_text(late[none ? i : mine[i]]); });
      continue;
    }
    if (expected.lateness_us.given && lateness != expected.lateness_us.value) {
      diagnostics
          .error(
              code::kTestLate, expected.lateness_us.span,
              fmt::format("late by {}, not {}", format_duration(lateness), format_duration(expected.lateness_us.value)))
          .with_note(late_text(late[mine.front()]));
    }
  }
  std::vector<size_t> more;
  for (size_t i = 0; i < late.size(); ++i) {
    if (!meant.contains(i)) more.push_back(i);
  }
  if (more.empty()) return;
  auto& finding = diagnostics.error(code::kTestLate, test.late_span,
                                    fmt::format("the late store has {} row{} that {} not expected", more.size(),
                                                more.size() == 1 ? "" : "s", more.size() == 1 ? "was" : "were"));
  list_rows(more.size(), finding, [&](size_t i) { return late_text(late[more[i]]); });
}

void compare_warnings(const config::TestSpec& test, const std::vector<std::string>& warnings,
                      config::Diagnostics& diagnostics) {
  std::vector<bool> meant(warnings.size(), false);
  for (const config::Spanned<std::string>& expected : *test.warnings) {
    bool found = false;
    for (size_t i = 0; i < warnings.size(); ++i) {
      if (warnings[i].find(expected.value) == std::string::npos) continue;
      found = true;
      meant[i] = true;
    }
    if (found) continue;
    auto& finding = diagnostics.error(code::kTestWarning, expected.span, "no warning says this");
    list_rows(warnings.size(), finding, [&](size_t i) { return "warning: " + warnings[i]; });
  }
  for (size_t i = 0; i < warnings.size(); ++i) {
    if (meant[i]) continue;
    diagnostics.error(code::kTestWarning, test.warnings_span, "a warning that was not expected").with_note(warnings[i]);
  }
}

}  // namespace

void compare(const config::TestSpec& test, const std::vector<ExpectedTable>& tables, const ResultLayouts& layouts,
             const TestOutcome& outcome, config::Diagnostics& diagnostics) {
  const std::string& message = outcome.status.message();
  if (!outcome.status && !test.error.given) {
    diagnostics.error(code::kTestJob, test.name.span, "the job fails in this test").with_note(message);
    return;
  }
  if (test.error.given && (outcome.status || message.find(test.error.value) == std::string::npos)) {
    auto& finding = diagnostics.error(code::kTestJob, test.error.span,
                                      outcome.status ? "the job did not fail" : "the job fails with another message");
    if (!outcome.status) finding.with_note(message);
  }
  for (const ExpectedTable& table : tables) {
    compare_table(table, *layouts[table.aggregate], outcome.results[table.aggregate], diagnostics);
  }
  if (test.late) compare_late(test, outcome.late, diagnostics);
  if (test.warnings) compare_warnings(test, outcome.warnings, diagnostics);
}

}  // namespace tidemark::core
