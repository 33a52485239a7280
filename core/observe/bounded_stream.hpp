// SPDX-License-Identifier: Apache-2.0
//
// BoundedStream: one HTTP connection as httplib reads and writes it, within bounds that httplib does not have: the
// time until all of the request is here, that until all of the answer is taken, the bytes of the request, and an
// end when the server stops. It never waits longer than a moment without looking at these. One thread; `stopping`
// is set by another one.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>

#include "core/base/clock.hpp"

namespace tidemark::core {

class BoundedStream final : public httplib::Stream {
 public:
  static constexpr size_t kRequestBytesMax = 8192;
  static constexpr Micros kRequestTime = 2 * kMicrosPerSecond;
  static constexpr Micros kAnswerTime = 5 * kMicrosPerSecond;  ///< with that of the request

  /// Does not own the socket. The times begin now.
  BoundedStream(int socket, const Clock& clock, const std::atomic<bool>& stopping)
      : socket_(socket), clock_(clock), stopping_(stopping), began_us_(clock.monotonic_us()) {}

  /// Of a request's line and headers, once they are here as a whole. -1 when they do not come in time, are too
  /// long, and as soon as the server stops; also after them: there is no body.
  ssize_t read(char* to, size_t size) override;
  /// -1 after its time; when the server stops, what the client does not take at once is lost.
  ssize_t write(const char* from, size_t size) override;
  bool is_readable() const override { return spent_us() < kRequestTime && !stopping_.load(); }
  bool is_writable() const override { return spent_us() < kAnswerTime; }
  void get_remote_ip_and_port(std::string&, int&) const override {}  // nobody asks
  void get_local_ip_and_port(std::string&, int&) const override {}
  /// None: httplib refuses descriptors beyond those that select() can take; these are polled here.
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  Micros spent_us() const { return clock_.monotonic_us() - began_us_; }
  bool receive_head();
  ssize_t receive();
  void disarm_ranges();

  int socket_;
  const Clock& clock_;
  const std::atomic<bool>& stopping_;
  Micros began_us_;
  std::array<char, kRequestBytesMax> head_;
  size_t received_ = 0;
  size_t taken_ = 0;
  bool is_whole_ = false;
};

}  // namespace tidemark::core
