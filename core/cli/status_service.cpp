// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/cli/status_service.hpp"

#include <unistd.h>

#include <utility>

#include "core/base/log.hpp"
#include "core/observe/http_address.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kPatience = 500 * kMicrosPerMilli;  // a component that is busy for longer shows what it said last

}  // namespace

StatusService::StatusService(std::filesystem::path state_path, const Clock& clock)
    : state_path_(std::move(state_path)),
      clock_(clock),
      started_us_(clock.monotonic_us()),
      started_wall_us_(clock.wall_us()) {}

Status StatusService::bind(const config::HttpSpec& spec) {
  if (spec.listen.value == "off") return remove_http_address(state_path_);  // a killed run may have left it
  auto server = HttpServer::bind(HttpListen::parse(spec.listen.value), !spec.listen.given, clock_);
  if (!server && !spec.listen.given) {  // nobody asked for it: no reason not to run
    log_warn(server.status().message());
    return remove_http_address(state_path_);
  }
  if (!server) return server.status();
  server_ = std::move(*server);
  return {};
}

Status StatusService::start(JobGraph& graph) {
  if (!server_) return {};
  // First, since a server that runs needs the graph until stop().
  const HttpAddress here{server_->address(), ::getpid(), started_wall_us_};
  if (Status written = write_http_address(state_path_, here); !written) return written;
  server_->start([this, &graph] {
    JobStatus status = graph.status(kPatience);
    status.version = TIDEMARK_VERSION;
    status.pid = ::getpid();
    status.started_wall_us = started_wall_us_;
    status.uptime_us = clock_.monotonic_us() - started_us_;
    return status;
  });
  return {};
}

void StatusService::stop() {
  if (!server_) return;
  server_->stop();
  server_.reset();
  if (Status removed = remove_http_address(state_path_); !removed) log_warn(removed.message());
}

}  // namespace tidemark::core
