// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM as a flag: the first asks the job to stop after one last epoch, a second of them ends the
// process at once (state stays that of the last epoch). Handlers do nothing but set the flag.
#pragma once

namespace tidemark::core {

/// Installs the handlers; also ignores SIGPIPE, so that a closed pipe is an error of the sink.
void catch_stop_signals();
bool stop_signalled() noexcept;

}  // namespace tidemark::core
