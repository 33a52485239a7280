// SPDX-License-Identifier: Apache-2.0
// Text forms of decoder errors. No state; any thread.
#include "binlog/decode_error.hpp"

namespace tidemark::binlog {

const char* error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::torn_tail:
      return "torn_tail";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::io:
      return "io";
    case ErrorKind::schema:
      return "schema";
  }
  return "?";
}

std::string DecodeError::to_string() const {
  std::string out;
  if (!file.empty()) out += file + (position != 0 ? ":" + std::to_string(position) : std::string()) + ": ";
  out += text;
  if (!remedy.empty()) out += "; " + remedy;
  return out;
}

DecodeError located(DecodeError error, std::string_view file, uint64_t position) {
  if (error.file.empty()) {
    error.file = file;
    error.position = position;
  }
  return error;
}

}  // namespace tidemark::binlog
