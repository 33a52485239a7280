// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: one at a time.
#include "binlog/statement_scan.hpp"

#include "binlog/gtid_event.hpp"
#include "binlog/query_event.hpp"
#include "binlog/transaction_payload.hpp"

namespace tidemark::binlog {
namespace {

class StatementScan {
 public:
  StatementScan(FileReader& file, SchemaTracker& tracker) : file_(file), tracker_(tracker) {}

  Checked run() {
    EventHeader header;
    for (uint64_t at = file_.first_position();; at += header.size) {
      auto state = file_.peek_header(at, header);
      if (!state) return state.error();
      if (*state != ReadState::ready) return Done{};
      if (!is_wanted(header.type)) continue;
      EventView event;
      auto read = file_.peek_event(at, event);
      if (!read) return read.error();
      if (*read != ReadState::ready) return Done{};
      if (auto done = take(event, at); !done) return located(done.error(), file_.path(), at);
    }
  }

 private:
  static bool is_wanted(EventType type) {
    return type == EventType::query || type == EventType::query_compressed || type == EventType::mariadb_gtid ||
           type == EventType::transaction_payload;
  }

  /// `position`: of the payload event for events inside one.
  Checked take(const EventView& event, uint64_t position) {
    if (event.header.type == EventType::transaction_payload) return take_payload(event, position);
    if (event.header.type == EventType::mariadb_gtid) {
      const auto gtid = parse_gtid_event(event);
      if (!gtid) return gtid.error();
      alter_pending_ = !gtid.value().statement_takes_effect();
      stands_alone_ = gtid.value().stands_alone();
      return Done{};
    }
    const auto query = parse_query_event(event, scratch_);
    if (!query) return query.error();
    if (alter_pending_) return Done{};
    tracker_.on_statement(statement_at(query.value(), file_.name(), position, file_.format().flavor, stands_alone_));
    return Done{};
  }

  Checked take_payload(const EventView& event, uint64_t position) {
    if (auto opened = payload_.open(event); !opened) return opened;
    EventView inner;
    while (true) {
      auto more = payload_.next(inner);
      if (!more) return std::move(more).error();
      if (!*more) return Done{};
      if (!is_wanted(inner.header.type) || inner.header.type == EventType::transaction_payload) continue;
      if (auto done = take(inner, position); !done) return done;
    }
  }

  FileReader& file_;
  SchemaTracker& tracker_;
  PayloadReader payload_;
  std::vector<uint8_t> scratch_;
  bool alter_pending_ = false;
  bool stands_alone_ = true;
};

}  // namespace

Checked track_statements(FileReader& file, SchemaTracker& tracker) {
  if (file.format().created_s != 0) tracker.forget_temporary_tables();
  return StatementScan(file, tracker).run();
}

}  // namespace tidemark::binlog
