// SPDX-License-Identifier: Apache-2.0
//
// Findings as text for people and as JSON for editors and scripts. Text: `file:line:column: error[F003]: what`,
// the source line with its number, carets under the words with the help behind them, `note:` lines. Control
// characters of the source never reach the terminal. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "config/job/diagnostic.hpp"

namespace tidemark::config {

/// Most findings that are shown; the rest is counted.
inline constexpr size_t kFindingsShownMax = 50;

/// One finding, with a line end behind its last line.
std::string render_text(const Diagnostics& diagnostics, const Diagnostic& diagnostic);

/// All findings, sorted, at most kFindingsShownMax, with an empty line between two and a closing line that counts
/// them ("2 errors, 1 warning"). Empty when there is nothing to say.
std::string render_text(const Diagnostics& diagnostics);

/// All findings, sorted and never cut, as one JSON array: objects of file, range (as in the Language Server
/// Protocol: lines and UTF-16 characters from 0, the end is past the last), severity, code, source, message,
/// help and notes. Ends with a line end.
std::string render_json(const Diagnostics& diagnostics);

}  // namespace tidemark::config
