// SPDX-License-Identifier: Apache-2.0
// See the header. Space between the transactions is ignorable events, of which the headers alone are written.
// One thread.
#include "tests/unit/binlog/wrapped_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "tests/unit/binlog/binlog_builder.hpp"

namespace tidemark::binlog {
namespace {

constexpr uint64_t kWrap = uint64_t{1} << 32;

class SparseFile {
 public:
  explicit SparseFile(const std::filesystem::path& file)
      : out_(file, std::filesystem::exists(file) ? std::ios::binary | std::ios::in | std::ios::out
                                                 : std::ios::binary | std::ios::out) {}

  void put(const Bytes& bytes) {
    out_.seekp(static_cast<std::streamoff>(position_));
    out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    position_ += bytes.size();
  }
  void event(EventType type, const Bytes& body) { put(make_event(type, body, position_, false)); }
  void fill_up_to(uint64_t position) {
    while (position_ < position) {
      uint64_t size = std::min<uint64_t>(kEventBytesMax, position - position_);
      if (position - position_ - size < kHeaderBytes && position - position_ != size) size -= kHeaderBytes;
      Bytes header = make_event(EventType::ignorable, {}, position_, false, kFlagIgnorable);
      const uint64_t start = position_;
      for (size_t i = 0; i < 4; ++i) {
        header[9 + i] = static_cast<uint8_t>(size >> (8 * i));
        header[13 + i] = static_cast<uint8_t>((start + size) >> (8 * i));
      }
      put(header);
      position_ = start + size;
    }
  }
  uint64_t position() const { return position_; }

 private:
  std::ofstream out_;
  uint64_t position_ = 0;
};

Bytes gtid_body(uint64_t number) {
  Bytes body{1};
  for (uint8_t i = 0; i < 16; ++i) body.push_back(i);
  put_le(body, number, 8);
  return body;
}

}  // namespace

WrappedLog write_wrapped_log(const std::filesystem::path& file, size_t transactions) {
  SparseFile out(file);
  WrappedLog log{{}, {}, {4294954865, 4294962881, kWrap + 3601, kWrap + 11617}};
  out.put(BinlogBuilder({"8.4.3", false, false}).bytes());
  log.row_ends.resize(transactions);
  for (size_t i = 0; i < transactions; ++i) {
    const std::pair<EventType, Bytes> events[] = {
        {EventType::gtid, gtid_body(i + 1)},
        {EventType::query, query_body("BEGIN", "db")},
        {EventType::table_map, table_map_body("t", 7)},
        {EventType::write_rows_v1, insert_body(static_cast<int32_t>(i + 1), "1", 7)}};
    uint64_t size = 0;
    for (const auto& [type, body] : events) size += kHeaderBytes + body.size();
    out.fill_up_to(log.row_ends[i] - size);
    log.starts.push_back(out.position());
    for (const auto& [type, body] : events) out.event(type, body);
    out.event(EventType::xid, Bytes(8));
    log.ends.push_back(out.position());
  }
  return log;
}

}  // namespace tidemark::binlog
