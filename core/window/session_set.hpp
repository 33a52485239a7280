// SPDX-License-Identifier: Apache-2.0
//
// SessionSet: the sessions of one key (semantics 1.15). Every row reaches from its time over its gap; pieces of the
// time line that touch are of one session. Pieces are either merged into one per session, or kept apart, one per time,
// where a row may be taken back or a session may last so long only: then sessions are read off the pieces in the order
// of time, so that they do not depend on the order of arrival.
//
// Invariants: pieces ascend by start, no two start together; merged ones do not touch. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/window/time_range.hpp"

namespace tidemark::core {

/// Ranges that meet end to start touch too.
constexpr bool touches(const TimeRange& a, const TimeRange& b) noexcept {
  return a.start <= b.end && b.start <= a.end;
}

/// `Content`: what is kept of a piece; movable.
template <typename Content>
class SessionSet {
 public:
  struct Piece {
    TimeRange range;
    Content content;
  };
  /// Pieces `first` to `past` (exclusive) and what they cover.
  struct Session {
    size_t first = 0;
    size_t past = 0;
    TimeRange window;
  };

  std::vector<Piece>& pieces() noexcept { return pieces_; }
  const std::vector<Piece>& pieces() const noexcept { return pieces_; }

  /// Merged pieces that touch `range`: first and past.
  std::pair<size_t, size_t> touching(const TimeRange& range) const {
    const auto first = std::partition_point(pieces_.begin(), pieces_.end(),
                                            [&](const Piece& piece) { return piece.range.end < range.start; });
    auto past = first;
    while (past != pieces_.end() && past->range.start <= range.end) ++past;
    return {first - pieces_.begin(), past - pieces_.begin()};
  }

  /// The piece that covers `range` and all that touch it. Content: of the first old one, into which
  /// `fold(Content& into, Content& from)` puts the others; of `make()` when there was none.
  template <typename Make, typename Fold>
  Piece& merge(const TimeRange& range, const Make& make, const Fold& fold) {
    const auto [first, past] = touching(range);
    if (first == past) return insert(first, range, make);
    Piece& into = pieces_[first];
    into.range.start = std::min(into.range.start, range.start);
    into.range.end = std::max(pieces_[past - 1].range.end, range.end);
    for (size_t at = first + 1; at < past; ++at) fold(into.content, pieces_[at].content);
    erase(first + 1, past);
    return into;
  }

  /// The piece that starts there; pieces().size() when there is none.
  size_t find(Micros start) const {
    const size_t at = lower_bound(start);
    return at < pieces_.size() && pieces_[at].range.start == start ? at : pieces_.size();
  }
  /// Adds a piece that is kept apart; none may start where it does.
  template <typename Make>
  Piece& add(const TimeRange& range, const Make& make) {
    return insert(lower_bound(range.start), range, make);
  }
  void erase(size_t first, size_t past) {
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(first),
                  pieces_.begin() + static_cast<std::ptrdiff_t>(past));
  }

  /// The session that begins with piece `first`. `max_size` (0 = none): from its start to the start of its last piece.
  Session session_from(size_t first, Micros max_size) const {
    Session out{first, first + 1, pieces_[first].range};
    for (; out.past < pieces_.size() && joins(pieces_[out.past].range, out.window, max_size); ++out.past) {
      out.window.end = std::max(out.window.end, pieces_[out.past].range.end);
    }
    return out;
  }

  /// The session that a row of this range would be part of.
  TimeRange window_with(const TimeRange& range, Micros max_size) const {
    TimeRange window = range;
    bool open = false;
    bool placed = false;
    const auto take = [&](const TimeRange& next) {
      const bool joined = open && joins(next, window, max_size);
      if (!joined && placed) return false;
      window = joined ? TimeRange{window.start, std::max(window.end, next.end)} : next;
      open = true;
      return true;
    };
    for (const Piece& piece : pieces_) {
      if (!placed && piece.range.start >= range.start) {
        take(range);
        placed = true;
      }
      if (!take(piece.range)) return window;
    }
    if (!placed) take(range);
    return window;
  }

 private:
  static bool joins(const TimeRange& next, const TimeRange& window, Micros max_size) {
    return next.start <= window.end && (max_size == 0 || saturating_sub(next.start, window.start) <= max_size);
  }
  size_t lower_bound(Micros start) const {
    const auto at = std::partition_point(pieces_.begin(), pieces_.end(),
                                         [&](const Piece& piece) { return piece.range.start < start; });
    return static_cast<size_t>(at - pieces_.begin());
  }
  template <typename Make>
  Piece& insert(size_t at, const TimeRange& range, const Make& make) {
    return *pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(at), Piece{range, make()});
  }

  std::vector<Piece> pieces_;
};

}  // namespace tidemark::core
