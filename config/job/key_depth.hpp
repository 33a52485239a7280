// SPDX-License-Identifier: Apache-2.0
//
// A guard in front of the TOML parser: toml++ bounds the nesting of values but not the parts of a dotted key, and
// frees deep tables by recursion, so that a key of a million parts would end the stack. Pure function.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tidemark::config {

/// Most parts of one dotted key or header.
inline constexpr size_t kKeyPartsMax = 16;

/// Byte offset of the first dot that makes a key too deep; empty when none does. Strings and comments are skipped.
std::optional<size_t> find_too_deep_key(std::string_view text) noexcept;

}  // namespace tidemark::config
