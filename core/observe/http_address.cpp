// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/observe/http_address.hpp"

#include <csignal>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "core/base/files.hpp"

namespace tidemark::core {
namespace {

std::filesystem::path file_in(const std::filesystem::path& state_path) {
  return state_path / "http.json";
}

}  // namespace

Status write_http_address(const std::filesystem::path& state_path, const HttpAddress& address) {
  const nlohmann::ordered_json json = {
      {"address", address.address}, {"pid", address.pid}, {"started", format_rfc3339(address.started_us)}};
  return replace_file(file_in(state_path), json.dump() + "\n");
}

Status remove_http_address(const std::filesystem::path& state_path) {
  return remove_file(file_in(state_path));
}

Result<std::optional<HttpAddress>> read_http_address(const std::filesystem::path& state_path) {
  auto exists = file_exists(file_in(state_path));
  if (!exists) return exists.status();
  if (!*exists) return std::optional<HttpAddress>();
  auto text = read_file(file_in(state_path));
  if (!text) return text.status();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  const bool good = json.is_object() && json.contains("address") && json["address"].is_string() &&
                    json.contains("pid") && json["pid"].is_number_integer();
  if (!good) return Status(Code::data, file_in(state_path).string() + " is damaged; remove it");
  HttpAddress out;
  out.address = json["address"].get<std::string>();
  out.pid = json["pid"].get<int64_t>();
  if (json.contains("started") && json["started"].is_string()) {
    out.started_us = parse_rfc3339(json["started"].get<std::string>()).value_or(kNoTime);
  }
  return std::optional<HttpAddress>(std::move(out));
}

bool process_runs(int64_t pid) noexcept {
  return pid > 0 && pid <= INT32_MAX && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

}  // namespace tidemark::core
