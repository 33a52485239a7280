// SPDX-License-Identifier: Apache-2.0
//
// The program's log: one line per message on standard error through spdlog, with time and level. Results never
// go here. Levels and format are set once at start from [log]; thread-safe afterwards. Not for the row path.
#pragma once

#include <string_view>

namespace tidemark::core {

enum class LogLevel { debug, info, warning, error, off };

/// Sets what is printed; before it, warnings and errors are.
void set_log_level(LogLevel level);

void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warn(std::string_view message);
void log_error(std::string_view message);

}  // namespace tidemark::core
