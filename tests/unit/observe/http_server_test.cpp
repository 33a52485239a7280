// SPDX-License-Identifier: Apache-2.0
//
// The server against clients that mean no good: slow, silent, many, never done, never reading. On real sockets of
// the loopback, with a clock of the test's.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/observe/connection_queue.hpp"
#include "core/observe/http_server.hpp"
#include "tests/unit/observe/sample_status.hpp"

namespace tidemark::core::test {
namespace {

class TestClock final : public Clock {
 public:
  Micros monotonic_us() const noexcept override { return now_.load(); }
  Micros wall_us() const noexcept override { return now_.load(); }
  void pass(Micros time) { now_ += time; }

 private:
  std::atomic<Micros> now_{0};
};

class Client {
 public:
  explicit Client(const std::string& address, int receive_bytes = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_bytes > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(HttpListen::parse(address).port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ~Client() {
    if (socket_ >= 0) ::close(socket_);
  }

  Client& say(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      text.remove_prefix(static_cast<size_t>(sent));
    }
    return *this;
  }
  /// All that comes until the server hangs up.
  std::string hear() {
    std::string out;
    char part[16384];
    ssize_t got = 0;
    while ((got = ::recv(socket_, part, sizeof part, 0)) > 0) out.append(part, static_cast<size_t>(got));
    EXPECT_FALSE(got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) << "the server never hung up";
    return out;
  }
  /// Waits for the begin of an answer.
  bool hears() {
    char byte = 0;
    return ::recv(socket_, &byte, 1, 0) == 1;
  }
  bool was_hung_up_on() {
    char byte = 0;
    const ssize_t got = ::recv(socket_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }

 private:
  int socket_;
};

class HttpServerBounds : public testing::Test {
 protected:
  void SetUp() override { start(sample_status()); }
  void start(JobStatus status) {
    auto server = HttpServer::bind({"127.0.0.1", 0}, false, clock_);
    ASSERT_TRUE(server.is_ok()) << server.status().message();
    server_ = std::move(*server);
    server_->start([status = std::move(status)] { return status; });
  }
  Client connect() { return Client(server_->address()); }
  std::string ask(std::string_view request) { return connect().say(request).hear(); }
  void expect_quick_stop() {
    const auto began = std::chrono::steady_clock::now();
    server_->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
  }

  /// Each of them says `text` twice a second meanwhile.
  void pass_until_hung_up_on(std::vector<Client>& clients, std::string_view text) {
    const auto are_gone = [&] {
      return std::all_of(clients.begin(), clients.end(), [](Client& client) { return client.was_hung_up_on(); });
    };
    for (int i = 0; i < 500 && !are_gone(); ++i) {
      for (Client& client : clients) client.say(text);
      clock_.pass(kSecond / 2);
      ::usleep(10'000);
    }
    EXPECT_TRUE(are_gone());
  }

  TestClock clock_;
  std::unique_ptr<HttpServer> server_;
};

constexpr char kHealthz[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST_F(HttpServerBounds, slow_and_silent_clients_do_not_delay_a_stop) {
  std::vector<Client> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(connect());
  for (int i = 0; i < 3; ++i) clients[static_cast<size_t>(i)].say("GET /metr");
  expect_quick_stop();
  for (Client& client : clients) EXPECT_EQ(client.hear(), "");
}

TEST_F(HttpServerBounds, a_request_has_a_time_however_it_trickles) {
  std::vector<Client> slow;
  for (int i = 0; i < 4; ++i) slow.push_back(connect());
  for (Client& client : slow) client.say("GET /healthz HTTP/1.1\r\nHost: ");
  Client waits = connect();
  waits.say(kHealthz);
  for (Client& client : slow) EXPECT_FALSE(client.was_hung_up_on());
  pass_until_hung_up_on(slow, "l");
  EXPECT_NE(waits.hear().find("200 OK"), std::string::npos) << "then others are served";
}

TEST_F(HttpServerBounds, a_client_that_does_not_read_its_answer_neither) {
  JobStatus large = sample_status();
  for (uint32_t i = 3; i < 6000; ++i) large.splits.push_back(sample_split(i, SplitState::active, kNow, 0));
  server_->stop();
  start(std::move(large));
  constexpr char kStatus[] = "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string whole = ask(kStatus);
  EXPECT_GT(whole.size(), size_t{2} << 20);
  EXPECT_TRUE(whole.ends_with("}\n") || whole.ends_with("}"));

  Client stuck(server_->address(), 4096);
  stuck.say(kStatus);
  ASSERT_TRUE(stuck.hears());
  clock_.pass(5 * kSecond);
  EXPECT_LT(stuck.hear().size(), whole.size()) << "hung up on";

  Client again(server_->address(), 4096);
  again.say(kStatus);
  ASSERT_TRUE(again.hears());
  expect_quick_stop();
}

TEST_F(HttpServerBounds, beyond_those_that_may_wait_clients_are_hung_up_on) {
  std::vector<Client> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(connect());
    ::usleep(1000);  // or the kernel's queue of new connections overflows
  }
  const size_t served = 4;
  size_t refused = 0;
  for (int i = 0; i < 200 && refused < 60 - served - ConnectionQueue::kWaitingMax; ++i) {
    refused = 0;
    for (Client& client : clients) refused += client.was_hung_up_on() ? 1 : 0;
    ::usleep(10'000);
  }
  EXPECT_GE(refused, 60 - served - ConnectionQueue::kWaitingMax);
  EXPECT_LE(refused, 60 - ConnectionQueue::kWaitingMax);
  pass_until_hung_up_on(clients, "");  // those that wait are served by and by
  EXPECT_NE(ask(kHealthz).find("200 OK"), std::string::npos);
}

TEST_F(HttpServerBounds, only_reading_methods_and_no_body) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    const std::string answer = ask(std::string(method) + " /healthz HTTP/1.1\r\nHost: localhost\r\n" +
                                   "Content-Length: 1000000000\r\n\r\nand then it never comes");
    EXPECT_EQ(answer.find("HTTP/1.1 405"), 0u) << answer;
    EXPECT_NE(answer.find("Allow: GET, HEAD"), std::string::npos) << answer;
    EXPECT_NE(answer.find("{\"error\":"), std::string::npos) << answer;
  }
  const std::string foreign = ask("POST /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(foreign.find("HTTP/1.1 403"), 0u) << foreign;
  const std::string head = ask("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(head.find("HTTP/1.1 200"), 0u) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
}

TEST_F(HttpServerBounds, a_request_has_a_size) {
  const std::string line(1 << 20, 'x');
  EXPECT_EQ(ask(line), "") << "a request line without end";
  std::string headers = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 10'000; ++i) headers += "a: b\r\n";
  EXPECT_EQ(ask(headers + "\r\n"), "");
}

// Each range may be a copy of the answer; and to match their text takes stack in proportion to its length.
TEST_F(HttpServerBounds, ranges_are_not_looked_at) {
  constexpr char kMetrics[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n";
  const std::string plain = ask(std::string(kMetrics) + "\r\n");
  EXPECT_EQ(plain.find("HTTP/1.1 200"), 0u);
  std::string many = "Range: bytes=0-";
  while (many.size() < 7'900) many += ",0-";
  for (const std::string& header : {many, "rAnGe: bytes=" + std::string(7'900, '1'), std::string("RANGE:bytes=9-1")}) {
    EXPECT_EQ(ask(kMetrics + header + "\r\n\r\n"), plain) << header.substr(0, 40);
  }
}

TEST_F(HttpServerBounds, requests_without_sense_are_errors) {
  for (const char* request : {"\r\n\r\n", "GET\r\n\r\n", "BREW /pot HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n",
                              "GET /%zz%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n",
                              "GET /healthz HTTP/1.1\r\nHost: [\r\n\r\n"}) {
    const std::string answer = ask(request);
    EXPECT_EQ(answer.find("HTTP/1.1 4"), 0u) << request << "\n" << answer;
  }
}

}  // namespace
}  // namespace tidemark::core::test
