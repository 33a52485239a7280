// SPDX-License-Identifier: Apache-2.0
//
// Each part says whether another follows, so that one that is lost is noticed.
#include "core/state/run_stream.hpp"

#include <optional>
#include <string>
#include <utility>

namespace tidemark::core {

Status RunStream::open_part() {
  auto page = store_.get(Family::panes, encode_page_key(key_));
  if (page && !*page && key_.part == 0) page = store_.get(Family::panes, run_begin(key_));  // of an earlier version
  if (!page) return page.status();
  if (!*page) {
    return {Code::damage, "is missing; restore the state path from a copy, or start over with an empty one"};
  }
  return page_.open(std::move(**page));
}

Result<bool> RunStream::next() {
  while (true) {
    if (has_begun_) {
      const auto more = page_.next();
      if (!more) return more.status().with_context(describe(key_));
      if (*more) return true;
      if (!page_.more()) return false;
      ++key_.part;
    }
    has_begun_ = true;
    if (Status opened = open_part(); !opened) return opened.with_context(describe(key_));
  }
}

}  // namespace tidemark::core
