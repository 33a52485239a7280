// SPDX-License-Identifier: Apache-2.0
//
// Out-of-line parts of Status: names of codes and the joining of contexts. Nothing here runs on the row path.
#include "core/base/status.hpp"

namespace tidemark::core {

const char* code_name(Code code) noexcept {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::config:
      return "config";
    case Code::io:
      return "io";
    case Code::data:
      return "data";
    case Code::state:
      return "state";
    case Code::damage:
      return "damage";
    case Code::unsupported:
      return "unsupported";
    case Code::plugin:
      return "plugin";
    case Code::overflow:
      return "overflow";
    case Code::internal:
      return "internal";
  }
  return "?";
}

const std::string& Status::message() const noexcept {
  static const std::string kNone;
  return rep_ ? rep_->message : kNone;
}

Status Status::with_context(const std::string& context) const {
  if (is_ok()) return {};
  Status out(rep_->code, context + ": " + rep_->message);
  out.rep_->retryable = rep_->retryable;
  return out;
}

}  // namespace tidemark::core
