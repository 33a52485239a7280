// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/observe/bounded_stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace tidemark::core {
namespace {

constexpr int kLookMillis = 50;  // how soon a deadline or a stop is seen

// False when `socket` is broken. True also when nothing happened.
bool wait_for(int socket, short events) {
  pollfd wanted{socket, events, 0};
  return ::poll(&wanted, 1, kLookMillis) >= 0 || errno == EINTR;
}

bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

ssize_t BoundedStream::read(char* to, size_t size) {
  if (!is_whole_ && !receive_head()) return -1;
  if (taken_ == received_) return -1;
  const size_t count = std::min(size, received_ - taken_);
  std::memcpy(to, head_.data() + taken_, count);
  taken_ += count;
  return static_cast<ssize_t>(count);
}

bool BoundedStream::receive_head() {
  while (std::string_view(head_.data(), received_).find("\n\r\n") == std::string_view::npos) {
    const ssize_t got = receive();
    if (got <= 0) return false;
    received_ += static_cast<size_t>(got);
  }
  is_whole_ = true;
  disarm_ranges();
  return true;
}

ssize_t BoundedStream::receive() {
  while (received_ < head_.size() && is_readable()) {
    const ssize_t got = ::recv(socket_, head_.data() + received_, head_.size() - received_, MSG_DONTWAIT);
    if (got >= 0) return got;
    if (would_block(errno) ? !wait_for(socket_, POLLIN) : errno != EINTR) return -1;
  }
  return -1;
}

// Range becomes a header that nobody knows. httplib matches it with std::regex, which recurses by the character, up
// to the end of the stack; and each of thousands of ranges may ask for a copy of the whole answer.
void BoundedStream::disarm_ranges() {
  constexpr std::string_view kLine = "\nrange";
  const auto same = [](char seen, char wanted) { return std::tolower(static_cast<unsigned char>(seen)) == wanted; };
  char* const end = head_.data() + received_;
  char* at = head_.data();
  while ((at = std::search(at, end, kLine.begin(), kLine.end(), same)) != end) *++at = '-';
}

ssize_t BoundedStream::write(const char* from, size_t size) {
  while (is_writable()) {
    const ssize_t sent = ::send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (would_block(errno) && stopping_.load()) return -1;
    if (would_block(errno) ? !wait_for(socket_, POLLOUT) : errno != EINTR) return -1;
  }
  return -1;
}

}  // namespace tidemark::core
