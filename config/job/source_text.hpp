// SPDX-License-Identifier: Apache-2.0
//
// The text of a job file and places in it. A Span names one run of characters on one line; columns and lengths
// count Unicode code points from 1, as editors do. Lines end at LF; a CR before it is not part of the line.
// Immutable after construction; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"

namespace tidemark::config {

/// Characters of a file. line 0 = no position (the file as a whole).
struct Span {
  uint32_t file = 0;    ///< number that Diagnostics::add_file gave
  uint32_t line = 0;    ///< from 1
  uint32_t column = 0;  ///< from 1, in code points
  uint32_t length = 0;  ///< in code points; never past the end of the line

  friend bool operator==(const Span&, const Span&) = default;
};

/// Largest job file that is read.
inline constexpr uint64_t kJobFileBytesMax = uint64_t{4} << 20;

/// A file's text, split into lines.
class SourceText {
 public:
  /// name: as shown in messages. A byte order mark at the start of `text` is dropped.
  SourceText(std::string name, std::string text);

  const std::string& name() const noexcept { return name_; }
  const std::string& text() const noexcept { return text_; }
  uint32_t line_count() const noexcept { return static_cast<uint32_t>(line_starts_.size()); }
  /// Line `number` (from 1) without its end; empty when there is none.
  std::string_view line(uint32_t number) const noexcept;
  /// Byte offset in text() of a place; the end of the line, or of the text, when it lies past it.
  size_t offset_of(uint32_t line_number, uint32_t column) const noexcept;

  /// The one character at a byte offset.
  Span span_at(uint32_t file, size_t offset) const noexcept;

 private:
  std::string name_;
  std::string text_;
  std::vector<size_t> line_starts_;
};

/// Bytes of the file. Errors: not there, not readable, a directory, larger than kJobFileBytesMax.
core::Result<std::string> read_job_file(const std::filesystem::path& path);

/// Number of code points; each byte of broken UTF-8 that starts no sequence counts as part of the one before.
size_t count_code_points(std::string_view text) noexcept;

/// Byte offset of the code point with number `index` (from 0); the size of `text` when there is none.
size_t byte_of_code_point(std::string_view text, size_t index) noexcept;

/// The place of `length` bytes at byte `offset` of a TOML string's value, whose literal (with its quotes) starts
/// at `literal`: walks the literal's escapes. Cut at the end of the first line; `literal` itself where it does
/// not start with a quote.
Span span_inside_string(const SourceText& source, Span literal, size_t offset, size_t length);

/// The same for a string whose text, inside its quotes, is at `text`, as a Spanned has it; `text` where it holds
/// ${...}, since places in it are not known then (it is the whole literal).
Span span_inside_text(const SourceText& source, Span text, size_t offset, size_t length);

}  // namespace tidemark::config
