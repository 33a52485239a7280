// SPDX-License-Identifier: Apache-2.0
//
// Logs are removed after the tables that replace them are known, so those that were there before the store was opened
// and still are have not been missed. A log that began since cannot have been removed without older ones.
#include "core/state/epoch_reading.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

namespace tidemark::core {
namespace {

constexpr int kAttempts = 10;

// Empty where the folder cannot be listed: opening the store says why.
std::set<std::string> logs_in(const std::filesystem::path& folder) {
  std::set<std::string> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".log") out.insert(at->path().filename().string());
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<EpochStore>> open_while_logs_stay(const std::filesystem::path& folder,
                                                         const OpenEpochStore& open) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::set<std::string> before = logs_in(folder);
    auto store = open();
    const std::set<std::string> after = logs_in(folder);
    if (std::includes(after.begin(), after.end(), before.begin(), before.end())) return store;
  }
  return Status(Code::state, "the job moved the logs of the state in " + folder.string() + " at each of " +
                                 std::to_string(kAttempts) + " attempts to open it; look again");
}

Result<std::unique_ptr<EpochStore>> open_epoch_store_to_read(const std::filesystem::path& folder) {
  return open_while_logs_stay(folder, [&] { return open_rocks_epoch_store(folder, {.read_only = true}); });
}

}  // namespace tidemark::core
