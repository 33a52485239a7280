// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/service_thread.hpp"

#include <csignal>
#include <utility>

namespace tidemark::core {
namespace {

constexpr Micros kAskAgain = 10 * kMicrosPerMilli;

}  // namespace

void ServiceThread::start(std::function<void()> serve) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // inherited by the new thread
  thread_ = std::thread([this, serve = std::move(serve)] {
    serve();
    ended_.store(true);
    ended_waker_.wake();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ServiceThread::stop(const std::function<void()>& ask) {
  if (!thread_.joinable()) return;
  while (!ended_.load()) {
    ask();
    ended_waker_.wait(kAskAgain);
  }
  thread_.join();
}

}  // namespace tidemark::core
