// SPDX-License-Identifier: Apache-2.0
//
// What was changed of a component, told from its two fingerprints: the fields of the job file that differ, each with
// its old and new value. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::core {

/// `window was "tumbling window of 1m", it is "tumbling window of 2m"`, of all fields that differ, joined by "; ".
std::string describe_change(std::string_view before, std::string_view now);

}  // namespace tidemark::core
