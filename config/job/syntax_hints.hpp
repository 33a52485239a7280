// SPDX-License-Identifier: Apache-2.0
//
// TOML syntax errors in our words: what the parser says is looked up against the line it stopped at, and the usual
// slips (durations, sizes and words without quotes, a key given twice, inline tables over several lines) get a
// text and a remedy of their own. Pure but for the finding it adds.
#pragma once

#include <cstdint>
#include <string>

#include "config/job/diagnostic.hpp"

namespace tidemark::config {

/// Adds one finding of code::kSyntax. line, column: where the parser stopped (it may be a character off).
/// description: the parser's own text.
void explain_syntax_error(uint32_t file, uint32_t line, uint32_t column, const std::string& description,
                          Diagnostics& diagnostics);

}  // namespace tidemark::config
