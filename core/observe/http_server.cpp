// SPDX-License-Identifier: Apache-2.0
//
// The server on cpp-httplib, which accepts, parses and answers. Who is served by which thread and for how long is
// decided here, since httplib lets connections wait without bound and knows no deadline for the whole of one: the
// accepting thread only queues a connection, one of kThreads takes it for one request over a BoundedStream.
#include "core/observe/http_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/log.hpp"
#include "core/observe/bounded_stream.hpp"
#include "core/observe/connection_queue.hpp"
#include "core/observe/prometheus_metrics.hpp"
#include "core/observe/status_json.hpp"
#include "core/runtime/service_thread.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kThreads = 4;
constexpr char kJson[] = "application/json";

bool is_ip_address(const std::string& host) {
  in6_addr any{};
  return inet_pton(AF_INET, host.c_str(), &any) == 1 || inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && is_ip_address(host));
}

// The host of a Host header, without port and brackets, in lower case.
std::string host_of(std::string_view header) {
  std::string_view host = header;
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  std::string out(host);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string error_json(const std::string& text) {
  return nlohmann::json{{"error", text}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Not SO_REUSEPORT, httplib's default: two jobs would share one port and answer in turn.
void socket_options(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// Runs what httplib gives to its threads at once, on the accepting one.
class RunAtOnce final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> task) override { task(); }
  void shutdown() override {}
};

class QueueingServer final : public httplib::Server {
 public:
  QueueingServer(ConnectionQueue& queue, const Clock& clock) : queue_(queue), clock_(clock) {
    new_task_queue = [] { return std::make_unique<RunAtOnce>().release(); };
    set_socket_options(socket_options);
    set_payload_max_length(BoundedStream::kRequestBytesMax);
  }

  /// Reads one request and answers it.
  void serve(const Connection& connection, const std::atomic<bool>& stopping) {
    BoundedStream stream(connection.socket(), clock_, stopping);
    bool closed = false;
    process_request(stream, true, closed, nullptr);
  }

 private:
  bool process_and_close_socket(socket_t socket) override { return queue_.push(Connection(socket)); }

  ConnectionQueue& queue_;
  const Clock& clock_;
};

class LibServer final : public HttpServer {
 public:
  LibServer(std::string host, const Clock& clock) : host_(std::move(host)), server_(queue_, clock) {}
  ~LibServer() override { stop(); }

  bool bind(uint16_t port) {
    errno = 0;
    const int bound = port == 0 ? server_.bind_to_any_port(host_) : (server_.bind_to_port(host_, port) ? port : -1);
    if (bound <= 0) return false;
    const bool is_ipv6 = host_.find(':') != std::string::npos;
    address_ = (is_ipv6 ? "[" + host_ + "]" : host_) + ":" + std::to_string(bound);
    return true;
  }

  void start(std::function<JobStatus()> status) override {
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return refuse(request, response) ? httplib::Server::HandlerResponse::Handled
                                       : httplib::Server::HandlerResponse::Unhandled;
    });
    server_.Get("/metrics", [status](const httplib::Request&, httplib::Response& response) {
      response.set_content(metrics_text(status()), "text/plain; version=0.0.4; charset=utf-8");
    });
    server_.Get("/api/v1/status", [status](const httplib::Request&, httplib::Response& response) {
      response.set_header("Cache-Control", "no-store");
      response.set_content(status_to_json(status()), kJson);
    });
    server_.Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("ok\n", "text/plain; charset=utf-8");
    });
    server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      const bool unknown = response.status == 404;
      response.set_content(error_json(unknown ? "there is no such page; GET /metrics, /api/v1/status and /healthz are"
                                              : "this request is not understood"),
                           kJson);
    });
    for (ServiceThread& thread : serving_) {
      thread.start([this] {
        while (const auto connection = queue_.pop()) server_.serve(*connection, stopping_);
      });
    }
    accepting_.start([this] {
      if (!server_.listen_after_bind()) log_warn("no more connections are accepted on " + address_);
    });
  }

  void stop() override {
    stopping_.store(true);
    accepting_.stop([this] { server_.stop(); });
    queue_.close();
    for (ServiceThread& thread : serving_) thread.stop([] {});
  }

  const std::string& address() const noexcept override { return address_; }

 private:
  // Before any body is read. True when `response` says why.
  bool refuse(const httplib::Request& request, httplib::Response& response) const {
    if (!is_own_host(request.get_header_value("Host"), host_)) {
      response.status = 403;
      response.set_content(error_json("the Host header names another server; ask for " + address_), kJson);
      return true;
    }
    if (request.method == "GET" || request.method == "HEAD") return false;
    response.status = 405;
    response.set_header("Allow", "GET, HEAD");
    response.set_content(error_json("this server only answers GET and HEAD"), kJson);
    return true;
  }

  std::string host_;
  std::string address_;
  std::atomic<bool> stopping_{false};
  ConnectionQueue queue_;
  QueueingServer server_;
  ServiceThread accepting_;
  std::array<ServiceThread, kThreads> serving_;
};

}  // namespace

HttpListen HttpListen::parse(std::string_view text) {
  HttpListen out;
  const size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  out.host = host;
  if (colon == std::string_view::npos) return out;
  out.port = static_cast<uint16_t>(std::strtoul(std::string(text.substr(colon + 1)).c_str(), nullptr, 10));
  return out;
}

bool is_own_host(std::string_view header, std::string_view host) {
  const std::string asked = host_of(header);
  const std::string own =
      host_of(host.find(':') == std::string_view::npos ? std::string(host) : fmt::format("[{}]", host));
  if (asked.empty()) return false;
  return asked == own || is_loopback(asked) || (!is_loopback(own) && is_ip_address(asked));
}

Result<std::unique_ptr<HttpServer>> HttpServer::bind(const HttpListen& listen, bool any_if_taken, const Clock& clock) {
  auto server = std::make_unique<LibServer>(listen.host, clock);
  if (server->bind(listen.port)) return std::unique_ptr<HttpServer>(std::move(server));
  const int cause = errno;
  if (any_if_taken) {
    server = std::make_unique<LibServer>(listen.host, clock);
    if (server->bind(0)) return std::unique_ptr<HttpServer>(std::move(server));
  }
  const std::string why = cause == 0 ? "its host is no address of this machine" : std::strerror(cause);
  return Status(Code::io, fmt::format("cannot listen on {}:{}: {}; give another address with listen in [http], or "
                                      "listen = \"off\"",
                                      listen.host, listen.port, why));
}

}  // namespace tidemark::core
