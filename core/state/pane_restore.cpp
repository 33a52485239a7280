// SPDX-License-Identifier: Apache-2.0
//
// PaneWriter: what a start reads. Pages in the order of their keys, up to some amount; behind it only the first page of
// each run, to know which there are.
#include <optional>
#include <string>
#include <utility>

#include "core/state/keys.hpp"
#include "core/state/pane_writer.hpp"

namespace tidemark::core {

/// How far the reading is.
struct PaneWriter::Scan {
  uint32_t first = 0;
  uint32_t last = 0;
  PageSequence sequence;
  uint64_t bytes = 0;
  std::optional<std::pair<Micros, uint32_t>> group;  // in hand
  bool has_left = false;                             // the group in hand
  std::string rest;                                  // where the groups begin that stay in the store; empty: none yet
};

namespace {

Result<PageKey> known_key(uint16_t operator_id, std::string_view key) {
  if (const auto page = decode_page_key(key)) return *page;
  return Status(Code::state, "a page of operator " + std::to_string(operator_id) +
                                 " has a key that this program does not know; use the program that wrote the state");
}

/// Behind all groups of that pane in any order of key groups.
std::string next_group(uint16_t operator_id, Micros pane_end, uint32_t key_group) {
  return group_prefix(operator_id, pane_end, key_group + 1);
}

}  // namespace

Status PaneWriter::restore_page(std::string_view key, std::string_view value, const Restore& visit, Scan& scan) {
  const auto page = known_key(operator_id_, key);
  if (!page) return page.status();
  if (page->key_group < scan.first || page->key_group > scan.last) return {};
  const std::pair<Micros, uint32_t> group(page->pane_end, page->key_group);
  if (scan.group != group) {
    if (visit.leave && scan.bytes > visit.bytes_max) {
      scan.rest = group_prefix(operator_id_, page->pane_end, page->key_group);
      return {};
    }
    scan.group = group;
    scan.has_left = false;
  }
  scan.bytes += value.size();
  PageEntries entries;
  if (Status opened = entries.open(std::string(value)); !opened) return opened.with_context(describe(*page));
  if (Status follows = scan.sequence.add(*page, entries.more()); !follows) return follows;
  PaneDirectory::Runs& runs = directory_.runs(group.first, group.second);
  if (page->part == 0) runs.push_back({page->run, 0, false});
  runs.back().bytes += entries.bytes();
  if (page->run.kind == PageKind::addend) {
    if (scan.has_left) return {};
    scan.has_left = true;
    if (!visit.leave) return {Code::damage, describe(*page) + ": nothing can be added to groups of this aggregate"};
    is_ahead_ = true;
    return visit.leave(group.first, group.second);
  }
  for (auto more = entries.next();; more = entries.next()) {
    if (!more) return more.status().with_context(describe(*page));
    if (!*more) return {};
    Status taken = visit.entry(group.first, entries.entry().key, entries.entry());
    if (!taken) return taken.with_context(describe(*page));
  }
}

Status PaneWriter::restore_rest(uint32_t first, uint32_t last, const Restore& visit, std::string from) {
  while (true) {
    std::optional<PageKey> page;
    Status status;
    Status scanned = store_.scan_from(Family::panes, operator_prefix(operator_id_), from,
                                      [&](std::string_view key, std::string_view) {
                                        const auto known = known_key(operator_id_, key);
                                        if (known) page = *known;
                                        status = known.status();
                                        return false;
                                      });
    if (!scanned || !status) return scanned ? status : scanned;
    if (!page) return {};
    if (page->key_group < first) {
      from = group_prefix(operator_id_, page->pane_end, first);
      continue;
    }
    if (page->key_group > last) {  // on to the next pane
      from = next_group(operator_id_, page->pane_end, kKeyGroups);
      continue;
    }
    is_ahead_ = true;
    PaneDirectory::Runs& runs = directory_.runs(page->pane_end, page->key_group);
    if (runs.empty()) {
      if (Status left = visit.leave(page->pane_end, page->key_group); !left) return left;
    }
    PageSequence sequence;  // of the first run alone: parts are read when the group is
    if (runs.empty()) status = sequence.add(*page, false);
    if (!status) return status;
    runs.push_back({page->run, 0, false});
    from = run_end(*page);
  }
}

Status PaneWriter::restore(uint32_t first_key_group, uint32_t last_key_group, const Restore& visit) {
  directory_.clear();
  Scan scan;
  scan.first = first_key_group;
  scan.last = last_key_group;
  Status restored;
  Status scanned =
      store_.scan(Family::panes, operator_prefix(operator_id_), [&](std::string_view key, std::string_view value) {
        restored = restore_page(key, value, visit, scan);
        return restored.is_ok() && scan.rest.empty();
      });
  if (scanned && restored) restored = scan.sequence.end();
  if (!scanned || !restored) return scanned ? restored : scanned;
  return scan.rest.empty() ? Status() : restore_rest(first_key_group, last_key_group, visit, scan.rest);
}

}  // namespace tidemark::core
