// SPDX-License-Identifier: Apache-2.0
//
// Async-signal-safe: an atomic counter and _exit.
#include "core/cli/stop_signal.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace tidemark::core {
namespace {

std::atomic<int> signals{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  if (signals.fetch_add(1) > 0) _exit(128 + number);
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool stop_signalled() noexcept {
  return signals.load() > 0;
}

}  // namespace tidemark::core
