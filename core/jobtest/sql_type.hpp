// SPDX-License-Identifier: Apache-2.0
//
// Column types as CREATE TABLE spells them ("bigint unsigned", "decimal(18,4)") or as messages do ("int64"). Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/batch/column_type.hpp"

namespace tidemark::core {

/// A nameless column of the type; empty when there is none of that name.
std::optional<ColumnInfo> read_sql_type(std::string_view text);

/// The type that the names above are nearest to, for suggestions; all of them.
std::span<const std::string> sql_type_names();

}  // namespace tidemark::core
