// SPDX-License-Identifier: Apache-2.0
//
// What the enumerator tells an ingest core while the job runs: a split that was found (FLIP-27: addSplits), or that a
// source will find no more (signalNoMoreSplits). Travels in a lane of its own. Values; moved, never copied.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "core/batch/batch_pool.hpp"
#include "core/ingest/reader.hpp"

namespace tidemark::core {

/// A reader and its credit.
struct OpenedReader {
  std::unique_ptr<Reader> reader;
  std::shared_ptr<BatchPool> pool;
  bool can_pause = false;  ///< single splits
};

/// A split to read from its beginning. `opened`: the core's reader of this source where it had none so far.
struct NewSplit {
  uint32_t source = 0;
  SplitId split = 0;
  OpenedReader opened;
};

struct NoMoreSplits {
  uint32_t source = 0;
};

using SplitNews = std::variant<NewSplit, NoMoreSplits>;

}  // namespace tidemark::core
