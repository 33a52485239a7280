// SPDX-License-Identifier: Apache-2.0
//
// `tidemark state ls` and `size`: the summary and the sizes of a state as text and as one JSON document. Pure
// functions.
#pragma once

#include <string>

#include "core/inspect/state_summary.hpp"

namespace tidemark::core {

/// `standing`: whether the job runs, in words.
std::string summary_text(const StateSummary& summary, const std::string& standing);
std::string summary_json(const StateSummary& summary);

std::string size_text(const StateSize& size);
std::string size_json(const StateSize& size);

}  // namespace tidemark::core
