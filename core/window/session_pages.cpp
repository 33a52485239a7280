// SPDX-License-Identifier: Apache-2.0
//
// A page's entries are looked up when it is sealed, not kept: a key's pieces and records stand in its own order, and
// pages that change are mostly those of rows that come, which are few.
#include "core/window/session_pages.hpp"

#include <algorithm>
#include <tuple>

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr size_t kSuffixBytes = 1 + 2 * sizeof(Micros);
constexpr uint64_t kSignBit = uint64_t{1} << 63;

void append_ordered(Micros value, std::string& out) {
  const uint64_t bits = static_cast<uint64_t>(value) ^ kSignBit;
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(bits >> shift & 0xff));
}

bool may_wait(const Firing& firing) {
  return firing.rule == FiringRule::every || firing.rule == FiringRule::count;
}

Micros ordered_at(std::string_view bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < sizeof bits; ++i) bits = bits << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<Micros>(bits ^ kSignBit);
}

}  // namespace

/// One page at a seal.
class SessionPages::View final : public PaneChange {
 public:
  View(const SessionPages& pages, PageId id, Page& page) : pages_(pages), id_(id) {
    for (auto at = page.keys.begin(); at != page.keys.end();) {
      const size_t before = live_.size();
      collect(**at);
      at = live_.size() == before ? page.keys.erase(at) : std::next(at);
    }
    std::sort(live_.begin(), live_.end());
    for (const Change& change : page.changes)
      dirty_.push_back({change.key, change.what, change.range, nullptr, nullptr});
    std::sort(dirty_.begin(), dirty_.end());
    const auto same = [](const Entry& a, const Entry& b) { return a.order() == b.order(); };
    dirty_.erase(std::unique(dirty_.begin(), dirty_.end(), same), dirty_.end());
    for (Entry& entry : dirty_) {
      const auto found = std::lower_bound(live_.begin(), live_.end(), entry);
      if (found != live_.end() && found->order() == entry.order()) entry = *found;
      if (entry.piece != nullptr) entry.piece->content.noted_in = kNoTime;
    }
  }

  Micros pane_end() const override { return id_.bucket; }
  uint32_t key_group() const override { return id_.key_group; }
  size_t dirty_count() const override { return dirty_.size(); }
  size_t entry_count() const override { return live_.size(); }
  void visit_dirty(const std::function<void(const EntryView&)>& visit) const override { show(dirty_, visit); }
  void visit_all(const std::function<void(const EntryView&)>& visit) const override { show(live_, visit); }

 private:
  struct Entry {
    const KeySessions* key;
    What what;
    TimeRange range;
    SessionSet<SessionRows>::Piece* piece;
    const SessionRecord* record;

    std::tuple<std::string_view, What, Micros, Micros> order() const {
      return {key->key, what, range.start, range.end};
    }
    bool operator<(const Entry& other) const { return order() < other.order(); }
  };

  void collect(KeySessions& key) {
    auto& pieces = key.set.pieces();
    const auto first = std::partition_point(pieces.begin(), pieces.end(), [&](const auto& piece) {
      return pages_.bucket_of(piece.range.end) < id_.bucket;
    });
    for (auto at = first; at != pieces.end() && pages_.bucket_of(at->range.end) == id_.bucket; ++at) {
      live_.push_back({&key, What::piece, {at->range.start, 0}, &*at, nullptr});
    }
    for (std::vector<SessionRecord>* records : {&key.sessions, &key.gone}) {
      for (SessionRecord& record : *records) {
        if (pages_.bucket_of(record.window.end) != id_.bucket) continue;
        record.noted = false;
        if (pages_.is_kept(record)) live_.push_back({&key, What::record, record.window, nullptr, &record});
      }
    }
  }

  void show(const std::vector<Entry>& entries, const std::function<void(const EntryView&)>& visit) const {
    std::string name;
    std::string value;
    for (const Entry& entry : entries) {
      name.assign(entry.key->key);
      name.push_back(static_cast<char>(entry.what));
      append_ordered(entry.range.start, name);
      append_ordered(entry.range.end, name);
      value.clear();
      if (entry.piece != nullptr) pages_.append_value(*entry.piece, value);
      if (entry.record != nullptr) {
        if (pages_.keeps_rows_) append_given_row(entry.record->given_row, value);
        append_emission(entry.record->emission, value);
      }
      visit({name, value, entry.piece == nullptr && entry.record == nullptr});
    }
  }

  const SessionPages& pages_;
  PageId id_;
  std::vector<Entry> live_;
  std::vector<Entry> dirty_;
};

SessionPages::SessionPages(const AggregateSpec& spec, const AccumulatorLayout& layout)
    : layout_(layout),
      width_(std::max(spec.window.gap_us, kMinute)),
      keeps_given_(spec.can_fire_again()),
      keeps_rows_(spec.kept_result() == KeptResult::row),
      keeps_waiting_(may_wait(spec.emit.early) || may_wait(spec.emit.late)) {}

bool SessionPages::is_kept(const SessionRecord& record) const {
  return keeps_given_ && (record.emission.revision > 0 || (keeps_waiting_ && !record.emission.is_blank()));
}

Micros SessionPages::bucket_of(Micros end) const {
  const Micros position = position_in(end, width_, 0);
  return position == 0 ? end : saturating_add(end, width_ - position);
}

void SessionPages::note_piece(KeySessions& key, const TimeRange& range) {
  const Micros bucket = bucket_of(range.end);
  const size_t at = key.set.find(range.start);
  if (at < key.set.pieces().size()) {
    SessionRows& rows = key.set.pieces()[at].content;
    if (rows.noted_in == bucket) return;
    rows.noted_in = bucket;
  }
  Page& page = page_of(key, bucket);
  page.keys.insert(&key);
  page.changes.push_back({&key, What::piece, {range.start, 0}});
  changed_.insert({bucket, key.key_group()});
}

void SessionPages::note_record(KeySessions& key, SessionRecord& record) {
  if (!keeps_given_ || record.noted) return;
  record.noted = true;
  note_lost_record(key, record.window);
}

void SessionPages::note_lost_record(KeySessions& key, const TimeRange& window) {
  const Micros bucket = bucket_of(window.end);
  Page& page = page_of(key, bucket);
  page.keys.insert(&key);
  page.changes.push_back({&key, What::record, window});
  changed_.insert({bucket, key.key_group()});
}

void SessionPages::seal(const std::function<void(const PaneChange&)>& visit) {
  for (const PageId& id : changed_) {
    const auto page = pages_.find(id);
    const View view(*this, id, page->second);
    visit(view);
    page->second.changes.clear();
    if (page->second.keys.empty()) pages_.erase(page);
  }
  changed_.clear();
}

void SessionPages::append_value(const SessionSet<SessionRows>::Piece& piece, std::string& out) const {
  ByteWriter(out).fixed(piece.range.end);
  layout_.encode(piece.content.accumulators.data(), out);
}

std::optional<SessionPages::EntryId> SessionPages::parse(std::string_view entry_key) {
  if (entry_key.size() < kSuffixBytes) return std::nullopt;
  const std::string_view suffix = entry_key.substr(entry_key.size() - kSuffixBytes);
  if (static_cast<uint8_t>(suffix[0]) > static_cast<uint8_t>(What::record)) return std::nullopt;
  EntryId out;
  out.key = entry_key.substr(0, entry_key.size() - kSuffixBytes);
  out.what = static_cast<What>(suffix[0]);
  out.range = {ordered_at(suffix.substr(1)), ordered_at(suffix.substr(1 + sizeof(Micros)))};
  return out;
}

Status SessionPages::restore(KeySessions& key, Micros bucket, const EntryId& id, const EntryView& entry) {
  const auto damaged = [] { return Status(Code::damage, "a stored session is damaged or of another job"); };
  if (id.what == What::record) {
    std::erase_if(key.gone, [&](const SessionRecord& record) { return record.window == id.range; });
    if (entry.removed) return Status::ok();
    SessionRecord record;
    record.window = id.range;
    std::string_view bytes = entry.accumulators;
    if (!take_emission(bytes, record.emission)) return damaged();
    if (keeps_rows_ && !take_given_row(bytes, record.given_row)) return damaged();
    if (!bytes.empty()) return damaged();
    key.gone.push_back(std::move(record));
    return Status::ok();
  }
  const size_t at = key.set.find(id.range.start);
  const bool known = at < key.set.pieces().size();
  if (known && (!entry.removed || bucket_of(key.set.pieces()[at].range.end) == bucket)) key.set.erase(at, at + 1);
  if (entry.removed) return Status::ok();
  ByteReader reader(entry.accumulators);
  const auto end = reader.fixed<Micros>();
  if (!reader.ok() || bucket_of(end) != bucket || end < id.range.start) return damaged();
  auto& piece = key.set.add({id.range.start, end}, [&] { return SessionRows{AccumulatorRow(layout_)}; });
  return layout_.decode(entry.accumulators.substr(sizeof(Micros)), piece.content.accumulators.data());
}

void SessionPages::list(KeySessions& key) {
  for (const auto& piece : key.set.pieces()) page_of(key, bucket_of(piece.range.end)).keys.insert(&key);
  for (const std::vector<SessionRecord>* records : {&key.sessions, &key.gone}) {
    for (const SessionRecord& record : *records) {
      if (is_kept(record)) page_of(key, bucket_of(record.window.end)).keys.insert(&key);
    }
  }
}

size_t SessionPages::memory_bytes() const {
  size_t bytes = 0;
  for (const auto& [id, page] : pages_) {
    bytes += sizeof(std::pair<PageId, Page>) + page.keys.size() * 48 + page.changes.capacity() * sizeof(Change);
  }
  return bytes;
}

}  // namespace tidemark::core
