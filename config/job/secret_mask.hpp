// SPDX-License-Identifier: Apache-2.0
//
// What of a line of the job file may be shown in a message: passwords are not. By the text alone, since the line may be
// no TOML. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::config {

/// The line with `*` for every character of a value of `password`, and of a password in an address
/// (scheme://user:it@host).
std::string without_secrets(std::string_view line);

}  // namespace tidemark::config
