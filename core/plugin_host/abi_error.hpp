// SPDX-License-Identifier: Apache-2.0
//
// From the C ABI's error codes and texts to Status. Pure functions.
#pragma once

#include <tidemark/abi.h>

#include "core/base/status.hpp"

namespace tidemark::core {

/// An error record for a plugin to fill.
tidemark_error make_abi_error() noexcept;

/// The Status of a call that answered `code` (< 0, or a code that the ABI does not know) and filled `error`.
Status abi_status(int32_t code, const tidemark_error& error);

}  // namespace tidemark::core
