// SPDX-License-Identifier: Apache-2.0
//
// The kept text of an extreme, which rows and merges both replace. The kernels behind update_values() are in
// value_update.cpp. Any thread; no state.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/window/accumulator_slots.hpp"

namespace tidemark::core {

/// Replaces the kept value of a min_text, max_text, first_timed or last_timed slot when `value` is beyond it.
void keep_extreme(const ValueSlot& slot, std::byte* row, std::string_view value);

}  // namespace tidemark::core
