// SPDX-License-Identifier: Apache-2.0
//
// The collection of findings: adding and sorting.
#include "config/job/diagnostic.hpp"

#include <algorithm>
#include <tuple>

namespace tidemark::config {

uint32_t Diagnostics::add_file(std::shared_ptr<const SourceText> file) {
  files_.push_back(std::move(file));
  return static_cast<uint32_t>(files_.size() - 1);
}

const SourceText* Diagnostics::file(uint32_t number) const noexcept {
  return number < files_.size() ? files_[number].get() : nullptr;
}

Diagnostic& Diagnostics::error(const char* code, Span span, std::string text) {
  ++errors_;
  return items_.emplace_back(Diagnostic{Severity::error, code, span, std::move(text), {}, {}});
}

Diagnostic& Diagnostics::warning(const char* code, Span span, std::string text) {
  return items_.emplace_back(Diagnostic{Severity::warning, code, span, std::move(text), {}, {}});
}

std::vector<const Diagnostic*> Diagnostics::sorted() const {
  std::vector<const Diagnostic*> out;
  out.reserve(items_.size());
  for (const Diagnostic& item : items_) out.push_back(&item);
  std::stable_sort(out.begin(), out.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::tie(a->span.file, a->span.line, a->span.column) < std::tie(b->span.file, b->span.line, b->span.column);
  });
  return out;
}

}  // namespace tidemark::config
