// SPDX-License-Identifier: Apache-2.0
//
// The program's log: one line per message on standard error through spdlog, with time and level. Results never
// go here. Levels and format are set once at start from [log]; thread-safe afterwards. Not for the row path.
#pragma once

#include <functional>
#include <string_view>

namespace tidemark::core {

enum class LogLevel { debug, info, warning, error, off };

/// Sets what is printed; before it, warnings and errors are.
void set_log_level(LogLevel level);

void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warn(std::string_view message);
void log_error(std::string_view message);

/// While it lives, messages of every level go to `take`, on the thread that logs, and not to standard error. One at a
/// time; made and destroyed while no other thread logs.
class LogCapture {
 public:
  using Take = std::function<void(LogLevel level, std::string_view message)>;
  explicit LogCapture(Take take);
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  ~LogCapture();

 private:
  Take take_;
};

}  // namespace tidemark::core
