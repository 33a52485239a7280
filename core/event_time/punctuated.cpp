// SPDX-License-Identifier: Apache-2.0
//
// The loop over a batch. See the header.
#include "core/event_time/punctuated.hpp"

#include <algorithm>

#include "core/base/check.hpp"

namespace tidemark::core {

void Punctuated::on_batch(const RowTimes& rows) {
  TIDEMARK_CHECK(rows.markers.empty() || rows.markers.size() == rows.event_times.size());
  for (size_t row = 0; row < rows.markers.size(); ++row) {
    if (rows.markers[row] != 0) max_ = std::max(max_, rows.event_times[row]);
  }
}

}  // namespace tidemark::core
