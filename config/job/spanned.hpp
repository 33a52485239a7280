// SPDX-License-Identifier: Apache-2.0
//
// Spanned: a value of the job file with its place, so that later checks can still point at it. A value.
#pragma once

#include "config/job/source_text.hpp"

namespace tidemark::config {

/// A value, where it stands, and whether the file gave it (else it is a default and span is the table's header).
template <typename T>
struct Spanned {
  T value{};
  Span span;
  bool given = false;
};

}  // namespace tidemark::config
