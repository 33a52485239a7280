// SPDX-License-Identifier: Apache-2.0
//
// SplitReader: what an author of the easy layer writes. It reads one split and says where it is; turns, pauses,
// row numbers and threads are the header's (easy_source.hpp).
// Threads: fetch() and position() come from one thread at a time; wake_up() from any.
#pragma once

#include <tidemark/reader.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark {
inline namespace v1 {

/// Reads one split.
class SplitReader {
 public:
  SplitReader() = default;
  SplitReader(const SplitReader&) = delete;
  SplitReader& operator=(const SplitReader&) = delete;
  virtual ~SplitReader() = default;

  /// Appends rows while out.has_room(), then returns: more, nothing (now) or end. After has_room() found no credit it
  /// is called again whatever it returned. May block only with thread_per_split, and then not while rows wait in
  /// `out`; until the first row `out` holds no batch, so a fetch() that waits takes no credit from other splits.
  /// Throws SourceError.
  virtual Status fetch(SplitOutput& out) = 0;
  /// Where to read on after the last row appended; right at all times, also after fetch() threw. Any bytes.
  virtual std::string position() const = 0;
  /// From any thread: makes a blocked fetch() return soon.
  virtual void wake_up() noexcept {}
};

namespace detail {

/// True when a position can be shown in a message.
inline bool is_printable(std::string_view position) noexcept {
  if (position.empty() || position.size() > 120) return false;
  for (const char c : position) {
    if (c < ' ' || c > '~') return false;
  }
  return true;
}

/// Calls fetch(); what it throws goes on as a SourceError that names the split's number and position. Without credit
/// the answer is `more`: the reader could not look, so there may be something, and whoever frees a batch makes the
/// host poll again.
inline Status fetch_with_context(SplitReader& reader, SplitOutput& out, const Split& split) {
  tidemark_error error{sizeof(tidemark_error), 0, 0, UINT32_MAX, {}};
  const int32_t code = guard(&error, TIDEMARK_E_DATA, [&] { return static_cast<int32_t>(reader.fetch(out)); });
  if (code >= 0) return out.lacks_credit() && !out.is_finished() ? Status::more : static_cast<Status>(code);
  std::string text = error.message;
  if (text.empty()) text = "fetch() failed without saying why";
  const std::string position = reader.position();
  if (is_printable(position)) text += " (after position " + position + ")";
  SourceError out_error = SourceError(text).kind(static_cast<ErrorKind>(error.code)).split(split.number);
  return fail(error.retryable != 0 ? std::move(out_error).retryable() : std::move(out_error));
}

}  // namespace detail
}  // namespace v1
}  // namespace tidemark
