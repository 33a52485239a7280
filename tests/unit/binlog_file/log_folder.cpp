// SPDX-License-Identifier: Apache-2.0
// See the header. One thread.
#include "tests/unit/binlog_file/log_folder.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace tidemark::test {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool any_contains(const Texts& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return contains(text, part); });
}

void write_with_other_first_event(const std::string& file) {
  std::vector<uint8_t> bytes = read_bytes(file);
  bytes[4] ^= 1;
  const size_t end = 4 + static_cast<size_t>(bytes[13] | bytes[14] << 8);
  bytes[21] = 0;  // the checksum is that without the in-use flag
  binlog::Bytes sum;
  binlog::put_le(sum, libdeflate_crc32(0, bytes.data() + 4, end - 8), 4);
  std::copy(sum.begin(), sum.end(), bytes.begin() + static_cast<std::ptrdiff_t>(end) - 4);
  write_bytes(file + ".new", bytes);
  std::filesystem::rename(file + ".new", file);
}

size_t wait_for_rows(PluginReader& reader, size_t rows) {
  for (int i = 0; i < 2000 && reader.error().empty() && reader.rows(0).size() < rows; ++i) {
    if (reader.poll() == TIDEMARK_NOTHING) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return reader.rows(0).size();
}

std::string wait_for_error(PluginReader& reader) {
  wait_for_rows(reader, SIZE_MAX);
  return reader.error();
}

void write_resume_log(const std::filesystem::path& folder) {
  TableLog first;
  first.ddl("CREATE TABLE t (id INT, v INT)");
  first.ddl("CREATE TABLE noise (id INT)");
  first.insert(kT, {{int64_t{1}, int64_t{1}}});
  first.insert({"noise", "i", "db", 20}, {{int64_t{1}}});
  std::vector<Cells> many, pairs;
  for (int64_t i = 0; i < 30; ++i) {
    many.push_back({100 + i, i});
    pairs.push_back({100 + i, i});
    pairs.push_back({100 + i, -i});
  }
  first.insert(kT, many);
  first.ddl("ALTER TABLE t ADD w INT FIRST");
  first.rotate("binlog.000002");
  first.write(folder / "binlog.000001");
  TableLog second;
  const LogTable wider{"t", "iii", "db", 30};
  for (Cells& cells : pairs) cells.insert(cells.begin(), Cell{});
  second.update(wider, pairs);
  second.gtid();
  second.log.begin();
  second.log.xid();
  second.remove(wider, {{Cell{}, int64_t{1}, int64_t{1}}});
  second.ddl("ALTER TABLE t DROP v");
  second.insert({"t", "ii", "db", 31}, {{int64_t{9}, int64_t{2}}});
  second.write(folder / "binlog.000002");
}

}  // namespace tidemark::test
