// SPDX-License-Identifier: Apache-2.0
//
// Where rows that go to the late store came from, by the job's plan: rows of a source's split, or results of an
// aggregate. In keys results are told from sources by numbers that go on after those of the sources.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/late/late_page_writer.hpp"
#include "core/plan/job_plan.hpp"

namespace tidemark::core {

/// Rows of one split of source number `source`, that `aggregate` (an id) was to take. The texts outlive it.
inline LateContext context_of_split(const JobPlan& plan, uint32_t source, std::string_view split,
                                    std::string_view aggregate) {
  return {.source = plan.sources[source].id,
          .source_number = static_cast<uint16_t>(source),
          .split = split,
          .aggregate = aggregate,
          .holder = {},
          .detail = {}};
}

/// Results of aggregate number `from`, that `aggregate` (an id) or one of its sinks was to take.
inline LateContext context_of_result(const JobPlan& plan, uint32_t from, std::string_view aggregate) {
  return {.source = plan.aggregates[from].spec.id,
          .source_number = static_cast<uint16_t>(plan.sources.size() + from),
          .split = {},
          .aggregate = aggregate,
          .holder = {},
          .detail = {}};
}

}  // namespace tidemark::core
