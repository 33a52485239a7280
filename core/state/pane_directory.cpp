// SPDX-License-Identifier: Apache-2.0
//
// An ordered map, since a pane is forgotten as a range. Keys of pages say themselves which of them come first.
#include "core/state/pane_directory.hpp"

namespace tidemark::core {
namespace {

Status out_of_order(const PageKey& key, const char* what) {
  return Status(Code::damage,
                std::string(what) + "; restore the state path from a copy, or start over with an empty one")
      .with_context(describe(key));
}

bool is_same_group(const PageKey& a, const PageKey& b) {
  return a.operator_id == b.operator_id && a.pane_end == b.pane_end && a.key_group == b.key_group;
}

}  // namespace

const PaneDirectory::Runs* PaneDirectory::find(Micros pane_end, uint32_t key_group) const {
  const auto found = groups_.find({pane_end, key_group});
  return found == groups_.end() ? nullptr : &found->second;
}

bool PaneDirectory::forget_range(Micros pane_end, uint32_t first, uint32_t last) {
  const auto begin = groups_.lower_bound({pane_end, first});
  const auto end = groups_.upper_bound({pane_end, last});
  const bool any = begin != end;
  groups_.erase(begin, end);
  return any;
}

uint64_t PaneDirectory::bytes() const {
  uint64_t sum = 0;
  for (const auto& [id, runs] : groups_) {
    for (const Run& run : runs) sum += run.bytes;
  }
  return sum;
}

Status PageSequence::add(const PageKey& key, bool more) {
  const bool same_group = last_ && is_same_group(*last_, key);
  const bool same_run = same_group && last_->run == key.run;
  if (more_ && !same_run) return end();
  if (key.part != (same_run ? last_->part + 1 : 0) || (same_run && !more_)) {
    return out_of_order(key, "does not follow the part before it");
  }
  if (!same_run && (key.run.kind == PageKind::base) == same_group) {
    return out_of_order(key, same_group ? "is a second base" : "does not follow its base");
  }
  last_ = key;
  more_ = more;
  return {};
}

Status PageSequence::end() const {
  return more_ ? out_of_order(*last_, "is not followed by the next part") : Status();
}

}  // namespace tidemark::core
