// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/observe/status_client.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>

#include "core/base/files.hpp"
#include "core/observe/http_address.hpp"
#include "core/observe/http_server.hpp"
#include "core/observe/status_json.hpp"
#include "core/observe/stored_status.hpp"
#include "core/state/epoch_reading.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {
namespace {

constexpr time_t kTimeoutSeconds = 5;

// An address that listens everywhere is asked on the loopback.
std::string host_to_ask(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  return host == "::" ? "::1" : host;
}

// The job's own answer; `why` says why there is none, empty where nothing is said to listen.
std::optional<JobStatus> ask_job(const config::JobSpec& job, std::string& why) {
  auto known = read_http_address(job.state.path.value);
  if (!known) {
    why = known.status().message();
    return std::nullopt;
  }
  if (!*known) return std::nullopt;
  const HttpAddress& at = **known;
  if (!process_runs(at.pid)) {
    why = fmt::format("process {} ended without removing http.json", at.pid);
    return std::nullopt;
  }
  auto status = fetch_status(at.address);
  if (!status) {
    why = fmt::format("process {} does not answer: {}", at.pid, status.status().message());
    return std::nullopt;
  }
  if (status->job != job.name.value || status->pid != at.pid) {
    why = fmt::format("http.json is old: job {} (process {}) listens on {} now", status->job, status->pid, at.address);
    return std::nullopt;
  }
  return std::move(*status);
}

// "the job runs (process 77) and has no status server": the state's lock tells, whatever http.json says.
std::string standing(const std::optional<LockHolder>& holder, const std::string& why) {
  if (!holder) return why.empty() ? "the job does not run" : "the job does not run (" + why + ")";
  const std::string process = holder->pid > 0 ? fmt::format(" (process {})", holder->pid) : "";
  if (why.empty()) return fmt::format("the job runs{} and has no status server", process);
  return fmt::format("the job runs{} and has not answered ({})", process, why);
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

Result<FoundStatus> find_status(const config::JobSpec& job, const Clock& clock) {
  FoundStatus out;
  std::string why;
  if (auto status = ask_job(job, why)) {
    out.status = std::move(*status);
    return out;
  }
  const std::filesystem::path state = job.state.path.value;
  auto holder = lock_holder(state / kStateLock);
  if (!holder) return holder.status();
  const std::string stands = standing(*holder, why);
  auto store = open_epoch_store_to_read(state / "db");
  if (!store) return store.status().with_context(stands);
  auto stored = stored_status(job, **store);
  if (!stored) return stored.status().with_context(stands);
  out.status = std::move(*stored);
  if (*holder) {
    out.status.running = true;
    out.status.pid = (*holder)->pid;
  }
  const EpochView& epochs = out.status.epochs;
  const Micros age = std::max<Micros>(saturating_sub(clock.wall_us(), epochs.committed_wall_us), 0);
  out.note = fmt::format("{}: this is its last epoch, {}, of {} ago ({})", stands, epochs.last,
                         format_duration(floor_to(age, kMicrosPerSecond)), format_rfc3339(epochs.committed_wall_us));
  return out;
}

}  // namespace tidemark::core
