// SPDX-License-Identifier: Apache-2.0
//
// How near two names are: other ways of writing the same name (kebab-case, camelCase, capitals), an edit distance
// of at most 2, and a shared beginning; for "did you mean" of keys, columns and functions. Deterministic: ties go
// to the earlier candidate. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::core {

/// Longer names are not compared letter by letter.
inline constexpr size_t kComparedMax = 64;

/// Damerau-Levenshtein distance (insert, delete, replace, swap of neighbours), by bytes.
size_t edit_distance(std::string_view a, std::string_view b);

/// "max-drift", "maxDrift" and "MAX_DRIFT" as "max_drift".
std::string snake_case(std::string_view name);

/// The candidate that `given` probably means; empty when none is near. A candidate equal to `given` is no answer.
std::optional<std::string> similar_name(std::string_view given, std::span<const std::string> candidates);

}  // namespace tidemark::core
