// SPDX-License-Identifier: Apache-2.0
//
// http.json in the state folder: where the running job listens, for commands that want to ask it. There while the
// job runs; a killed job leaves it behind, so the process in it must be checked. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

struct HttpAddress {
  std::string address;  ///< "127.0.0.1:8686"
  int64_t pid = 0;
  Micros started_us = kNoTime;  ///< wall time
};

Status write_http_address(const std::filesystem::path& state_path, const HttpAddress& address);
Status remove_http_address(const std::filesystem::path& state_path);
/// Nothing when there is none. Code::data when it is not what write_http_address() writes.
Result<std::optional<HttpAddress>> read_http_address(const std::filesystem::path& state_path);
/// True while a process of that number runs (it may be another one by now: its answer tells).
bool process_runs(int64_t pid) noexcept;

}  // namespace tidemark::core
