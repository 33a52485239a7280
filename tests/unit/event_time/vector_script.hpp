// SPDX-License-Identifier: Apache-2.0
//
// Runs the notation of the semantics vectors: steps separated by blanks, the outputs of a step in brackets after
// it ("0:5 1:7 [W5] 1:I [IDLE]"). run_script() executes the steps and writes the script down again with what
// really came out, so a test compares two strings and a failure shows the first difference in place.
#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <string_view>

#include "core/event_time/stream_status.hpp"

namespace tidemark::core::test {

inline Micros parse_time(std::string_view text) {
  if (text == "MAX") return kEndOfTime;
  if (text == "MIN") return kNoTime;
  return std::stoll(std::string(text));
}

inline std::string words(const WatermarkOutput& out, const char* idle = "IDLE", const char* active = "ACT") {
  std::string text;
  const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
  if (out.status == StreamStatus::active) add(active);
  if (out.watermark) add("W" + (*out.watermark == kEndOfTime ? "MAX" : std::to_string(*out.watermark)));
  if (out.status == StreamStatus::idle) add(idle);
  return text;
}

/// `step` executes one step and returns its outputs in words, empty for none.
inline std::string run_script(const std::string& script, const std::function<std::string(std::string_view)>& step) {
  std::istringstream in(script);
  std::string out;
  for (std::string token; in >> token;) {
    if (token.front() == '[') continue;
    const std::string said = step(token);
    out += (out.empty() ? "" : " ") + token + (said.empty() ? "" : " [" + said + "]");
  }
  return out;
}

}  // namespace tidemark::core::test
