// SPDX-License-Identifier: Apache-2.0
//
// ConnectionQueue: accepted connections that wait for a thread to serve them, at most kWaitingMax: whoever connects
// beyond that is hung up on, so that a flood of clients cannot use up the descriptors that the job needs.
// Any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace tidemark::core {

/// Owns an accepted socket: hangs up at its end.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&&) = delete;
  ~Connection();
  int socket() const noexcept { return socket_; }

 private:
  int socket_;
};

class ConnectionQueue {
 public:
  static constexpr size_t kWaitingMax = 16;

  /// False, and the connection is hung up on, when too many wait or the queue is closed.
  bool push(Connection connection);
  /// Waits for one; none once the queue is closed.
  std::optional<Connection> pop();
  /// Hangs up on all that wait, and on all that come.
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Connection> waiting_;
  bool closed_ = false;
};

}  // namespace tidemark::core
