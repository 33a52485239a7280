// SPDX-License-Identifier: Apache-2.0
//
// Draws "[#######...] 43 %  1,234,567 rows  1.2 M rows/s  watermark ...". Plain ANSI: carriage return and erase.
#include "core/observe/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tidemark::core {
namespace {

constexpr Micros kRedrawInterval = 150 * kMicrosPerMilli;
constexpr size_t kBarCells = 24;
constexpr size_t kColumns = 100;

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.1f} M rows/s", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.0f} k rows/s", per_second / 1e3);
  return fmt::format("{:.0f} rows/s", per_second);
}

}  // namespace

std::string with_commas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

void ProgressLine::set_metric(uint32_t reader, std::string_view name, double value) {
  const std::lock_guard lock(mutex_);
  if (name == "bytes_read") {
    bytes_[reader].first = value;
  } else if (name == "bytes_total") {
    bytes_[reader].second = value;
  } else {
    notices_[std::string(name)][reader] = value;
  }
}

std::map<std::string, double> ProgressLine::notices() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, double> out;
  for (const auto& [name, values] : notices_) {
    for (const auto& [reader, value] : values) {
      if (value > 0) out[name] += value;
    }
  }
  return out;
}

double ProgressLine::elapsed_seconds() const {
  return static_cast<double>(clock_.monotonic_us() - started_us_) / static_cast<double>(kMicrosPerSecond);
}

std::string ProgressLine::text(size_t width) const {
  double read = 0;
  double total = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [reader, bytes] : bytes_) {
      read += bytes.first;
      total += bytes.second;
    }
  }
  std::string out;
  if (total > 0) {
    const double part = std::clamp(read / total, 0.0, 1.0);
    const auto cells = static_cast<size_t>(std::lround(part * static_cast<double>(kBarCells)));
    out = fmt::format("[{}{}] {:3.0f} %  ", std::string(cells, '#'), std::string(kBarCells - cells, '.'), part * 100);
  }
  const uint64_t rows = counters_.rows_read.load(std::memory_order_relaxed);
  const double seconds = std::max(elapsed_seconds(), 0.001);
  out += fmt::format("{} rows  {}", with_commas(rows), rate_text(static_cast<double>(rows) / seconds));
  const Micros watermark = counters_.watermark.load(std::memory_order_relaxed);
  if (watermark != kNoTime && watermark != kEndOfTime) out += "  watermark " + format_rfc3339(watermark);
  if (out.size() > width) out.resize(width);
  return out;
}

void ProgressLine::draw() {
  const Micros now = clock_.monotonic_us();
  if (!enabled_ || now - drawn_us_ < kRedrawInterval) return;
  const std::lock_guard lock(terminal_);
  drawn_us_ = now;
  std::fprintf(stderr, "\r\x1b[K%s", text(kColumns).c_str());
  std::fflush(stderr);
}

bool ProgressLine::print_above(std::string_view text, FILE* file) {
  const std::lock_guard lock(terminal_);
  if (enabled_ && drawn_us_ != 0) {
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
  }
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

void ProgressLine::finish() {
  if (!enabled_) return;
  const std::lock_guard lock(terminal_);
  std::fprintf(stderr, "\r\x1b[K%s\n", text(kColumns).c_str());
}

}  // namespace tidemark::core
