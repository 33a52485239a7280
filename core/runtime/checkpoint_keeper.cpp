// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/checkpoint_keeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log.hpp"

namespace tidemark::core {

CheckpointKeeper::CheckpointKeeper(const JobPlan& plan, const Clock& clock)
    : checkpoints_(plan.name, plan.retained.path),
      retained_(plan.retained),
      clock_(clock),
      last_us_(clock.monotonic_us()) {
  const auto all = checkpoints_.list();
  if (!all) return;  // the first one to be made will say why
  for (const Checkpoint& one : *all) {
    if (!one.damage || one.is_abandoned || one.manifest.made_by != MadeBy::schedule) continue;
    last_us_ -= std::max<Micros>(saturating_sub(clock.wall_us(), one.manifest.wall_us), 0);
    return;
  }
}

void CheckpointKeeper::on_epoch(EpochStore& store, const EpochRecord& epoch) {
  const Micros now = clock_.monotonic_us();
  const bool due = retained_.count > 0 && now - last_us_ >= retained_.interval_us;
  const bool asked = asked_.load();
  if (!asked && !due) return;
  if (due) last_us_ = now;
  const Status kept = keep(store, epoch, asked ? MadeBy::hand : MadeBy::schedule);
  if (asked) asked_.store(false);
  if (kept) {
    has_failed_ = false;
    return;
  }
  failures_.fetch_add(1, std::memory_order_relaxed);
  if (!std::exchange(has_failed_, true)) {
    log_warn(fmt::format("no checkpoint of epoch {} is retained: {}; the job goes on, and tries again later",
                         epoch.epoch, kept.message()));
  }
}

Status CheckpointKeeper::keep(EpochStore& store, const EpochRecord& epoch, MadeBy made_by) const {
  auto made = checkpoints_.create(store, epoch, made_by);
  if (!made) return made.status();
  log_debug(fmt::format("checkpoint {} holds epoch {}", made->path.string(), epoch.epoch));
  auto gone = checkpoints_.prune(retained_.count);
  if (!gone) return gone.status();
  for (const Checkpoint& one : *gone) log_debug(fmt::format("checkpoint {} is removed", one.path.string()));
  return {};
}

}  // namespace tidemark::core
