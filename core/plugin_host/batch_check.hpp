// SPDX-License-Identifier: Apache-2.0
//
// What a plugin submitted, checked once per batch: a wrong count, offset or row kind becomes an error that says
// which row, never a read outside the batch's memory. Straight loops over flat arrays; pure function.
#pragma once

#include <tidemark/abi.h>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

struct BatchExpectation {
  bool any_before = false;     ///< the split had rows before
  uint64_t last_sequence = 0;  ///< of the last of them
  bool truncates = false;      ///< the last row may be a truncate
};

/// Checks `lent`, as the plugin left it, against the batch that it was lent from. OK means: its counts and slices may
/// be trusted.
Status check_batch(const tidemark_batch& lent, const Batch& batch, const BatchExpectation& expected);

}  // namespace tidemark::core
