// SPDX-License-Identifier: Apache-2.0
//
// The rule of when a base is rewritten, and restoring base and deltas in order. Older pages of a group are
// removed as one range in front of the new base in the same atomic epoch.
#include "core/state/pane_writer.hpp"

#include <utility>

#include "core/state/keys.hpp"

namespace tidemark::core {
namespace {

constexpr uint32_t kDeltasMax = 8;

}  // namespace

bool PaneDirectory::forget_range(Micros pane_end, uint32_t first, uint32_t last) {
  const auto begin = pages_.lower_bound({pane_end, first});
  const auto end = pages_.upper_bound({pane_end, last});
  const bool any = begin != end;
  pages_.erase(begin, end);
  return any;
}

uint64_t PaneDirectory::bytes() const {
  uint64_t sum = 0;
  for (const auto& [id, pages] : pages_) sum += pages.base_bytes + pages.delta_bytes;
  return sum;
}

void PaneWriter::write(const PaneChange& change, uint64_t epoch, EpochWrites& out) {
  const Micros pane_end = change.pane_end();
  const uint32_t group = change.key_group();
  PaneDirectory::Pages& pages = directory_.pages(pane_end, group);
  const bool stored = pages.base_bytes > 0 || pages.deltas > 0;
  const auto remove_all = [&] {
    if (!stored) return;
    out.remove_range(Family::panes, group_prefix(operator_id_, pane_end, group),
                     group_prefix(operator_id_, pane_end, group + 1));
  };
  if (change.entry_count() == 0) {
    remove_all();
    directory_.forget(pane_end, group);
    return;
  }
  if (change.dirty_count() == 0 && stored) return;

  PageKey key{operator_id_, pane_end, static_cast<uint16_t>(group), PageKind::delta, epoch};
  const auto add = [this](const EntryView& entry) { builder_.add(entry); };
  const bool whole = pages.base_bytes == 0 || pages.deltas >= kDeltasMax || pages.delta_bytes > pages.base_bytes ||
                     change.dirty_count() >= change.entry_count();
  if (whole) {
    remove_all();
    key.kind = PageKind::base;
    change.visit_all(add);
    std::string page = builder_.finish();
    pages = {page.size(), 0, 0};
    out.put(Family::panes, encode_page_key(key), std::move(page));
    return;
  }
  change.visit_dirty(add);
  std::string page = builder_.finish();
  pages.delta_bytes += page.size();
  ++pages.deltas;
  out.put(Family::panes, encode_page_key(key), std::move(page));
}

void PaneWriter::close(Micros pane_end, uint32_t first_key_group, uint32_t last_key_group, EpochWrites& out) {
  if (!directory_.forget_range(pane_end, first_key_group, last_key_group)) return;
  out.remove_range(Family::panes, group_prefix(operator_id_, pane_end, first_key_group),
                   group_prefix(operator_id_, pane_end, last_key_group + 1));
}

Status PaneWriter::restore_page(std::string_view key, std::string_view value, uint32_t first, uint32_t last,
                                const RestoreVisit& visit) {
  const auto page_key = decode_page_key(key);
  if (!page_key) {
    return {Code::state, "a page of operator " + std::to_string(operator_id_) +
                             " has a key that this program does not know; use the program that wrote the state"};
  }
  if (page_key->key_group < first || page_key->key_group > last) return {};
  PaneDirectory::Pages& pages = directory_.pages(page_key->pane_end, page_key->key_group);
  const bool in_order = page_key->kind == PageKind::base ? pages.base_bytes == 0 : pages.base_bytes > 0;
  if (!in_order) {
    return Status(Code::damage,
                  "does not follow its base; restore the state path from a copy, or start over with an "
                  "empty one")
        .with_context(describe(*page_key));
  }
  if (page_key->kind == PageKind::base) {
    pages.base_bytes = value.size();
  } else {
    pages.delta_bytes += value.size();
    ++pages.deltas;
  }
  return decode_pane_page(value, [&](const EntryView& entry) { return visit(page_key->pane_end, entry.key, entry); })
      .with_context(describe(*page_key));
}

Status PaneWriter::restore(EpochStore& store, uint32_t first_key_group, uint32_t last_key_group,
                           const RestoreVisit& visit) {
  directory_.clear();
  Status restored;
  Status scanned =
      store.scan(Family::panes, operator_prefix(operator_id_), [&](std::string_view key, std::string_view value) {
        restored = restore_page(key, value, first_key_group, last_key_group, visit);
        return restored.is_ok();
      });
  return scanned ? restored : scanned;
}

}  // namespace tidemark::core
