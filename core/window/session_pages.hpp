// SPDX-License-Identifier: Apache-2.0
//
// SessionPages: sessions as state sees them. Entries are the pieces of a key (with their accumulators) and what has
// been given of its windows; their keys are the key bytes, which of the two it is, and its bounds in order. A session
// has no fixed end to be filed under, so entries go by their end rounded up (a bucket): pages are many entries each,
// and an entry moves when its piece grows past its bucket.
//
// Invariant: every change is noted before the next seal. Owned by the session operator, on its thread.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/window/key_sessions.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class SessionPages {
 public:
  /// `layout` outlives it.
  SessionPages(const AggregateSpec& spec, const AccumulatorLayout& layout);

  /// The piece that starts there has or had this end: it changed, came, or goes.
  void note_piece(KeySessions& key, const TimeRange& range);
  /// The same for what has been given of a window: one of the key's records, or one that is no more.
  void note_record(KeySessions& key, SessionRecord& record);
  void note_lost_record(KeySessions& key, const TimeRange& window);
  /// As WindowOperator::seal().
  void seal(const std::function<void(const PaneChange&)>& visit);

  /// What an entry of state is about.
  struct EntryId {
    enum class What : uint8_t { piece, record };
    std::string_view key;
    What what = What::piece;
    TimeRange range;  ///< of a piece: its end is with its accumulators
  };
  static std::optional<EntryId> parse(std::string_view entry_key);
  /// Takes in an entry of page `bucket`; `key` is the one that the entry names. Code::damage when it is damaged.
  Status restore(KeySessions& key, Micros bucket, const EntryId& id, const EntryView& entry);
  /// Once all entries of the key are restored: pages learn which keys they have. Not before, since later entries
  /// remove and move earlier ones, and a key must not stay on a page without an entry there (it may be freed).
  void list(KeySessions& key);

  size_t memory_bytes() const;

 private:
  using What = EntryId::What;
  struct PageId {
    Micros bucket;
    uint32_t key_group;
    auto operator<=>(const PageId&) const = default;
  };
  struct Change {
    KeySessions* key;
    What what;
    TimeRange range;
  };
  struct Page {
    std::set<KeySessions*> keys;  // that have entries, or had them at the last seal
    std::vector<Change> changes;
  };
  class View;

  Micros bucket_of(Micros end) const;
  bool is_kept(const SessionRecord& record) const;
  Page& page_of(KeySessions& key, Micros bucket) { return pages_[PageId{bucket, key.key_group()}]; }
  void append_value(const SessionSet<SessionRows>::Piece& piece, std::string& out) const;

  const AccumulatorLayout& layout_;
  const Micros width_;
  const bool keeps_given_;    // windows may have several results
  const bool keeps_rows_;     // and the last one's row is kept
  const bool keeps_waiting_;  // and changes may wait for theirs
  std::map<PageId, Page> pages_;
  std::set<PageId> changed_;
};

}  // namespace tidemark::core
