// SPDX-License-Identifier: Apache-2.0
//
// StatusService: a running job's HTTP server with its settings: bound before the job begins, answering while it
// runs, announced in http.json for other commands. Off when the job file says so. Main thread.
#pragma once

#include <filesystem>
#include <memory>

#include "config/job/job_spec.hpp"
#include "core/base/clock.hpp"
#include "core/base/status.hpp"
#include "core/observe/http_server.hpp"
#include "core/runtime/job_graph.hpp"

namespace tidemark::core {

class StatusService {
 public:
  StatusService(std::filesystem::path state_path, const Clock& clock);
  StatusService(const StatusService&) = delete;
  StatusService& operator=(const StatusService&) = delete;
  ~StatusService() { stop(); }

  /// Code::io when a given address is not available; instead of the default one any free port is taken, and where
  /// there is none the job runs without, with a warning.
  Status bind(const config::HttpSpec& spec);
  /// Answers for `graph` until stop(), and writes http.json.
  Status start(JobGraph& graph);
  void stop();
  /// Where it listens; empty when it is off.
  std::string address() const { return server_ ? server_->address() : std::string(); }

 private:
  std::filesystem::path state_path_;
  const Clock& clock_;
  Micros started_us_;
  Micros started_wall_us_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace tidemark::core
