// SPDX-License-Identifier: Apache-2.0
//
// IngestComponent, the part that carries truncations out: the kept rows of the table come as deletes, batch by batch,
// through the path of all rows. Until they have all come the split's reader is not polled; a barrier in between keeps
// what was taken out and the truncation itself, which goes on after a restart.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log.hpp"
#include "core/runtime/ingest_component.hpp"

namespace tidemark::core {
namespace {

std::string what_of(const Truncation& truncation) {
  if (truncation.database.empty()) return "all tables";
  return truncation.database + "." + (truncation.table.empty() ? "*" : truncation.table);
}

}  // namespace

// Takes the truncate off the batch's end.
void IngestComponent::begin_truncation(SourceReader& reader, SplitSlot& split, Batch& batch) {
  const uint32_t row = --batch.rows;
  Truncation& begun = split.truncation.emplace();
  begun.event_time_us = batch.event_time_us[row];
  begun.sequence = batch.sequence[row];
  ++reader.truncations;
  const Origin* origin = batch.origin_of(row);
  if (origin == nullptr) return;
  begun.database = batch.bytes_of(origin->database);
  begun.table = batch.bytes_of(origin->table);
  begun.gtid = batch.bytes_of(origin->gtid);
  begun.file = batch.bytes_of(origin->file);
  begun.position = origin->position;
  begun.schema_version = origin->schema_version;
  begun.commit_time_us = origin->commit_time_us;
}

// One batch of one split. True when more can be done at once.
Result<bool> IngestComponent::go_on_truncating(SourceReader& reader) {
  const auto found = std::find_if(reader.splits.begin(), reader.splits.end(),
                                  [](const auto& split) { return split->truncation.has_value(); });
  SplitSlot& split = **found;
  auto batch = lanes_have_room() ? reader.pool->acquire() : nullptr;
  if (batch == nullptr) return false;  // room and credit come with a wake-up
  batch->split = split.id;
  auto more = split.kept->take_out(*split.truncation, *batch);
  if (!more) return more.status();
  if (kept_bytes() > kept_bytes_max_) wiring_.coordinator->ask_early();
  split.truncation->rows += batch->rows;
  split.rows_truncated += batch->rows;
  if (batch->rows > 0) {
    if (Status counted = count_batch(reader, split, std::move(batch)); !counted) return counted;
  } else {
    reader.pool->recycle(std::move(batch));
  }
  if (*more) return true;
  const Truncation done = *std::exchange(split.truncation, std::nullopt);
  --reader.truncations;
  reader.expect_more(split);
  log_info(
      fmt::format("source {}, split {}: {} was emptied without row events{}: its {} rows are taken out of the results",
                  plan_.sources[reader.source].id, (*wiring_.splits)[split.id].name, what_of(done),
                  done.file.empty() ? "" : fmt::format(" at {}:{}", done.file, done.position), done.rows));
  return true;
}

size_t IngestComponent::kept_bytes() const {
  if (!keeps_rows_) return 0;
  size_t sum = 0;
  for (const auto& reader : readers_) {
    for (const auto& split : reader->splits) sum += split->kept == nullptr ? 0 : split->kept->bytes();
  }
  return sum;
}

}  // namespace tidemark::core
