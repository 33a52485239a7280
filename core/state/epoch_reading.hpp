// SPDX-License-Identifier: Apache-2.0
//
// Opening a job's store to look into it while the job may run. A secondary instance reads which tables there are, and
// after that which write-ahead logs there are. When the job moves rows from logs to tables in between, and removes
// those logs, their epochs are in neither, and the store seems whole: it ends with the newest epoch, but has panes that
// were closed long ago. Logs that go while a store opens are how that is seen; it is opened again then. One thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/status.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {

/// Opens the store in `folder` as of one epoch, for reading. Errors as open_rocks_epoch_store(); Code::state when the
/// job moved its logs at each of several attempts.
Result<std::unique_ptr<EpochStore>> open_epoch_store_to_read(const std::filesystem::path& folder);

/// The same with another way to open it (tests).
using OpenEpochStore = std::function<Result<std::unique_ptr<EpochStore>>()>;
Result<std::unique_ptr<EpochStore>> open_while_logs_stay(const std::filesystem::path& folder,
                                                         const OpenEpochStore& open);

}  // namespace tidemark::core
