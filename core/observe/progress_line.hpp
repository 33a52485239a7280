// SPDX-License-Identifier: Apache-2.0
//
// The progress of a running job on one line of standard error, redrawn in place; only on a terminal, so that
// nothing of it lands in files. Figures come from JobCounters and from what sources report of their bytes.
// Metrics and text above the line arrive from any thread; drawing happens on the thread that watches the job.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/clock.hpp"
#include "core/runtime/job_counters.hpp"

namespace tidemark::core {

class ProgressLine {
 public:
  ProgressLine(const JobCounters& counters, const Clock& clock, bool enabled)
      : counters_(counters), clock_(clock), enabled_(enabled), started_us_(clock.monotonic_us()) {}

  /// A reader's figure; "bytes_read" and "bytes_total" make the bar.
  void set_metric(uint32_t reader, std::string_view name, double value);
  /// Redraws, at most a few times a second.
  void draw();
  /// Writes to `file` what belongs above the line: erases the line first, so that both can share a terminal.
  bool print_above(std::string_view text, FILE* file);
  /// Leaves the line as it stands at the end and goes to the next.
  void finish();
  /// What sources counted besides their bytes ("zero_dates", ...), summed over readers; only what is not 0.
  std::map<std::string, double> notices() const;
  /// Seconds since it was made.
  double elapsed_seconds() const;

  /// The line itself, for `width` columns.
  std::string text(size_t width) const;

 private:
  const JobCounters& counters_;
  const Clock& clock_;
  bool enabled_;
  Micros started_us_;
  Micros drawn_us_ = 0;
  std::mutex terminal_;  // held while something is printed
  mutable std::mutex mutex_;
  std::map<uint32_t, std::pair<double, double>> bytes_;        // by reader: read, total
  std::map<std::string, std::map<uint32_t, double>> notices_;  // by name and reader
};

/// 1234567 -> "1,234,567".
std::string with_commas(uint64_t number);

}  // namespace tidemark::core
