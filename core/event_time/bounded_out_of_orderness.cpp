// SPDX-License-Identifier: Apache-2.0
//
// The loop over a batch, kept apart so that it is compiled once. See the header.
#include "core/event_time/bounded_out_of_orderness.hpp"

namespace tidemark::core {

void BoundedOutOfOrderness::on_batch(const RowTimes& rows) {
  Micros most = max_;
  for (const Micros event_time : rows.event_times) most = event_time > most ? event_time : most;
  max_ = most;
}

}  // namespace tidemark::core
