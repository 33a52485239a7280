// SPDX-License-Identifier: Apache-2.0
//
// Keys of pages ascend by pane, key group, base before deltas before addends: a group is complete when another begins.
#include "core/inspect/page_groups.hpp"

#include <set>
#include <utility>

#include "core/state/keys.hpp"
#include "core/state/page_format.hpp"
#include "core/state/pane_directory.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {
namespace {

Result<PageKey> read_key(uint16_t operator_id, std::string_view key) {
  const auto page = decode_page_key(key);
  if (page) return *page;
  return Status(Code::state, "a page of operator " + std::to_string(operator_id) +
                                 " has a key that this program does not know; use the program that wrote the state");
}

/// Takes pages in the order of their keys.
class GroupReader {
 public:
  GroupReader(uint16_t operator_id, uint64_t epoch) : operator_id_(operator_id), epoch_(epoch) {}

  /// Nothing when the page is of no epoch that was committed.
  Result<std::optional<PageKey>> key_of(std::string_view key) const {
    const auto page = read_key(operator_id_, key);
    if (!page) return page.status();
    return page->run.epoch > epoch_ ? std::nullopt : std::optional(*page);
  }

  Status add(const PageKey& key, std::string_view page, PageGroup& group) {
    Status added = add_entries(key, page, group);
    return added ? added : added.with_context(describe(key));
  }
  Status end() const { return sequence_.end(); }

 private:
  Status add_entries(const PageKey& key, std::string_view page, PageGroup& group) {
    PageEntries entries;
    if (Status opened = entries.open(std::string(page)); !opened) return opened;
    if (Status follows = sequence_.add(key, entries.more()); !follows) return follows;
    const bool adds = key.run.kind == PageKind::addend;
    (adds ? group.addend : key.run.kind == PageKind::base ? group.base : group.delta).add({1, page.size()});
    for (auto more = entries.next();; more = entries.next()) {
      if (!more) return more.status();
      if (!*more) return {};
      std::vector<std::string>& values = group.entries[std::string(entries.entry().key)];
      if (!adds) values.clear();
      if (!entries.entry().removed) {
        values.emplace_back(entries.entry().accumulators);
      } else {
        group.entries.erase(std::string(entries.entry().key));
      }
    }
  }

  uint16_t operator_id_;
  uint64_t epoch_;
  PageSequence sequence_;
};

}  // namespace

Result<uint64_t> committed_epoch(EpochStore& store) {
  auto stored = store.get(Family::meta, kMetaEpoch);
  if (!stored) return stored.status();
  if (!*stored) return UINT64_MAX;
  const auto record = decode_epoch_record(**stored);
  if (!record) return record.status();
  return record->epoch;
}

Status visit_page_groups(EpochStore& store, uint16_t operator_id, std::optional<Micros> pane_end,
                         const VisitPageGroup& visit) {
  const auto epoch = committed_epoch(store);
  if (!epoch) return epoch.status();
  GroupReader reader(operator_id, *epoch);
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
    const auto at = reader.key_of(key);
    if (!at) {
      status = at.status();
      return more = false;
    }
    if (!*at) return true;
    const PageKey& name = **at;
    if (group && (group->pane_end != name.pane_end || group->key_group != name.key_group)) more = show();
    if (pane_end && name.pane_end != *pane_end) return false;
    if (!more) return false;
    if (!group) group = PageGroup{name.pane_end, name.key_group, {}, {}, {}, {}};
    status = reader.add(name, page, *group);
    return more = status.is_ok();
  });
  if (!scanned) return scanned;
  if (more && status) status = reader.end();
  if (more && status) show();
  return status;
}

Status visit_page_groups_by_key(EpochStore& store, uint16_t operator_id, const VisitPageGroup& visit) {
  const auto epoch = committed_epoch(store);
  if (!epoch) return epoch.status();
  std::set<std::pair<uint32_t, Micros>> groups;
  GroupReader reader(operator_id, *epoch);
  Status status;
  Status scanned = store.scan(Family::panes, operator_prefix(operator_id), [&](std::string_view key, std::string_view) {
    const auto at = reader.key_of(key);
    if (at && *at) groups.emplace((*at)->key_group, (*at)->pane_end);
    status = at.status();
    return status.is_ok();
  });
  if (!scanned || !status) return scanned ? status : scanned;
  for (const auto& [key_group, pane_end] : groups) {
    PageGroup group{pane_end, key_group, {}, {}, {}, {}};
    GroupReader one(operator_id, *epoch);
    scanned = store.scan(Family::panes, group_prefix(operator_id, pane_end, key_group),
                         [&](std::string_view key, std::string_view page) {
                           const auto at = one.key_of(key);
                           status = !at ? at.status() : *at ? one.add(**at, page, group) : Status();
                           return status.is_ok();
                         });
    if (scanned && status) status = one.end();
    if (!scanned || !status) return scanned ? status : scanned;
    const auto more = visit(group);
    if (!more) return more.status();
    if (!*more) break;
  }
  return {};
}

}  // namespace tidemark::core
