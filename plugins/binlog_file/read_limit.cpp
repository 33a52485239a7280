// SPDX-License-Identifier: Apache-2.0
// A token bucket. Invariant: never more than the burst is saved. Thread: one at a time per object.
#include "binlog_file/read_limit.hpp"

#include <algorithm>
#include <charconv>
#include <tidemark/source.hpp>

namespace tidemark::binlog_file {
namespace {
constexpr double kBurstSeconds = 0.05;
constexpr double kBurstRowsMin = 2;
}  // namespace

ReadLimit::ReadLimit(std::string_view text) {
  if (text.empty()) return;
  uint64_t rows = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), rows);
  if (code != std::errc() || rows == 0 ||
      std::string_view(end, static_cast<size_t>(text.data() + text.size() - end)) != "/s") {
    fail(SourceError("option 'read_limit' is not a number of rows per second", text, "write for example \"5000/s\"")
             .kind(ErrorKind::config));
  }
  rows_per_second_ = static_cast<double>(rows);
}

uint32_t ReadLimit::allowance(SteadyTime now) {
  if (unlimited()) return std::numeric_limits<uint32_t>::max();
  const double burst = std::max(kBurstRowsMin, rows_per_second_ * kBurstSeconds);
  if (last_ != SteadyTime{}) {
    tokens_ = std::min(burst, tokens_ + rows_per_second_ * std::chrono::duration<double>(now - last_).count());
  }
  last_ = now;
  return tokens_ < 1 ? 0 : static_cast<uint32_t>(tokens_);
}

}  // namespace tidemark::binlog_file
