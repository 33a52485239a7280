// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/observe/connection_queue.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace tidemark::core {

Connection::Connection(Connection&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Connection::~Connection() {
  if (socket_ < 0) return;
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
}

bool ConnectionQueue::push(Connection connection) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || waiting_.size() >= kWaitingMax) return false;
    waiting_.push_back(std::move(connection));
  }
  changed_.notify_one();
  return true;
}

std::optional<Connection> ConnectionQueue::pop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
  if (closed_) return std::nullopt;
  std::optional<Connection> out(std::move(waiting_.front()));
  waiting_.pop_front();
  return out;
}

void ConnectionQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
}

}  // namespace tidemark::core
