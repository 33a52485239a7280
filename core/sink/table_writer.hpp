// SPDX-License-Identifier: Apache-2.0
//
// Rows as an aligned table for people: columns keep their widths from block to block and only grow; the header
// comes again when they did, and every 40 rows. Control characters are shown as escapes, so that data cannot
// drive the terminal. Buffers one block; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/batch/batch.hpp"

namespace tidemark::core {

class TableWriter {
 public:
  explicit TableWriter(const BatchLayout& layout);

  void add(const Batch& rows, uint32_t row);
  size_t rows_waiting() const noexcept { return block_.size(); }
  /// Appends the rows added since, as text, and forgets them.
  void render(std::string& out);

 private:
  using Cells = std::vector<std::string>;
  void append_line(const Cells& cells, std::string& out) const;
  void append_header(std::string& out) const;

  Cells names_;
  std::vector<bool> right_;  // numbers stand on the right
  std::vector<size_t> widths_;
  std::vector<Cells> block_;
  size_t rows_since_header_ = 0;
  bool header_due_ = true;
};

}  // namespace tidemark::core
