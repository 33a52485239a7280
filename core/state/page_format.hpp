// SPDX-License-Identifier: Apache-2.0
//
// Pane pages: entries of one (operator, pane, key group) as one value of the store. Header (magic, version, codec and
// whether another part of the same run follows, rows, sizes), then keys (ascending, prefix-compressed) and after them
// the encoded accumulators, zstd where it pays, and a CRC over everything. Relocatable: nothing in a page depends on
// where it is stored. Invariant: a damaged page is an error, never other entries. One builder per thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"
#include "core/base/status.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class PanePageBuilder {
 public:
  /// Adds an entry; keys must be strictly ascending.
  void add(const EntryView& entry);
  uint32_t rows() const noexcept { return rows_; }
  /// What the page comes to before it is packed.
  size_t bytes() const noexcept { return keys_.size() + accumulators_.size(); }
  /// The finished page; the builder is empty again and keeps its memory. `more`: the run goes on with another part.
  std::string finish(bool more = false);

 private:
  std::string keys_;          // per entry: shared with the previous key, rest of the key, accumulator size + 1
  std::string accumulators_;  // joined
  std::string previous_key_;
  uint32_t rows_ = 0;
};

/// The entries of a page one by one, ascending by key bytes. Errors name what is wrong but not the page: callers add
/// its key (with_context(describe(key))).
class PageEntries {
 public:
  PageEntries() : keys_({}), accumulators_({}) {}
  PageEntries(const PageEntries&) = delete;
  PageEntries& operator=(const PageEntries&) = delete;

  /// Takes over a page and checks it; entries of the one before are gone.
  Status open(std::string page);
  /// Goes to the next entry, the first one at first; false: there is none.
  Result<bool> next();
  /// Valid until next() or open().
  const EntryView& entry() const noexcept { return entry_; }
  /// What the page came to before it was packed.
  size_t bytes() const noexcept { return bytes_; }
  /// Of the run that the page is of: another part follows.
  bool more() const noexcept { return more_; }

 private:
  std::string raw_;
  ByteReader keys_;
  ByteReader accumulators_;
  size_t bytes_ = 0;
  uint32_t rows_left_ = 0;
  bool is_first_ = true;
  bool more_ = false;
  std::string key_;
  EntryView entry_;
};

/// Visits the entries of a page; views are valid during the visit. Errors as PageEntries.
Status decode_pane_page(std::string_view page, const std::function<Status(const EntryView&)>& visit);

}  // namespace tidemark::core
