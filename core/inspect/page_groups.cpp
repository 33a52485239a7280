// SPDX-License-Identifier: Apache-2.0
//
// Keys of pages ascend by pane, key group, base before deltas, epoch: a group is complete when another begins.
#include "core/inspect/page_groups.hpp"

#include <set>
#include <utility>

#include "core/state/keys.hpp"
#include "core/state/page_format.hpp"

namespace tidemark::core {
namespace {

Result<PageKey> read_key(uint16_t operator_id, std::string_view key) {
  const auto page = decode_page_key(key);
  if (page) return *page;
  return Status(Code::state, "a page of operator " + std::to_string(operator_id) +
                                 " has a key that this program does not know; use the program that wrote the state");
}

Status add_page(const PageKey& key, std::string_view page, PageGroup& group) {
  const bool is_base = key.kind == PageKind::base;
  if (is_base ? group.base.pages > 0 : group.base.pages == 0) {
    return Status(Code::damage,
                  "does not follow its base; restore the state path from a copy, or start over with an empty one")
        .with_context(describe(key));
  }
  (is_base ? group.base : group.delta).add({1, page.size()});
  const auto take = [&](const EntryView& entry) {
    std::string name(entry.key);
    if (entry.removed) {
      group.entries.erase(name);
    } else {
      group.entries.insert_or_assign(std::move(name), std::string(entry.accumulators));
    }
    return Status();
  };
  return decode_pane_page(page, take).with_context(describe(key));
}

Status read_group(EpochStore& store, uint16_t operator_id, Micros pane_end, uint32_t key_group, PageGroup& out) {
  out = {pane_end, key_group, {}, {}, {}};
  Status read;
  Status scanned = store.scan(Family::panes, group_prefix(operator_id, pane_end, key_group),
                              [&](std::string_view key, std::string_view page) {
                                const auto at = read_key(operator_id, key);
                                read = at ? add_page(*at, page, out) : at.status();
                                return read.is_ok();
                              });
  return scanned ? read : scanned;
}

}  // namespace

Status visit_page_groups(EpochStore& store, uint16_t operator_id, std::optional<Micros> pane_end,
                         const VisitPageGroup& visit) {
  const std::string prefix = operator_prefix(operator_id);
  const std::string begin = pane_end ? group_prefix(operator_id, *pane_end, 0) : prefix;
  std::optional<PageGroup> group;
  Status status;
  // True when there is more to see.
  const auto show = [&] {
    if (!group) return true;
    const auto shown = visit(*group);
    if (!shown) status = shown.status();
    group.reset();
    return shown.is_ok() && *shown;
  };
  bool more = true;
  Status scanned = store.scan_from(Family::panes, prefix, begin, [&](std::string_view key, std::string_view page) {
    const auto at = read_key(operator_id, key);
    if (!at) {
      status = at.status();
      return more = false;
    }
    if (group && (group->pane_end != at->pane_end || group->key_group != at->key_group)) more = show();
    if (pane_end && at->pane_end != *pane_end) return false;
    if (!more) return false;
    if (!group) group = PageGroup{at->pane_end, at->key_group, {}, {}, {}};
    status = add_page(*at, page, *group);
    return more = status.is_ok();
  });
  if (!scanned) return scanned;
  if (more) show();
  return status;
}

Status visit_page_groups_by_key(EpochStore& store, uint16_t operator_id, const VisitPageGroup& visit) {
  std::set<std::pair<uint32_t, Micros>> groups;
  Status status;
  Status scanned = store.scan(Family::panes, operator_prefix(operator_id), [&](std::string_view key, std::string_view) {
    const auto at = read_key(operator_id, key);
    if (at) groups.emplace(at->key_group, at->pane_end);
    status = at.status();
    return status.is_ok();
  });
  if (!scanned || !status) return scanned ? status : scanned;
  PageGroup group;
  for (const auto& [key_group, pane_end] : groups) {
    if (Status read = read_group(store, operator_id, pane_end, key_group, group); !read) return read;
    const auto more = visit(group);
    if (!more) return more.status();
    if (!*more) break;
  }
  return {};
}

}  // namespace tidemark::core
