// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a job file: each finding with its place, and the collection of all of them. Checks add and
// go on, so that one run shows everything; rendering is in render.hpp.
// Invariant: every Span's file was given by add_file of the same collection. Not synchronised: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "config/job/codes.hpp"
#include "config/job/source_text.hpp"

namespace tidemark::config {

enum class Severity : uint8_t { error, warning };

/// One finding. text: what is wrong, in one line. help: what to do, shown after the carets. notes: further lines.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;
  Span span;
  std::string text;
  std::string help;
  std::vector<std::string> notes;

  Diagnostic& with_help(std::string value) {
    help = std::move(value);
    return *this;
  }
  Diagnostic& with_note(std::string value) {
    notes.push_back(std::move(value));
    return *this;
  }
};

/// All findings about a job and the files they point into.
class Diagnostics {
 public:
  /// Takes part in messages from now on; returns its number for Span::file.
  uint32_t add_file(std::shared_ptr<const SourceText> file);
  /// Null when the number was never given (findings about no file).
  const SourceText* file(uint32_t number) const noexcept;

  /// Adds a finding; the reference stays valid while the collection lives.
  Diagnostic& error(const char* code, Span span, std::string text);
  Diagnostic& warning(const char* code, Span span, std::string text);

  bool has_errors() const noexcept { return errors_ != 0; }
  size_t error_count() const noexcept { return errors_; }
  size_t warning_count() const noexcept { return items_.size() - errors_; }
  /// In the order they were found.
  const std::deque<Diagnostic>& items() const noexcept { return items_; }
  /// By file and place, then in the order they were found.
  std::vector<const Diagnostic*> sorted() const;

 private:
  std::vector<std::shared_ptr<const SourceText>> files_;
  std::deque<Diagnostic> items_;
  size_t errors_ = 0;
};

}  // namespace tidemark::config
