// SPDX-License-Identifier: Apache-2.0
//
// Functions that are no more than a kernel: the types of their arguments and of their result are fixed. Functions
// whose types depend on their arguments are in the type checker. A table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/expression/kernel.hpp"
#include "core/expression/value_type.hpp"

namespace tidemark::core {

struct PlainFunction {
  std::string_view name;
  std::string_view parameters;  ///< a letter each: t text, i integer, f double, d a point in time
  ValueKind result;
  Kernel kernel;
  std::string_view usage;
  int64_t parameter = 0;  ///< Parameter::integer of the kernel
};

/// Those of one name with different numbers of arguments stand together.
std::span<const PlainFunction> plain_functions() noexcept;

}  // namespace tidemark::core
