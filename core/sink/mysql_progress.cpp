// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/sink/mysql_progress.hpp"

#include <fmt/format.h>

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr uint8_t kVersion = 1;

Status refuse(std::string text) {
  return {Code::state, std::move(text)};
}

}  // namespace

std::string encode(const MysqlProgress& progress) {
  std::string out;
  ByteWriter writer(out);
  writer.fixed(static_cast<uint8_t>(kMysqlProgressFormat));
  writer.fixed(kVersion);
  writer.text(progress.state);
  writer.fixed(progress.previous);
  writer.fixed(progress.epoch);
  writer.fixed(progress.rows);
  writer.text(progress.outbox);
  writer.fixed(crc32(out));
  return out;
}

Result<MysqlProgress> decode_mysql_progress(std::string_view bytes) {
  const size_t body = bytes.size() < sizeof(uint32_t) ? 0 : bytes.size() - sizeof(uint32_t);
  ByteReader tail(bytes.substr(body));
  ByteReader reader(bytes.substr(0, body));
  if (body == 0 || tail.fixed<uint32_t>() != crc32(bytes.substr(0, body))) {
    return Status(Code::damage, "the sink's progress is damaged: its checksum differs");
  }
  if (reader.fixed<uint8_t>() != kMysqlProgressFormat || reader.fixed<uint8_t>() != kVersion) {
    return refuse("the sink's progress is of another type or version of sink");
  }
  MysqlProgress out;
  out.state = reader.text();
  out.previous = reader.fixed<uint64_t>();
  out.epoch = reader.fixed<uint64_t>();
  out.rows = reader.fixed<uint64_t>();
  out.outbox = reader.text();
  if (!reader.ok() || !reader.at_end())
    return Status(Code::damage, "the sink's progress is damaged: sizes do not add up");
  return out;
}

Result<bool> must_write(const MysqlProgress& progress, bool at_hand, const std::optional<TargetEpoch>& target,
                        const std::string& where) {
  const uint64_t known = at_hand ? progress.previous : progress.epoch;  // what the target has for certain
  if (!target) {
    if (known == 0) return progress.epoch > 0;
    return refuse(fmt::format(
        "{} is not there, but by this job's state the results up to epoch {} are in the target; restore the target, or "
        "empty the table and start over with another state path",
        where, known));
  }
  if (target->state != progress.state) {
    return refuse(fmt::format(
        "{} was written from another state (id {}, epoch {}; this one has id {}): another run writes to this table, or "
        "the state was removed, or the sink was out of the job, since; start with the state that belongs to it, give "
        "this job another name or table, or empty the table and delete that row to begin anew",
        where, target->state, target->epoch, progress.state));
  }
  if (target->epoch == progress.epoch) return false;
  if (target->epoch > progress.epoch) {
    return refuse(fmt::format(
        "{} is at epoch {}, ahead of this job's state, which is at epoch {}: the state was set back to an older one; "
        "start with the newest state; or, if it was set back on purpose (tidemark checkpoint restore) and newer "
        "results "
        "may be written over, set the epoch in that row to {}; or empty the table, delete that row and start over with "
        "another state path",
        where, target->epoch, progress.epoch, progress.epoch));
  }
  if (target->epoch == known) return true;
  return refuse(fmt::format(
      "{} is at epoch {}, behind what this job's state says is there (epoch {}): the target was set back to an older "
      "copy; restore the newer one, or empty the table, delete that row and start over with another state path",
      where, target->epoch, known));
}

}  // namespace tidemark::core
