// SPDX-License-Identifier: Apache-2.0
//
// Folders get their names last and lose them first. Files that a new checkpoint shares with the one before are not read
// again for their checksums: they are the same file, not only one of the same name.
#include "core/state/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/fail_point.hpp"
#include "core/base/folders.hpp"

namespace tidemark::core {
namespace {

constexpr const char* kManifest = "CHECKPOINT";
constexpr std::string_view kPrefix = "epoch-";
constexpr std::string_view kAbandoned = "abandoned-";
constexpr const char* kRestoring = "db.restoring";
constexpr const char* kReplaced = "db.replaced";

// With the time, since an epoch may come again.
std::string name_of(const EpochRecord& epoch) {
  return fmt::format("{}{:012}-{}", kPrefix, epoch.epoch, epoch.wall_us);
}

Checkpoint look_at(const std::filesystem::path& path) {
  Checkpoint out{.path = path, .manifest = {}};
  out.is_abandoned = path.filename().string().starts_with(kAbandoned);
  const auto is_there = file_exists(path / kManifest);
  if (is_there && !*is_there) {
    out.damage = Status(Code::damage, "it has no manifest");
  } else {
    auto text = read_file(path / kManifest);
    auto manifest = text ? decode_checkpoint_manifest(*text) : Result<CheckpointManifest>(text.status());
    if (manifest) {
      out.manifest = std::move(*manifest);
    } else {
      out.damage = manifest.status();
    }
  }
  out.damage = Status(out.damage).with_context("checkpoint " + path.string());
  return out;
}

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code error;
  return std::filesystem::equivalent(one, other, error) && !error;
}

// Tables never change once they are written; all else is written on.
bool is_table(const std::string& name) {
  return name.ends_with(".sst");
}

Status link_or_copy(const std::filesystem::path& from, const std::filesystem::path& to, bool may_link) {
  std::error_code error;
  if (may_link) std::filesystem::create_hard_link(from, to, error);
  return may_link && !error ? Status() : copy_file_synced(from, to);
}

Status make_restoring(const Checkpoint& checkpoint, const std::filesystem::path& restoring) {
  if (Status removed = remove_folder(restoring); !removed) return removed;
  if (Status made = make_directories(restoring); !made) return made;
  for (const CheckpointFile& file : checkpoint.manifest.files) {
    const auto from = Checkpoints::database_of(checkpoint) / file.name;
    if (Status put = link_or_copy(from, restoring / file.name, is_table(file.name)); !put) return put;
  }
  return sync_folder(restoring);
}

}  // namespace

Result<std::vector<Checkpoint>> Checkpoints::list() const {
  auto names = folder_entries(folder_);
  if (!names) return names.status();
  std::vector<Checkpoint> out;
  for (const std::string& name : *names) {
    if (!name.starts_with(kPrefix) && !name.starts_with(kAbandoned)) continue;
    out.push_back(look_at(folder_ / name));
    const Checkpoint& found = out.back();
    if (found.damage && found.manifest.job != job_) {
      return Status(Code::state,
                    fmt::format("checkpoint {} is of job `{}`, not `{}`; give this job a checkpoint path of "
                                "its own",
                                found.path.string(), found.manifest.job, job_));
    }
  }
  const auto place = [](const Checkpoint& one) {
    return std::tuple(one.damage.is_ok(), !one.is_abandoned, one.manifest.wall_us, one.manifest.epoch);
  };
  std::stable_sort(out.begin(), out.end(),
                   [&place](const Checkpoint& a, const Checkpoint& b) { return place(a) > place(b); });
  return out;
}

Status Checkpoints::clear_away() const {
  auto names = folder_entries(folder_);
  if (!names) return names.status();
  for (const std::string& name : *names) {
    if (!name.starts_with("." + std::string(kPrefix))) continue;
    if (Status removed = remove_folder(folder_ / name); !removed) return removed;
  }
  return {};
}

Result<std::vector<CheckpointFile>> Checkpoints::sum_up(const std::filesystem::path& database) const {
  std::vector<CheckpointFile> out;
  auto before = list();
  if (!before) return before.status();
  std::map<std::string, std::pair<std::filesystem::path, FileSum>> known;
  if (!before->empty() && before->front().damage) {
    const Checkpoint& newest = before->front();
    for (const CheckpointFile& file : newest.manifest.files) {
      known[file.name] = {database_of(newest) / file.name, file.sum};
    }
  }
  auto names = folder_entries(database);
  if (!names) return names.status();
  for (const std::string& name : *names) {
    const auto found = known.find(name);
    if (found != known.end() && is_same_file(database / name, found->second.first)) {
      out.push_back({name, found->second.second});
      continue;
    }
    auto sum = sum_file(database / name);
    if (!sum) return sum.status();
    out.push_back({name, *sum});
  }
  return out;
}

Result<Checkpoint> Checkpoints::create(EpochStore& store, const EpochRecord& epoch, MadeBy made_by) const {
  if (Status made = make_directories(folder_); !made) return made;
  if (Status cleared = clear_away(); !cleared) return cleared;
  const std::string name = name_of(epoch);
  const auto making = folder_ / ("." + name);
  const auto path = folder_ / name;
  if (Status made = make_directories(making); !made) return made;
  if (Status copied = store.link_copy(making / "db"); !copied) return copied;
  if (Status passed = fail_point("checkpoint_before_manifest"); !passed) return passed;
  auto files = sum_up(making / "db");
  if (!files) return files.status();
  CheckpointManifest manifest{
      .job = job_, .epoch = epoch.epoch, .wall_us = epoch.wall_us, .made_by = made_by, .files = std::move(*files)};
  if (Status written = replace_file(making / kManifest, encode(manifest)); !written) return written;
  if (Status passed = fail_point("checkpoint_before_name"); !passed) return passed;
  const auto taken = file_exists(path);
  if (!taken) return taken.status();
  if (*taken) {  // of the same epoch, which is in both
    if (Status removed = remove(look_at(path)); !removed) return removed;
  }
  if (Status renamed = rename_folder(making, path); !renamed) return renamed;
  return Checkpoint{.path = path, .manifest = std::move(manifest)};
}

Status Checkpoints::verify(const Checkpoint& checkpoint) {
  if (!checkpoint.damage) return checkpoint.damage;
  for (const CheckpointFile& file : checkpoint.manifest.files) {
    const auto path = database_of(checkpoint) / file.name;
    const auto found = sum_file(path);
    const std::string why = !found                           ? found.status().message()
                            : found->bytes != file.sum.bytes ? fmt::format("{} has {} bytes instead of {}",
                                                                           path.string(), found->bytes, file.sum.bytes)
                            : found->crc != file.sum.crc     ? path.string() + " has another content"
                                                             : std::string();
    if (!why.empty()) {
      return {Code::damage,
              fmt::format("checkpoint {} is damaged: {}; use another one", checkpoint.path.string(), why)};
    }
  }
  return {};
}

Status Checkpoints::remove(const Checkpoint& checkpoint) const {
  const auto removing = folder_ / ("." + checkpoint.path.filename().string() + ".removing");
  if (Status removed = remove_folder(removing); !removed) return removed;
  if (Status renamed = rename_folder(checkpoint.path, removing); !renamed) return renamed;
  if (Status passed = fail_point("checkpoint_while_pruning"); !passed) return passed;
  return remove_folder(removing);
}

Result<std::vector<Checkpoint>> Checkpoints::prune(size_t keep) const {
  if (Status cleared = clear_away(); !cleared) return cleared;
  auto all = list();
  if (!all) return all.status();
  std::vector<Checkpoint> gone;
  size_t intact = 0;
  for (Checkpoint& one : *all) {
    const bool is_torn = one.damage.code() == Code::damage;
    if (!is_torn && (!one.damage || one.is_abandoned || one.manifest.made_by == MadeBy::hand)) continue;
    if (one.damage && ++intact <= keep) continue;
    if (Status removed = remove(one); !removed) return removed;
    gone.push_back(std::move(one));
  }
  return gone;
}

Status Checkpoints::abandon_after(const Checkpoint& restored) const {
  auto all = list();
  if (!all) return all.status();
  for (const Checkpoint& one : *all) {
    if (!one.damage || one.is_abandoned || one.manifest.wall_us <= restored.manifest.wall_us) continue;
    const std::string name = std::string(kAbandoned) + one.path.filename().string();
    if (Status renamed = rename_folder(one.path, folder_ / name); !renamed) return renamed;
  }
  return {};
}

std::filesystem::path database_in(const std::filesystem::path& state) {
  return state / "db";
}

Status restore_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& state) {
  if (Status intact = Checkpoints::verify(checkpoint); !intact) return intact;
  const auto database = database_in(state);
  const auto restoring = state / kRestoring;
  const auto replaced = state / kReplaced;
  if (Status made = make_restoring(checkpoint, restoring); !made) return made;
  const auto there = file_exists(database);
  if (!there) return there.status();
  if (!*there) return rename_folder(restoring, database);
  if (Status removed = remove_folder(replaced); !removed) return removed;
  if (Status passed = fail_point("restore_before_exchange"); !passed) return passed;
  Status exchanged = exchange_folders(restoring, database);
  if (exchanged.code() == Code::unsupported) {
    if (Status moved = rename_folder(database, replaced); !moved) return moved;
    return rename_folder(restoring, database);
  }
  if (!exchanged) return exchanged;
  if (Status passed = fail_point("restore_after_exchange"); !passed) return passed;
  return rename_folder(restoring, replaced);
}

Status check_no_cut_restore(const std::filesystem::path& state) {
  const auto database = file_exists(database_in(state));
  if (!database) return database.status();
  if (*database) return {};
  const auto replaced = file_exists(state / kReplaced);
  if (!replaced) return replaced.status();
  if (!*replaced) return {};
  return {Code::damage, fmt::format("a restore of the state in {} was cut off: its database is not there; restore the "
                                    "checkpoint again (tidemark checkpoint restore)",
                                    state.string())};
}

}  // namespace tidemark::core
