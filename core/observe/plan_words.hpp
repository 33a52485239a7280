// SPDX-License-Identifier: Apache-2.0
//
// What the settings of a job mean, in sentences: watermarks, windows, when results come, what becomes of late rows.
// From the job file alone, so they can be said without asking any source. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "config/job/job_spec.hpp"

namespace tidemark::core {

std::string mode_words(const config::SourceSpec& source);
/// What its current rows are kept for; empty: they are not. `key`: the names of the key columns; empty: not known.
std::vector<std::string> kept_words(const config::SourceSpec& source, const std::vector<std::string>& key);
std::string event_time_words(const config::SourceSpec& source);
std::vector<std::string> watermark_words(const config::WatermarkSpec& watermark);
std::string window_words(const config::WindowSpec& window);
std::vector<std::string> result_words(const config::JobSpec& job, const config::AggregateSpec& aggregate);
std::vector<std::string> late_words(const config::JobSpec& job, const config::AggregateSpec& aggregate);

/// A group of the aggregate has one result, and no more.
}  // namespace tidemark::core
