// SPDX-License-Identifier: Apache-2.0
// Fuzz target: GTIDs in all their forms: texts of sets, positions and filters; bodies of PREVIOUS_GTIDS, GTID_LIST and
// the GTID events. The first byte chooses. One thread.
#include <string>

#include "binlog/gtid_filter.hpp"
#include "binlog/gtid_position.hpp"
#include "binlog/gtid_set.hpp"
#include "binlog/heartbeat_event.hpp"
#include "binlog/xid.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace tidemark::fuzz {
namespace {

void check_set(const binlog::GtidSet& set) {
  const auto again = binlog::GtidSet::parse(set.to_text());
  require(again.ok() && *again == set, "a set survives its text");
  require(set.contains(set), "a set holds itself");
  binlog::GtidSet merged;
  merged.merge(set);
  require(merged == set, "a set survives a merge");
  for (const auto& [source, intervals] : set.sources()) {
    require(!intervals.empty(), "a source has numbers");
    uint64_t behind = 0;
    for (const auto& interval : intervals) {
      require(interval.first > behind && interval.first <= interval.last, "intervals are in order and do not touch");
      require(set.contains(source, interval.first) && set.contains(source, interval.last), "they are in the set");
      require(!set.contains(source, interval.last + 1), "and nothing else is");
      behind = interval.last + 1;
    }
  }
}

void event(binlog::EventType type, std::span<const uint8_t> body) {
  binlog::EventView view;
  view.header.type = type;
  view.header.server_id = 5;
  view.body = body;
  const auto gtid = binlog::parse_gtid_event(view);
  if (!gtid) return;
  const std::string text = gtid->to_text();
  binlog::GtidSet set;
  set.add(*gtid);
  require(set.empty() || set.contains(*gtid), "what was added is there");
  if (!set.empty() && gtid->kind == binlog::GtidKind::mysql) require(set.to_text() == text, "texts agree");
  if (gtid->kind != binlog::GtidKind::mariadb) return;
  const auto filter = binlog::GtidFilter::parse(text);
  require(filter.ok() && filter->matches(*gtid), "a GTID's text finds it");
}

void texts(std::string_view text) {
  if (const auto set = binlog::GtidSet::parse(text)) check_set(*set);
  if (const auto position = binlog::GtidPosition::parse(text)) {
    const auto again = binlog::GtidPosition::parse(position->to_text());
    require(again.ok() && *again == *position, "a position survives its text");
  }
  const auto filter = binlog::GtidFilter::parse(text);
  if (filter) require(!filter->matches({}), "a group without a GTID never matches");
  if (const auto xid = binlog::read_xid(text)) {
    const auto again = binlog::read_xid("XA COMMIT " + xid->to_text());
    require(again && *again == *xid, "a name survives its text");
  }
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  constexpr binlog::EventType kEvents[] = {binlog::EventType::gtid, binlog::EventType::anonymous_gtid,
                                           binlog::EventType::gtid_tagged, binlog::EventType::mariadb_gtid};
  fuzz::Input input(data, size);
  const uint8_t what = input.byte() % 9;
  const auto body = input.rest();
  if (what < 4) {
    fuzz::event(kEvents[what], body);
  } else if (what == 4) {
    if (const auto set = binlog::parse_previous_gtids(body)) fuzz::check_set(*set);
  } else if (what == 5) {
    if (const auto list = binlog::parse_gtid_list(body)) fuzz::texts(list->to_text());
  } else if (what == 6) {
    fuzz::texts(fuzz::text_of(body));
  } else if (what == 7) {
    if (const auto prepare = binlog::parse_xa_prepare(body)) fuzz::texts("XA PREPARE " + prepare->xid.to_text());
  } else {
    binlog::EventView view;
    view.header.type = binlog::EventType::heartbeat_v2;
    view.body = body;
    (void)binlog::parse_heartbeat_event(view);
  }
  return 0;
}
