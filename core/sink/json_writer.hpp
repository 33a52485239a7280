// SPDX-License-Identifier: Apache-2.0
//
// Rows as NDJSON: one object per line, members in column order, values as core/batch/json_text.hpp writes them.
// Every line is valid JSON. Prepared once per layout; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/batch/batch.hpp"

namespace tidemark::core {

class JsonWriter {
 public:
  explicit JsonWriter(const BatchLayout& layout);
  /// Appends row `row` as one line with its end.
  void append_row(const Batch& rows, uint32_t row, std::string& out) const;

 private:
  std::vector<std::string> names_;  // `{"a":`, `,"b":`, ...
};

}  // namespace tidemark::core
