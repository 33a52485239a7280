// SPDX-License-Identifier: Apache-2.0
//
// JobStatus as JSON: what /api/v1/status serves and what commands read back.
//   times      RFC 3339, UTC; null = none; "end" = end of input
//   lengths    seconds, in fields that end with _seconds; null = none
//   counts     numbers up to 2^53, strings beyond, since readers with doubles would round them
// Fields may be added; a reader ignores those it does not know and takes those that are absent as none. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.hpp"
#include "core/event_time/merge_options.hpp"
#include "core/runtime/job_status.hpp"

namespace tidemark::core {

std::string status_to_json(const JobStatus& status);
/// Without the histograms, which are for metrics alone. Code::data when it is no such JSON.
Result<JobStatus> status_from_json(std::string_view text);

/// The job file's word: "hold", "flush", "end_of_time", "advance_after".
const char* policy_word(AllIdlePolicy policy) noexcept;

}  // namespace tidemark::core
