// SPDX-License-Identifier: Apache-2.0
// See the header. Searched from the front: servers hold some hundreds of prepared transactions at most.
// Any thread.
#include "binlog/prepared_transactions.hpp"

#include <algorithm>
#include <limits>

#include "binlog/state_bytes.hpp"

namespace tidemark::binlog {

namespace {

bool read_u32(StateReader& reader, uint32_t& out) {
  const uint64_t value = reader.integer();
  out = static_cast<uint32_t>(value);
  return value <= std::numeric_limits<uint32_t>::max();
}

bool read_one(StateReader& reader, PreparedTransaction& one) {
  if (!read_u32(reader, one.xid.format_id)) return false;
  one.xid.gtrid = reader.text();
  one.xid.bqual = reader.text();
  one.file = reader.text();
  one.position = reader.integer();
  if (!read_u32(reader, one.file_timestamp_s) || !read_u32(reader, one.file_server_id)) return false;
  one.row_events = reader.integer();
  one.gtid = reader.text();
  // A name is one of a file in the directory of the log, whoever wrote the bytes.
  return reader.ok() && !one.file.empty() && one.file.find('/') == std::string::npos;
}

}  // namespace

void PreparedTransactions::remember(PreparedTransaction transaction) {
  forget(transaction.xid);
  all_.push_back(std::move(transaction));
}

void PreparedTransactions::forget(const Xid& xid) {
  std::erase_if(all_, [&](const PreparedTransaction& one) { return one.xid == xid; });
}

const PreparedTransaction* PreparedTransactions::find(const Xid& xid) const {
  const auto found = std::ranges::find_if(all_, [&](const PreparedTransaction& one) { return one.xid == xid; });
  return found == all_.end() ? nullptr : &*found;
}

std::string PreparedTransactions::pending_text() const {
  uint64_t row_events = 0;
  for (const PreparedTransaction& one : all_) row_events += one.row_events;
  const PreparedTransaction& first = all_.front();
  return std::to_string(all_.size()) + (all_.size() == 1 ? " XA transaction is" : " XA transactions are") +
         " prepared without XA COMMIT or XA ROLLBACK at the end of the log (the first: " + first.xid.to_text() +
         " at " + first.place() + "): " + std::to_string(row_events) + " row events are in no result";
}

void PreparedTransactions::serialise(std::string& out) const {
  StateWriter writer(out);
  writer.integer(all_.size());
  for (const PreparedTransaction& one : all_) {
    writer.integer(one.xid.format_id);
    writer.text(one.xid.gtrid);
    writer.text(one.xid.bqual);
    writer.text(one.file);
    writer.integer(one.position);
    writer.integer(one.file_timestamp_s);
    writer.integer(one.file_server_id);
    writer.integer(one.row_events);
    writer.text(one.gtid);
  }
}

bool PreparedTransactions::deserialise(std::string_view bytes) {
  all_.clear();
  StateReader reader(bytes);
  std::vector<PreparedTransaction> read;
  for (uint64_t left = reader.count(); left > 0; --left) {
    PreparedTransaction one;
    if (!read_one(reader, one)) return false;
    const auto same = [&](const PreparedTransaction& other) { return other.xid == one.xid; };
    if (std::ranges::any_of(read, same)) return false;
    read.push_back(std::move(one));
  }
  if (!reader.at_end()) return false;
  all_ = std::move(read);
  return true;
}

}  // namespace tidemark::binlog
