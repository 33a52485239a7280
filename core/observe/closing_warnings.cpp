// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/observe/closing_warnings.hpp"

#include <fmt/format.h>

#include "core/observe/progress_line.hpp"

namespace tidemark::core {

std::string counted_with_commas(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", with_commas(count), count == 1 ? one : many);
}

std::vector<std::string> closing_warnings(const JobCounters& counters, const EpochRecord& all) {
  std::vector<std::string> out;
  if (all.groups_without_base > 0) {
    out.push_back(
        fmt::format("{} not shown: something was taken away from them that was never added: the log begins after "
                    "their rows were written (mode = \"append\" counts inserts alone), or event time is that of "
                    "the change, which no earlier image of the row has (take a column)",
                    counted_with_commas(all.groups_without_base, "group was", "groups were")));
  }
  if (const auto ahead = counters.rows_ahead.load()) {
    out.push_back(fmt::format("{} further ahead of the clock than max_future",
                              counted_with_commas(ahead, "row was", "rows were")));
  }
  return out;
}

}  // namespace tidemark::core
