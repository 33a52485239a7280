// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/cli/job_state.hpp"

#include <utility>

#include "core/base/folders.hpp"
#include "core/base/log.hpp"

namespace tidemark::core {

Result<JobState> JobState::lock(std::filesystem::path path) {
  if (Status made = make_directories(path); !made) return made;
  auto lock = FileLock::acquire(path / kStateLock);
  if (!lock) return lock.status();
  JobState out;
  out.path_ = std::move(path);
  out.lock_ = std::move(*lock);
  return out;
}

Status JobState::open(uint64_t memory_bytes) {
  if (Status whole = check_no_cut_restore(path_); !whole) return whole;
  auto store = open_rocks_epoch_store(database_in(path_), {.memory_bytes = memory_bytes});
  if (!store) return store.status();
  store_ = std::move(*store);
  return {};
}

std::filesystem::path checkpoint_request_in(const std::filesystem::path& state) {
  return state / "checkpoint.request";
}

Result<Checkpoint> restore_newest(const Checkpoints& checkpoints, const JobState& state) {
  auto all = checkpoints.list();
  if (!all) return all.status();
  for (Checkpoint& one : *all) {
    if (one.is_abandoned) continue;
    Status restored = restore_checkpoint(one, state.path());
    if (restored) restored = checkpoints.abandon_after(one);
    if (restored) return std::move(one);
    if (one.damage && restored.code() != Code::damage) return restored;
    log_warn(restored.message());
  }
  return Status(Code::damage, "no checkpoint is intact that could be restored");
}

}  // namespace tidemark::core
