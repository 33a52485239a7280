// SPDX-License-Identifier: Apache-2.0
//
// Named places where the crash tests can make the process die or a step fail: before and after each durable
// step. Enabled in all builds by TIDEMARK_FAILPOINTS="name=kill@3,other=error" (the 3rd time it is passed; without
// @n the first). Costs one relaxed load when none is set. Thread-safe.
#pragma once

#include "core/base/status.hpp"

namespace tidemark::core {

/// Passes the fail point `name`: returns OK, or an error of code io, or does not return (SIGKILL to itself).
Status fail_point(const char* name);

/// The fail points that may be set, one per line, for the crash harness.
const char* fail_point_names() noexcept;

/// Re-reads the setting (tests).
void reset_fail_points();

}  // namespace tidemark::core
