// SPDX-License-Identifier: Apache-2.0
//
// JobStatus as Prometheus metrics (text exposition format 0.0.4): base units, `_total` on counters, labels job,
// kind (source, aggregate, sink, job), component, shard. A figure that is not known is left out, not zero. Pure.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "core/runtime/job_status.hpp"

namespace tidemark::core {

/// The families in a fixed order; those without a sample are left out.
std::vector<prometheus::MetricFamily> metric_families(const JobStatus& status);
std::string metrics_text(const JobStatus& status);

}  // namespace tidemark::core
