// SPDX-License-Identifier: Apache-2.0
//
// MemoryBudget: how a job's memory (`[state] memory`) is shared. The shares add up to all of it; what is beside them
// (programs, plugins, stacks, one batch of each component in hand) is not in it. Values.
#pragma once

#include <cstdint>

namespace tidemark::core {

/// Bytes.
struct MemoryBudget {
  uint64_t panes = 0;      ///< groups of windows, at all workers together
  uint64_t store = 0;      ///< memtables and block cache of the state
  uint64_t batches = 0;    ///< rows in flight, of all readers
  uint64_t lanes = 0;      ///< what groups them by key, on its way to the workers
  uint64_t kept_rows = 0;  ///< rows that sources keep by key, at all cores
  uint64_t results = 0;    ///< on their way from the workers to the sinks

  static constexpr MemoryBudget of(uint64_t bytes) noexcept {
    return {bytes / 100 * 50, bytes / 100 * 22, bytes / 100 * 10, bytes / 100 * 5, bytes / 100 * 5, bytes / 100 * 8};
  }
};

}  // namespace tidemark::core
