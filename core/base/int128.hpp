// SPDX-License-Identifier: Apache-2.0
//
// The compilers' 128-bit integers under names that -Wpedantic accepts: decimals of up to 38 digits and
// intermediate results. Nothing else.
#pragma once

namespace tidemark::core {

__extension__ typedef __int128 Int128;            // NOLINT(modernize-use-using): __extension__ needs a typedef
__extension__ typedef unsigned __int128 UInt128;  // NOLINT(modernize-use-using)

}  // namespace tidemark::core
