// SPDX-License-Identifier: Apache-2.0
// Which column type of the plugin ABI a column of a table becomes.
// Invariant: the target holds every value of the column exactly. No state; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "binlog/table_schema.hpp"

namespace tidemark::binlog {

/// A type of tidemark/abi.h (TIDEMARK_INT64, ...).
struct TargetType {
  uint32_t type = 0;
  uint32_t precision = 0;  ///< decimals only
  uint32_t scale = 0;      ///< decimals only
  bool operator==(const TargetType&) const = default;
};

/// nullopt: not decoded (yet).
std::optional<TargetType> natural_target(const ColumnSchema& column);

/// The narrowest type that holds both exactly, for one column over several tables or schema versions; nullopt if
/// there is none (text and integer, say).
std::optional<TargetType> common_target(const TargetType& a, const TargetType& b);

/// "int64", "decimal64(18,4)", ...
std::string target_name(const TargetType& type);

}  // namespace tidemark::binlog
