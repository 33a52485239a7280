// SPDX-License-Identifier: Apache-2.0
// Fuzz target: transactions of all endings against a model. The input is a script: plain groups, XA in one phase and
// two, compressed or not, savepoints, verdicts of any name. It is written as a binlog and read, from the start and once
// more from where a reader of some items stopped, with the prepared transactions that it had. The rows must be those
// that the model says. One thread.
#include <map>
#include <string>
#include <vector>

#include "binlog/byte_cursor.hpp"
#include "binlog/transaction_reader.hpp"
#include "tests/fuzz/binlog_drive.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/unit/binlog/binlog_builder.hpp"

namespace tidemark::fuzz {
namespace {

using binlog::EventType;

constexpr size_t kGroupsMax = 60;

struct Prepared {
  std::vector<int32_t> rows;
  bool in_doubt = false;
};

/// What a reader must find.
struct Expected {
  std::vector<int32_t> rows;
  size_t notices = 0;
  bool fails = false;  ///< at the end: nothing more is written
};

class Script {
 public:
  explicit Script(Input& input) : input_(input) {
    for (size_t i = 0; i < kGroupsMax && !input_.at_end() && !expected_.fails; ++i) take_group();
  }

  binlog::Bytes& bytes() { return log_.bytes(); }
  const Expected& expected() const { return expected_; }
  const std::map<std::string, Prepared>& prepared() const { return prepared_; }

 private:
  struct Body {
    binlog::Bytes events;  ///< for a payload
    std::vector<int32_t> rows;
    bool in_doubt = false;
  };

  void add(EventType type, const binlog::Bytes& body) {
    if (!compressed_) {
      log_.event(type, body);
      return;
    }
    const binlog::Bytes event = binlog::make_event(type, body, 0, false);
    payload_.insert(payload_.end(), event.begin(), event.end());
  }
  void query(const std::string& text) { add(EventType::query, binlog::query_body(text, "db")); }

  /// Rows and savepoints.
  Body take_body() {
    Body body;
    std::map<std::string, size_t> savepoints;  // rows before each
    std::vector<std::string> order;
    for (uint8_t left = input_.byte() % 5; left > 0; --left) {
      const uint8_t what = input_.byte();
      const std::string name(1, static_cast<char>('a' + what / 8 % 3));
      switch (what % 4) {
        case 0: {
          add(EventType::table_map, binlog::table_map_body("t", 7));
          add(EventType::write_rows_v1, binlog::insert_body(++id_, "x", 7));
          body.rows.push_back(id_);
          break;
        }
        case 1:
          query("SAVEPOINT `" + name + "`");
          std::erase(order, name);
          order.push_back(name);
          savepoints[name] = body.rows.size();
          break;
        case 2: {
          query("ROLLBACK TO `" + name + "`");
          const bool known = savepoints.contains(name);
          body.in_doubt = body.in_doubt || (known ? savepoints[name] : 0) != body.rows.size();
          while (known && order.back() != name) {
            savepoints.erase(order.back());
            order.pop_back();
          }
          break;
        }
        default:
          add(EventType::rows_query, {1, 'q'});
      }
    }
    return body;
  }

  void end_payload() {
    if (compressed_) log_.event(EventType::transaction_payload, binlog::payload_body(payload_, 255));
    compressed_ = false;
    payload_.clear();
  }

  void commit(const Body& body) {
    expected_.fails = body.in_doubt;
    if (!body.in_doubt) expected_.rows.insert(expected_.rows.end(), body.rows.begin(), body.rows.end());
  }

  void take_group() {
    const uint8_t kind = input_.byte();
    const std::string name(1, static_cast<char>('k' + kind / 16 % 4));
    const std::string xid = "X'" +
                            std::string(name == "k"   ? "6b"
                                        : name == "l" ? "6c"
                                        : name == "m" ? "6d"
                                                      : "6e") +
                            "',X'',1";
    ++number_;
    log_.mysql_gtid(number_, static_cast<int64_t>(number_));
    compressed_ = (kind & 8) != 0 && kind % 8 < 4;
    switch (kind % 8) {
      case 0:
      case 1: {
        query("BEGIN");
        const Body body = take_body();
        if (kind % 8 == 0) {
          add(EventType::xid, binlog::Bytes(8));
          commit(body);
        } else {
          query("ROLLBACK");
        }
        break;
      }
      case 2: {
        query("XA START '" + name + "'");
        const Body body = take_body();
        query("XA END " + xid);
        add(EventType::xa_prepare, binlog::xa_prepare_body(name, true));
        commit(body);
        break;
      }
      case 3: {
        query("XA START " + xid);
        Body body = take_body();
        query("XA END '" + name + "'");
        add(EventType::xa_prepare, binlog::xa_prepare_body(name, false));
        if (prepared_.contains(name)) ++expected_.notices;
        prepared_[name] = {std::move(body.rows), body.in_doubt};
        break;
      }
      case 4:
      case 5: {
        query("XA COMMIT " + (kind % 8 == 4 ? xid : "'" + name + "'"));
        const auto found = prepared_.find(name);
        if (found == prepared_.end()) {
          ++expected_.notices;
        } else {
          commit({{}, found->second.rows, found->second.in_doubt});
          if (!expected_.fails) prepared_.erase(found);
        }
        break;
      }
      case 6:
        query("XA ROLLBACK " + xid);
        prepared_.erase(name);
        break;
      default:
        query("CREATE TABLE x (a INT)");
    }
    end_payload();
  }

  Input& input_;
  binlog::BinlogBuilder log_;
  binlog::Bytes payload_;
  bool compressed_ = false;
  uint64_t number_ = 0;
  int32_t id_ = 0;
  std::map<std::string, Prepared> prepared_;
  Expected expected_;
};

int32_t row_id(const binlog::Item& item) {
  require(item.rows.rows.size() >= 5, "a row is whole");
  return static_cast<int32_t>(binlog::load_le(item.rows.rows.data() + 1, 4));
}

struct Found {
  std::vector<int32_t> rows;
  size_t notices = 0;
  bool failed = false;
  uint64_t position = 0;   ///< to go on from
  size_t rows_before = 0;  ///< rows of groups that ended before `position`
  size_t notices_before = 0;
};

/// Up to `items_max` items.
Found read(const std::string& path, uint64_t position, binlog::PreparedTransactions& prepared, size_t items_max) {
  Found found;
  auto reader = binlog::TransactionReader::open(path, position, &prepared);
  require(reader.ok(), "the file opens");
  binlog::Item item;
  for (size_t i = 0; i < items_max; ++i) {
    const auto state = reader->next(item);
    found.position = reader->resume_position();
    if (!state) {
      require(!state.error().text.empty() && !state.error().remedy.empty(), "an error has a text and a way out");
      found.failed = true;
      break;
    }
    require(*state != binlog::ReadState::incomplete, "every group is whole");
    if (*state == binlog::ReadState::end_of_file) break;
    if (item.kind == binlog::ItemKind::rows) found.rows.push_back(row_id(item));
    if (item.kind != binlog::ItemKind::end) continue;
    if (reader->xa_notice()) ++found.notices;
    found.rows_before = found.rows.size();
    found.notices_before = found.notices;
  }
  return found;
}

void compare(const Found& found, const Expected& expected, size_t rows_done, size_t notices_done) {
  const std::vector<int32_t> rows(expected.rows.begin() + static_cast<std::ptrdiff_t>(rows_done), expected.rows.end());
  require(found.rows == rows, "the rows are those of the committed transactions, in order");
  require(found.notices == expected.notices - notices_done, "what is lost is told");
  require(found.failed == expected.fails, "rows in doubt are an error");
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  static fuzz::MemoryFile file;
  fuzz::Input input(data, size);
  const size_t stop = input.byte();
  fuzz::Script script(input);
  file.write(script.bytes());
  binlog::PreparedTransactions whole;
  fuzz::compare(fuzz::read(file.path(), 0, whole, SIZE_MAX), script.expected(), 0, 0);
  fuzz::require(whole.all().size() == script.prepared().size(), "what has no verdict is known");
  // Stopped after some items, and gone on with what was kept then.
  binlog::PreparedTransactions first;
  const fuzz::Found before = fuzz::read(file.path(), 0, first, stop);
  std::string bytes;
  first.serialise(bytes);
  binlog::PreparedTransactions rest;
  fuzz::require(rest.deserialise(bytes) && rest.all() == first.all(), "prepared transactions survive their bytes");
  fuzz::compare(fuzz::read(file.path(), before.position, rest, SIZE_MAX), script.expected(), before.rows_before,
                before.notices_before);
  fuzz::require(rest.all() == whole.all(), "and end as the same");
  return 0;
}
