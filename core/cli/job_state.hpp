// SPDX-License-Identifier: Apache-2.0
//
// The state of a job that this process is about to change: locked, so that no other does, and opened. A state that is
// damaged is an error, or, where the job says so, replaced by the newest checkpoint that is intact. Main thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/files.hpp"
#include "core/base/status.hpp"
#include "core/state/checkpoints.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {

class JobState {
 public:
  /// Takes the lock. Code::state when another process has it: it is named.
  static Result<JobState> lock(std::filesystem::path path);
  /// Opens the store, which lives until close().
  Status open(uint64_t memory_bytes);
  void close() { store_.reset(); }
  EpochStore& store() { return *store_; }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  FileLock lock_;
  std::unique_ptr<EpochStore> store_;
};

/// The file in a state folder that asks the running job for a checkpoint.
std::filesystem::path checkpoint_request_in(const std::filesystem::path& state);

/// Puts the newest intact checkpoint in the place of the closed state's database; damaged ones are named in the log.
/// Code::damage when there is none.
Result<Checkpoint> restore_newest(const Checkpoints& checkpoints, const JobState& state);

}  // namespace tidemark::core
