// SPDX-License-Identifier: Apache-2.0
//
// Errors of expressions as findings at their places inside the job file's strings, in the words that column checks use
// too. A text that is compiled for several sources is reported once. One thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/batch/column_type.hpp"
#include "core/expression/expression_error.hpp"

namespace tidemark::core {

class ExpressionFindings {
 public:
  explicit ExpressionFindings(config::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// `text`: the string of the job file, of which the error's expression begins at byte `offset`. `input`: what it
  /// reads, for messages; `columns`: those that can be seen, empty where they are not known.
  void report(const ExpressionError& error, const config::Spanned<std::string>& text, size_t offset,
              const std::string& input, const std::vector<ColumnInfo>& columns);
  /// A finding of ours about a part of the text.
  void report(const char* code, const config::Spanned<std::string>& text, ExpressionPlace place, std::string what,
              std::string help);
  /// The same as a warning (W004).
  void doubt(const config::Spanned<std::string>& text, ExpressionPlace place, std::string what, std::string help);

 private:
  config::Span span_of(const config::Spanned<std::string>& text, ExpressionPlace place) const;
  // Null where the same was said of the same place.
  config::Diagnostic* add(config::Severity severity, const char* code, const config::Spanned<std::string>& text,
                          ExpressionPlace place, std::string what);

  config::Diagnostics& diagnostics_;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, std::string>> seen_;
};

}  // namespace tidemark::core
