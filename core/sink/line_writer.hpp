// SPDX-License-Identifier: Apache-2.0
//
// LineWriter: results as the lines of a file, in its format. A value of one sink, on its thread.
#pragma once

#include <optional>
#include <string>

#include "core/sink/csv_writer.hpp"
#include "core/sink/json_writer.hpp"
#include "core/sink/sink.hpp"

namespace tidemark::core {

class LineWriter {
 public:
  /// `layout` outlives it.
  LineWriter(FileFormat format, const BatchLayout& layout) : layout_(&layout) {
    if (format == FileFormat::ndjson) json_.emplace(layout);
  }

  /// What a file begins with.
  void append_header(std::string& out) const {
    if (!json_) append_csv_header(*layout_, out);
  }
  void append_row(const Batch& rows, uint32_t row, std::string& out) const {
    if (json_) {
      json_->append_row(rows, row, out);
    } else {
      append_csv_row(rows, row, out);
    }
  }

 private:
  const BatchLayout* layout_;
  std::optional<JsonWriter> json_;
};

}  // namespace tidemark::core
