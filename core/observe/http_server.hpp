// SPDX-License-Identifier: Apache-2.0
//
// HttpServer: what a running job tells over HTTP: GET /metrics (Prometheus), /api/v1/status (JSON) and /healthz;
// anything else is 404, other methods than GET and HEAD are 405, with a JSON body. It only reads. A request whose
// Host is not this server's own name is refused, so that a web page in a browser on this machine cannot read it
// under a name of its own (DNS rebinding). No client costs the job more than a few descriptors, nor delays its end:
// a connection is for one small request, which must come within 2 s and be answered within 5 s, and few may wait.
// The owner's thread binds, starts and stops it; requests are served by a few threads of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/clock.hpp"
#include "core/base/status.hpp"
#include "core/runtime/job_status.hpp"

namespace tidemark::core {

/// "host:port"; the host may be an IPv6 address in brackets.
struct HttpListen {
  std::string host;
  uint16_t port = 0;  ///< 0 = any free one

  static HttpListen parse(std::string_view text);
};

/// True when a request with this Host header may be answered by a server that listens on `host`: loopback names
/// always; besides, the name it listens on, and on other than loopback addresses every IP address.
bool is_own_host(std::string_view header, std::string_view host);

class HttpServer {
 public:
  /// Binds but does not answer yet. `any_if_taken`: another free port when the wanted one is taken. Code::io with
  /// address and cause when it is not available.
  /// The clock must outlive the server.
  static Result<std::unique_ptr<HttpServer>> bind(const HttpListen& listen, bool any_if_taken, const Clock& clock);
  virtual ~HttpServer() = default;

  /// Answers from now on; `status` is called from several threads until stop().
  virtual void start(std::function<JobStatus()> status) = 0;
  /// Hangs up on all clients; returns when no request is being answered any more. Also the destructor's.
  virtual void stop() = 0;
  /// Where it listens, "127.0.0.1:8686".
  virtual const std::string& address() const noexcept = 0;
};

}  // namespace tidemark::core
