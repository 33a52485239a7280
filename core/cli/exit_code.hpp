// SPDX-License-Identifier: Apache-2.0
//
// Exit codes of the program, after sysexits(3), and the one way in which commands print an error. Pure but for
// standard error.
#pragma once

#include "core/base/status.hpp"

namespace tidemark::core {

enum ExitCode : int {
  kExitOk = 0,
  kExitTestsFailed = 1,   ///< a test of the job (`tidemark test`)
  kExitUsage = 64,        ///< the command line
  kExitData = 65,         ///< input that cannot be decoded or applied
  kExitUnavailable = 69,  ///< a file, disk or server failed
  kExitInternal = 70,     ///< a bug of ours
  kExitState = 74,        ///< the state directory is damaged, locked or of another job
  kExitConfig = 78,       ///< the job file, an option or a plugin
};

int exit_code_of(const Status& status) noexcept;

/// Prints "tidemark: error: ..." and returns the exit code.
int report(const Status& status);

}  // namespace tidemark::core
