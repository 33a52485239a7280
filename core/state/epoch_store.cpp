// SPDX-License-Identifier: Apache-2.0
//
// The list of writes of one epoch. Order is kept as given, since a range removal followed by a put of a key in
// the range must leave that key.
#include "core/state/epoch_store.hpp"

#include <iterator>
#include <utility>

namespace tidemark::core {

const char* family_name(Family family) noexcept {
  switch (family) {
    case Family::meta:
      return "meta";
    case Family::sources:
      return "sources";
    case Family::panes:
      return "panes";
    case Family::closed:
      return "closed";
    case Family::timers:
      return "timers";
    case Family::late:
      return "late";
    case Family::late_marks:
      return "late_marks";
    case Family::sinks:
      return "sinks";
    case Family::rows:
      return "rows";
  }
  return "?";
}

void EpochWrites::put(Family family, std::string key, std::string value) {
  bytes_ += key.size() + value.size();
  writes_.push_back({Write::Kind::put, family, std::move(key), std::move(value)});
}

void EpochWrites::remove(Family family, std::string key) {
  bytes_ += key.size();
  writes_.push_back({Write::Kind::remove, family, std::move(key), {}});
}

void EpochWrites::remove_range(Family family, std::string begin, std::string end) {
  if (begin >= end) return;
  bytes_ += begin.size() + end.size();
  writes_.push_back({Write::Kind::remove_range, family, std::move(begin), std::move(end)});
}

void EpochWrites::drop_range(Family family, std::string begin, std::string end) {
  if (begin >= end) return;
  remove_range(family, std::move(begin), std::move(end));
  writes_.back().kind = Write::Kind::drop_range;
}

void EpochWrites::append(EpochWrites&& other) {
  bytes_ += other.bytes_;
  writes_.insert(writes_.end(), std::make_move_iterator(other.writes_.begin()),
                 std::make_move_iterator(other.writes_.end()));
  other.writes_.clear();
  other.bytes_ = 0;
}

}  // namespace tidemark::core
