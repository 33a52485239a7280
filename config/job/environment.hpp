// SPDX-License-Identifier: Apache-2.0
//
// Environment variables in the string values of a job file: ${X}, ${X:-default}, ${X:?message}, and $$ for a
// dollar sign; any other $ stays as it is. Applied after parsing, once: what a variable holds is never read as
// TOML or substituted again. Pure but for the given lookup.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::config {

/// Value of a variable; empty when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

/// The process's environment.
Environment process_environment();

struct SubstitutionProblem {
  size_t offset = 0;  ///< bytes, in the text before substitution
  size_t length = 0;
  bool unset = false;  ///< a variable is not set (or empty, with :?); otherwise the spelling is wrong
  std::string text;
  std::string help;
};

struct Substituted {
  std::string text;
  bool changed = false;      ///< at least one ${...} or $$ was replaced
  bool whole = false;        ///< the text was exactly one ${...}: may fill a number, boolean, duration or size
  bool placeholder = false;  ///< a variable was not set and placeholders were allowed
  std::vector<SubstitutionProblem> problems;
};

/// Replaces what there is to replace. allow_missing: unset variables become the word "placeholder" instead of a
/// problem.
Substituted substitute(std::string_view text, const Environment& environment, bool allow_missing);

}  // namespace tidemark::config
