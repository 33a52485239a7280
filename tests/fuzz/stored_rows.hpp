// SPDX-License-Identifier: Apache-2.0
// A layout with a column of every type, an aggregate with every function over it, and one batch of edge values:
// what the targets about stored bytes and the makers of their seeds share.
// Plain values; any thread.
#pragma once

#include <memory>
#include <string>

#include "core/batch/batch.hpp"
#include "core/window/aggregate_spec.hpp"

namespace tidemark::fuzz {

/// One column per ColumnType, in the order of the enum.
std::shared_ptr<const core::BatchLayout> all_types();

/// Every function on every column that has it.
core::AggregateSpec all_functions(const core::BatchLayout& layout, bool changelog);

/// `rows` rows with origins; values differ per row, each fourth cell is NULL.
core::BatchRef sample_batch(const std::shared_ptr<const core::BatchLayout>& layout, uint32_t rows);

/// Reads every value of every row as text.
void read_cells(const core::Batch& batch);

/// Replaces the last four bytes by the checksum of those before them.
void put_checksum(std::string& bytes);

}  // namespace tidemark::fuzz
