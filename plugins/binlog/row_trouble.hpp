// SPDX-License-Identifier: Apache-2.0
// What can be wrong with rows and their images, and the texts that say so.
// Any thread; no state.
#pragma once

#include <cstdint>
#include <string>

#include "binlog/decode_error.hpp"

namespace tidemark::binlog {

enum class TroubleKind : uint8_t {
  none,
  missing_before,  ///< the only or before image lacks columns
  missing_after,   ///< the after image does
  damaged,         ///< a cell's bytes are not right
  no_base,         ///< a JSON document changed in part, and the before image does not have it
  wrong_base       ///< the changes do not fit the before image's document
};

/// A row image that is longer or shorter than its event says. `table`: "database.table". Without file.
DecodeError row_cut_short(const std::string& table);
/// A rows event whose images hold nothing, not even how many there are.
DecodeError rows_without_columns(const std::string& table);

/// `columns`: their names, "a, b"; `row`: "an INSERT", ... Without file.
DecodeError trouble_error(TroubleKind kind, const std::string& columns, const std::string& table,
                          const std::string& row);

}  // namespace tidemark::binlog
