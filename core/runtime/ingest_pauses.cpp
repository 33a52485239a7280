// SPDX-License-Identifier: Apache-2.0
//
// IngestComponent, the part that decides who is not read for now: splits ahead of their alignment group, and what
// failed and is tried again later.
#include <utility>

#include "core/base/log.hpp"
#include "core/runtime/ingest_component.hpp"

namespace tidemark::core {

// What can be tried again is tried again: one split where the source named it and can pause it, else the reader.
Status IngestComponent::take_failure(SourceReader& reader, const Status& error, std::optional<SplitId> failed) {
  const std::string& source = plan_.sources[reader.source].id;
  if (!error.retryable()) return error.with_context("source " + source);
  const Micros now = wiring_.clock->monotonic_us();
  SplitSlot* const split = failed && reader.can_pause ? reader.find(*failed) : nullptr;
  RetryBackoff& retry = split != nullptr ? split->retry : reader.retry;
  if (retry.fail(now)) {
    if (split != nullptr) ++reader.splits_failing;
    log_warn("source " + source + ": " + error.message() + "; it is tried again in " +
             format_duration(retry.wait_us()) + ", then with longer pauses of up to " +
             format_duration(RetryBackoff::kLongestWait));
  }
  if (split != nullptr) {
    reader.expect_more(*split);
    return {};
  }
  for (const auto& slot : reader.splits) {
    if (slot->finished()) continue;
    reader.expect_more(*slot);
    slot->lost_with_reader = slot->lost_with_reader || slot->id == failed || !slot->progress.is_disconnected();
    if (slot->lost_with_reader) publish(reader, *slot, slot->progress.set_disconnected(error.message(), now));
  }
  return {};
}

// A poll of the reader that succeeds ends its own failure. A split's ends with a word of it, or when it had its turn
// and did not fail for as long as the last pause was.
void IngestComponent::note_success(SourceReader& reader) {
  const std::string& source = plan_.sources[reader.source].id;
  if (!reader.retry.failing() && reader.splits_failing == 0) return;
  const Micros now = wiring_.clock->monotonic_us();
  if (reader.retry.failing()) {
    reader.retry.succeed(now);
    log_info("source " + source + ": it can be read again");
    for (const auto& slot : reader.splits) {
      if (!std::exchange(slot->lost_with_reader, false)) continue;
      publish(reader, *slot, slot->progress.set_connected(now));
    }
  }
  for (const auto& slot : reader.splits) {
    if (!slot->retry.failing() || slot->retry.waits(now) || slot->paused) continue;
    const Micros since = now - slot->retry.retry_at_us();
    const bool quiet = reader.had_its_turn(*slot) && since >= slot->retry.wait_us();
    if (!quiet && slot->progress.is_disconnected()) continue;
    slot->retry.succeed(now);
    --reader.splits_failing;
    log_info("source " + source + ", split " + (*wiring_.splits)[slot->id].name + ": it can be read again");
    publish(reader, *slot, slot->progress.set_connected(now));
  }
}

// A split's status tells at once that it waits, or no longer does.
Status IngestComponent::pause_and_resume() {
  const Micros now = wiring_.clock->monotonic_us();
  for (const auto& reader : readers_) {
    if (reader->ended || (reader->alignment == nullptr && reader->splits_failing == 0)) continue;
    if (Status told = reader->pause_and_resume(now); !told) {
      return told.with_context("source " + plan_.sources[reader->source].id);
    }
    for (const auto changed : {reader->last_paused(), reader->last_resumed()}) {
      for (const SplitId split : changed) tick_split(*reader, *reader->find(split), !lanes_have_room(), now);
    }
  }
  return {};
}

}  // namespace tidemark::core
