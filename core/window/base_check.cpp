// SPDX-License-Identifier: Apache-2.0
//
// The error of jobs that are to fail on such rows.
#include "core/window/base_check.hpp"

#include <string>

#include "core/base/time.hpp"

namespace tidemark::core {

Status no_base_error(const std::string& group, std::string_view has_none, const Batch& batch, uint32_t row) {
  std::string place = "the row with event time " + format_rfc3339(batch.event_time_us[row]);
  if (const Origin* origin = batch.origin_of(row)) {
    place += " of " + std::string(batch.bytes_of(origin->database)) + "." + std::string(batch.bytes_of(origin->table)) +
             " at " + std::string(batch.bytes_of(origin->file)) + ":" + std::to_string(origin->position);
  }
  return Status(Code::data, group + ": " + place + " takes away from a " + std::string(has_none) +
                                "; start the job where the table begins, or set no_base to \"set_aside\" or "
                                "\"delta\"");
}

}  // namespace tidemark::core
