// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/observe/status_client.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include "core/observe/http_address.hpp"
#include "core/observe/http_server.hpp"
#include "core/observe/status_json.hpp"
#include "core/observe/stored_status.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {
namespace {

constexpr time_t kTimeoutSeconds = 5;

// An address that listens everywhere is asked on the loopback.
std::string host_to_ask(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  return host == "::" ? "::1" : host;
}

// The job's own answer; `note` says why there is none.
std::optional<JobStatus> ask_job(const config::JobSpec& job, std::string& note) {
  auto known = read_http_address(job.state.path.value);
  if (!known) {
    note = known.status().message();
    return std::nullopt;
  }
  if (!*known) {
    note = "no running job says where it listens";
    return std::nullopt;
  }
  const HttpAddress& at = **known;
  if (!process_runs(at.pid)) {
    note = fmt::format("process {} ended without removing http.json", at.pid);
    return std::nullopt;
  }
  auto status = fetch_status(at.address);
  if (!status) {
    note = fmt::format("process {} does not answer: {}", at.pid, status.status().message());
    return std::nullopt;
  }
  if (status->job != job.name.value || status->pid != at.pid) {
    note = fmt::format("http.json is old: job {} (process {}) listens on {} now", status->job, status->pid, at.address);
    return std::nullopt;
  }
  return std::move(*status);
}

}  // namespace

Result<JobStatus> fetch_status(const std::string& address) {
  const HttpListen at = HttpListen::parse(address);
  httplib::Client client(host_to_ask(at.host), at.port);
  client.set_connection_timeout(kTimeoutSeconds);
  client.set_read_timeout(kTimeoutSeconds);
  client.set_default_headers({{"Host", "localhost"}});
  const httplib::Result got = client.Get("/api/v1/status");
  if (!got) return Status(Code::io, fmt::format("{}: {}", address, httplib::to_string(got.error())));
  if (got->status != 200) return Status(Code::io, fmt::format("{}: HTTP status {}", address, got->status));
  return status_from_json(got->body);
}

Result<FoundStatus> find_status(const config::JobSpec& job) {
  FoundStatus out;
  std::string why;
  if (auto status = ask_job(job, why)) {
    out.status = std::move(*status);
    return out;
  }
  const std::filesystem::path path = std::filesystem::path(job.state.path.value) / "db";
  auto store = open_rocks_epoch_store(path, {.read_only = true});
  if (!store) return store.status().with_context(why);
  auto stored = stored_status(job, **store);
  if (!stored) return stored.status().with_context(why);
  out.status = std::move(*stored);
  out.note = fmt::format("{}; this is its state of epoch {}, committed {}", why, out.status.epochs.last,
                         format_rfc3339(out.status.epochs.committed_wall_us));
  return out;
}

}  // namespace tidemark::core
