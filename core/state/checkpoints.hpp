// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints: the retained checkpoints of a job, one folder each, "epoch-000000000042": the database as of that epoch,
// by hard links to files that the running one has too, and a manifest with their checksums that is written last.
// At any moment a crash leaves whole checkpoints, and folders with a leading dot which the next change clears away.
// After the state was set back, epochs count from there again: checkpoints of what came after are marked as abandoned,
// with another name, and are taken only where somebody asks for their epoch. Changed by one process at a time (the
// state's lock), from one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/state/checkpoint_manifest.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

struct Checkpoint {
  std::filesystem::path path;
  CheckpointManifest manifest;
  Status damage{};            ///< of the manifest, or why it cannot be read: nothing else is known then but the path
  bool is_abandoned = false;  ///< the state was set back to before it
};

class Checkpoints {
 public:
  Checkpoints(std::string job, std::filesystem::path folder) : job_(std::move(job)), folder_(std::move(folder)) {}

  /// Newest first, then those that are abandoned, then those with a damaged manifest. Code::state when one is of
  /// another job.
  Result<std::vector<Checkpoint>> list() const;
  /// Makes one of what is in the store.
  Result<Checkpoint> create(EpochStore& store, const EpochRecord& epoch, MadeBy made_by) const;
  /// Reads all its files. Code::damage, with the file, when one is missing or has changed.
  static Status verify(const Checkpoint& checkpoint);
  /// Of those made by schedule, removes all but the `keep` newest intact ones, and those whose manifest is torn; gives
  /// those removed. What is abandoned or cannot be read stays.
  Result<std::vector<Checkpoint>> prune(size_t keep) const;
  Status remove(const Checkpoint& checkpoint) const;
  /// The state was set back to `restored`: what came after it is abandoned.
  Status abandon_after(const Checkpoint& restored) const;
  /// Its database, for reading.
  static std::filesystem::path database_of(const Checkpoint& checkpoint) { return checkpoint.path / "db"; }

 private:
  Status clear_away() const;
  Result<std::vector<CheckpointFile>> sum_up(const std::filesystem::path& database) const;

  std::string job_;
  std::filesystem::path folder_;
};

/// The database of a state folder.
std::filesystem::path database_in(const std::filesystem::path& state);

/// Puts a checkpoint in the place of the database of state folder `state`, in one step where the file system can
/// exchange folders. What was there is kept as "db.replaced" until the next restore. Verifies the checkpoint first.
Status restore_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& state);

/// Code::damage when a restore was cut off between its steps, so that there is no database although there was one.
Status check_no_cut_restore(const std::filesystem::path& state);

}  // namespace tidemark::core
