// SPDX-License-Identifier: Apache-2.0
//
// See the header. Numbers of rules are those of semantics 1.13 and 1.14.
#include "tests/oracle/oracle.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace tidemark::test {

namespace {

using Int = boost::multiprecision::cpp_int;
using Value = std::variant<Int, std::string>;
using Keys = std::vector<OracleCell>;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

int64_t clamp(const Int& value) {
  if (value > kMax) return kMax;
  if (value < kMin) return kMin;
  return static_cast<int64_t>(value);
}

// 1.13.1 with floor division (decision 11).
Int window_start(int64_t time, int64_t size) {
  Int quotient = Int(time) / size;
  if (Int(time) % size != 0 && time < 0) quotient -= 1;
  return quotient * size;
}

struct Bounds {
  Int end;
  Int start;
  auto operator<=>(const Bounds& other) const {
    return end != other.end ? (end < other.end ? -1 : 1) : start == other.start ? 0 : start < other.start ? -1 : 1;
  }
  bool operator==(const Bounds& other) const = default;
};

// 1.13.3 and 1.17.9, by ascending end.
std::vector<Bounds> windows_of(const OracleJob& job, int64_t time) {
  std::vector<Bounds> out;
  const int64_t slide = job.window_slide_us == 0 ? job.window_size_us : job.window_slide_us;
  if (job.cumulative) {
    const Int start = window_start(time, job.window_size_us);
    for (Int end = start + slide; end <= start + job.window_size_us; end += slide) {
      if (end > time) out.push_back({end, start});
    }
    return out;
  }
  for (Int start = window_start(time, slide); start + job.window_size_us > time; start -= slide) {
    out.push_back({start + job.window_size_us, start});
  }
  return {out.rbegin(), out.rend()};
}

Int parse_number(const std::string& text, int scale) {
  const bool negative = !text.empty() && text[0] == '-';
  std::string digits = text.substr(negative || (!text.empty() && text[0] == '+') ? 1 : 0);
  size_t fraction = 0;
  if (const size_t dot = digits.find('.'); dot != std::string::npos) {
    fraction = digits.size() - dot - 1;
    digits.erase(dot, 1);
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos ||
      fraction > static_cast<size_t>(scale)) {
    throw std::invalid_argument("not a number of scale " + std::to_string(scale) + ": " + text);
  }
  digits.append(static_cast<size_t>(scale) - fraction, '0');
  const size_t first = digits.find_first_not_of('0');  // cpp_int reads a leading 0 as octal
  const Int value(first == std::string::npos ? "0" : digits.substr(first));
  return negative ? Int(-value) : value;
}

std::string format_number(const Int& value, int scale) {
  std::string digits = Int(abs(value)).str();
  const auto places = static_cast<size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  return (value < 0 ? "-" : "") + digits;
}

std::string format_value(const Value& value, int scale) {
  if (const Int* number = std::get_if<Int>(&value)) return format_number(*number, scale);
  return std::get<std::string>(value);
}

// Half away from zero, four digits more.
std::string average(const Int& sum, int64_t count, int scale) {
  const Int numerator = Int(abs(sum)) * 10000 * 2 + count;
  const Int rounded = numerator / (Int(count) * 2);
  return format_number(sum < 0 ? Int(-rounded) : rounded, scale + 4);
}

// Net counts of everything added and taken away, per aggregate column.
struct Group {
  int64_t weight = 0;
  std::vector<std::map<Value, int64_t>> values;
  bool shown = false;  ///< its last firing gave a result
};

struct Window {
  bool fired = false;
  std::map<Keys, Group> groups;
};

void add_row(const OracleJob& job, const OracleRow& row, Group& group) {
  const int sign = row.op == OracleOp::insert || row.op == OracleOp::update_after ? 1 : -1;
  group.weight += sign;
  group.values.resize(job.columns.size());
  for (size_t i = 0; i < job.columns.size(); ++i) {
    const OracleColumn& column = job.columns[i];
    if (column.function == OracleFunction::count_all) continue;
    const OracleCell& cell = row.measures.at(column.measure);
    if (!cell) continue;
    const Value value = column.scale == kOracleText ? Value(*cell) : Value(parse_number(*cell, column.scale));
    if ((group.values[i][value] += sign) == 0) group.values[i].erase(value);
  }
}

OracleCell evaluate(const OracleColumn& column, const Group& group, const std::map<Value, int64_t>& values) {
  int64_t count = 0;
  int64_t distinct = 0;
  Int sum = 0;
  std::optional<Value> least;
  std::optional<Value> most;
  for (const auto& [value, times] : values) {
    count += times;
    if (const Int* number = std::get_if<Int>(&value)) sum += *number * times;
    if (times <= 0) continue;
    ++distinct;
    if (!least) least = value;
    most = value;
  }
  switch (column.function) {
    case OracleFunction::count_all:
      return std::to_string(group.weight);
    case OracleFunction::count:
      return std::to_string(count);
    case OracleFunction::count_distinct:
      return std::to_string(distinct);
    case OracleFunction::min:
      return least ? OracleCell(format_value(*least, column.scale)) : std::nullopt;
    case OracleFunction::max:
      return most ? OracleCell(format_value(*most, column.scale)) : std::nullopt;
    case OracleFunction::sum:
    case OracleFunction::avg:
      break;
  }
  if (column.scale == kOracleText) throw std::invalid_argument("sum and avg need a number");
  if (count == 0) return std::nullopt;
  return column.function == OracleFunction::sum ? format_number(sum, column.scale) : average(sum, count, column.scale);
}

OracleResult result_of(const OracleJob& job, const Bounds& bounds, const Keys& keys, const Group* group) {
  OracleResult out{clamp(bounds.start), clamp(bounds.end), keys, {}};
  for (size_t i = 0; group != nullptr && i < job.columns.size(); ++i) {
    out.values.push_back(evaluate(job.columns[i], *group, group->values[i]));
  }
  return out;
}

class Run {
 public:
  explicit Run(const OracleJob& job) : job_(job) {}

  // False: filtered or set aside.
  bool counts(const OracleRow& row) {
    if (!job_.changelog && row.op != OracleOp::insert) {
      ++out_.counts.filtered;
      return false;
    }
    if (row.event_time == kMin) {
      ++out_.counts.set_aside;
      return false;
    }
    return true;
  }

  void take_row(const OracleRow& row, size_t step) {
    if (!counts(row)) return;
    const std::vector<Bounds> windows = windows_of(job_, row.event_time);
    size_t missed = 0;
    for (const Bounds& bounds : windows) {
      if (bounds.end <= row.missed_until || (watermark_ != kMin && cleanup(bounds) <= watermark_)) {  // 1.14.2
        ++missed;
        continue;
      }
      Window& window = windows_[bounds];
      window.fired = window.fired || last(bounds) <= watermark_;
      add_row(job_, row, window.groups[row.keys]);
      touched_.insert({bounds, row.keys});
    }
    if (windows.empty()) {
      ++out_.counts.filtered;
    } else if (missed == windows.size()) {
      out_.late.push_back({step, watermark_, clamp(windows.back().end)});
      ++out_.counts.late;
    } else {
      ++out_.counts.aggregated;
      out_.counts.partly_late += missed > 0 ? 1 : 0;
    }
  }

  // After a row, or after both halves of an update: 1.14.7.
  void fire_touched() {
    for (const auto& [bounds, keys] : touched_) {
      Window& window = windows_.at(bounds);
      if (window.fired) fire(bounds, keys, window.groups.at(keys));
    }
    touched_.clear();
  }

  void take_watermark(int64_t watermark) {
    if (watermark <= watermark_) return;
    watermark_ = watermark;
    for (auto& [bounds, window] : windows_) {
      if (window.fired || last(bounds) > watermark_) continue;
      window.fired = true;
      for (auto& [keys, group] : window.groups) fire(bounds, keys, group);
    }
    std::erase_if(windows_, [this](const auto& entry) { return cleanup(entry.first) <= watermark_; });
  }

  const std::map<Bounds, Window>& windows() const { return windows_; }
  OracleRun& out() { return out_; }

 private:
  static Int last(const Bounds& bounds) { return Int(clamp(bounds.end)) - 1; }
  int64_t cleanup(const Bounds& bounds) const { return clamp(last(bounds) + job_.allowed_lateness_us); }

  void fire(const Bounds& bounds, const Keys& keys, Group& group) {
    const bool lives = group.weight > 0;
    if (lives || group.shown) {
      out_.firings.push_back({watermark_, !lives, result_of(job_, bounds, keys, lives ? &group : nullptr)});
    }
    group.shown = lives;
  }

  const OracleJob& job_;
  int64_t watermark_ = kMin;
  std::map<Bounds, Window> windows_;
  std::set<std::pair<Bounds, Keys>> touched_;
  OracleRun out_;
};

}  // namespace

OracleFinal oracle_final(const OracleJob& job, const std::vector<OracleRow>& rows) {
  Run run(job);
  for (const OracleRow& row : rows) run.take_row(row, 0);
  OracleFinal out;
  out.counts = run.out().counts;
  for (const auto& [bounds, window] : run.windows()) {
    for (const auto& [keys, group] : window.groups) {
      if (group.weight > 0) out.results.push_back(result_of(job, bounds, keys, &group));
      if (group.weight < 0) ++out.groups_without_base;
    }
  }
  return out;
}

OracleRun oracle_run(const OracleJob& job, const std::vector<OracleStep>& steps) {
  Run run(job);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (const int64_t* watermark = std::get_if<int64_t>(&steps[i])) {
      run.take_watermark(*watermark);
      continue;
    }
    const OracleRow& row = std::get<OracleRow>(steps[i]);
    run.take_row(row, i);
    const OracleRow* next = i + 1 < steps.size() ? std::get_if<OracleRow>(&steps[i + 1]) : nullptr;
    const bool half = row.op == OracleOp::update_before && next != nullptr && next->op == OracleOp::update_after;
    if (!half) run.fire_touched();
  }
  return std::move(run.out());
}

}  // namespace tidemark::test
