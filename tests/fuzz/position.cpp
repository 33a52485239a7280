// SPDX-License-Identifier: Apache-2.0
// Fuzz target: stored positions of the binlog file source and the schema tracker's state inside them. The first byte
// chooses: the position as it is, with its checksum put right, the tracker's bytes alone, or those of the prepared XA
// transactions. One thread.
#include "binlog_file/split_position.hpp"

#include <libdeflate.h>

#include <string>
#include <tidemark/errors.hpp>

#include "binlog/prepared_transactions.hpp"
#include "binlog/schema_tracker.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace tidemark::fuzz {
namespace {

constexpr size_t kChecksumBytes = 4;

void read_tracker(std::string_view bytes) {
  binlog::SchemaTracker tracker;
  if (!tracker.deserialise(bytes)) {
    require(tracker.known_tables().empty() && tracker.revision() == 0, "a refused tracker is empty");
    return;
  }
  std::string first;
  tracker.serialise(first);
  binlog::SchemaTracker copy;
  require(copy.deserialise(first), "a tracker reads what it wrote");
  std::string second;
  copy.serialise(second);
  require(first == second, "a tracker's bytes survive");
  copy.on_statement("shop", "ALTER TABLE t ADD COLUMN fresh INT FIRST", "fuzz", 4);
}

void read_prepared(std::string_view bytes) {
  binlog::PreparedTransactions prepared;
  if (!prepared.deserialise(bytes)) {
    require(prepared.empty(), "refused bytes leave nothing");
    return;
  }
  std::string again;
  prepared.serialise(again);
  binlog::PreparedTransactions copy;
  require(copy.deserialise(again) && copy.all() == prepared.all(), "prepared transactions survive their bytes");
}

void put_checksum(std::string& bytes) {
  if (bytes.size() < kChecksumBytes) return;
  const size_t checked = bytes.size() - kChecksumBytes;
  const uint32_t sum = libdeflate_crc32(0, bytes.data(), checked);
  for (size_t i = 0; i < kChecksumBytes; ++i) bytes[checked + i] = static_cast<char>(sum >> (8 * i) & 0xff);
}

void read_position(const std::string& bytes) {
  try {
    const binlog_file::SplitPosition position = binlog_file::decode_position(bytes);
    const binlog_file::SplitPosition again = binlog_file::decode_position(binlog_file::encode_position(position));
    require(again.file == position.file && again.offset == position.offset && again.schemas == position.schemas &&
                again.prepared == position.prepared,
            "a position survives its bytes");
    read_tracker(position.schemas);
    read_prepared(position.prepared);
  } catch (const SourceError& error) {
    require(error.kind() == ErrorKind::state, "a damaged position is an error of kind state");
  }
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark::fuzz;
  Input input(data, size);
  const uint8_t what = input.byte() % 4;
  std::string bytes(text_of(input.rest()));
  if (what == 2) {
    read_tracker(bytes);
    return 0;
  }
  if (what == 3) {
    read_prepared(bytes);
    return 0;
  }
  if (what == 1) put_checksum(bytes);
  read_position(bytes);
  return 0;
}
