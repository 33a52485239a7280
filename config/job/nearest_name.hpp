// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the name that somebody probably wanted. Looks, in this order, for another way of writing the
// same name (kebab-case, camelCase, capitals), the word that Flink, Kafka Streams and others use for the same
// idea, an edit distance of at most 2, and a shared beginning. Deterministic: ties go to the earlier candidate.
// Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/similar_name.hpp"

namespace tidemark::config {

using core::edit_distance;
using core::snake_case;

/// Our names for what `name` (in snake_case) is called elsewhere: "grace" gives "allowed_lateness".
std::vector<std::string_view> same_idea(std::string_view name);

/// The candidate that is `given` in another spelling, or the same idea under another name.
std::optional<std::string> same_name(std::string_view given, std::span<const std::string> candidates);

/// The candidate that `given` probably means; empty when none is near.
std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> candidates);

/// Help for a name that is none of those known: "did you mean `x`?" or "there are: x, y"; empty where there are none.
std::string suggest_name(std::string_view given, std::span<const std::string> known);

}  // namespace tidemark::config
