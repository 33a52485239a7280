// SPDX-License-Identifier: Apache-2.0
//
// What a sink of type mysql leaves in the epoch, and what follows from it and the epoch that the target has: whether
// the results of the last epoch are there, must be written again, or neither can be true. Values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.hpp"

namespace tidemark::core {

/// What the target keeps of a job's sink, written in the transaction of its rows.
struct TargetEpoch {
  std::string state;  ///< id of the state that the sink's progress is part of
  uint64_t epoch = 0;

  bool operator==(const TargetEpoch&) const = default;
};

struct MysqlProgress {
  std::string state;
  uint64_t previous = 0;  ///< the epoch before `epoch` that had results; 0 = none
  uint64_t epoch = 0;     ///< the last one that had results; 0 = none yet
  uint64_t rows = 0;      ///< results written so far
  std::string outbox;     ///< the results of `epoch` (ResultRows); empty once the target is known to have them

  bool operator==(const MysqlProgress&) const = default;
};

std::string encode(const MysqlProgress& progress);
/// What it begins with: no progress of another sink does.
inline constexpr char kMysqlProgressFormat = 'M';
/// Code::damage, or Code::state when it is of another sink type.
Result<MysqlProgress> decode_mysql_progress(std::string_view bytes);

/// True when the results of progress.epoch must be written, false when the target has them. `at_hand`: they are here.
/// Code::state where the target belongs to another run, is ahead, or lacks epochs: with the way out. `where`: the row
/// in the target.
Result<bool> must_write(const MysqlProgress& progress, bool at_hand, const std::optional<TargetEpoch>& target,
                        const std::string& where);

}  // namespace tidemark::core
