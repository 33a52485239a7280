// SPDX-License-Identifier: Apache-2.0
//
// Rows as NDJSON: one object per line, members in column order. Types to JSON, the same for every row:
//   NULL null; bool true/false; floats numbers (NaN and infinities: strings, JSON has no such numbers)
//   integers, and decimals of scale 0 (sums of integers): numbers within +-2^53, strings beyond, since readers
//   with doubles would round them
//   decimals with digits after the point: strings, always
//   dates, times, text, bytes (hex) and JSON columns: strings
// Invalid UTF-8 becomes U+FFFD, so that every line is valid JSON. Prepared once per layout; one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch/batch.hpp"

namespace tidemark::core {

/// Appends `text` as a JSON string with its quotes.
void append_json_string(std::string_view text, std::string& out);

class JsonWriter {
 public:
  explicit JsonWriter(const BatchLayout& layout);
  /// Appends row `row` as one line with its end.
  void append_row(const Batch& rows, uint32_t row, std::string& out) const;

 private:
  std::vector<std::string> names_;  // `{"a":`, `,"b":`, ...
};

}  // namespace tidemark::core
