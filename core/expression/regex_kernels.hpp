// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions by RE2: compiled once, and matched in time linear in the text, whatever the pattern. Case
// matters unless asked otherwise, as in all comparisons of texts; look-around and back references do not exist.
// What is compiled is immutable and may be shared.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/expression/kernel.hpp"

namespace tidemark::core {

/// For Parameter::object of the kernels; or what is wrong with the pattern. flags: of "imsU", as in (?i).
std::variant<std::shared_ptr<const void>, std::string> compile_regex(std::string_view pattern, std::string_view flags);

/// The same with what matches are replaced by: $1 or \1 is the first group, $0 the match, \ takes the next character
/// as it is.
std::variant<std::shared_ptr<const void>, std::string> compile_regex_replacement(std::string_view pattern,
                                                                                 std::string_view replacement);

/// text -> boolean
void regex_test_kernel(const Frame& frame, const Step& step);
/// text -> the first match, or NULL
void regex_find_kernel(const Frame& frame, const Step& step);
/// text -> text with all matches replaced; parameter.object: as compile_regex_replacement gave it
void regex_replace_kernel(const Frame& frame, const Step& step);

}  // namespace tidemark::core
