// SPDX-License-Identifier: Apache-2.0
//
// Mapping of error codes to exit codes, kept in one place so that scripts can rely on it.
#include "core/cli/exit_code.hpp"

#include <cstdio>

namespace tidemark::core {

int exit_code_of(const Status& status) noexcept {
  switch (status.code()) {
    case Code::ok:
      return kExitOk;
    case Code::config:
    case Code::plugin:
      return kExitConfig;
    case Code::io:
      return kExitUnavailable;
    case Code::data:
    case Code::unsupported:
    case Code::overflow:
      return kExitData;
    case Code::state:
    case Code::damage:
      return kExitState;
    case Code::internal:
      return kExitInternal;
  }
  return kExitInternal;
}

int report(const Status& status) {
  std::fprintf(stderr, "tidemark: error: %s\n", status.message().c_str());
  return exit_code_of(status);
}

}  // namespace tidemark::core
