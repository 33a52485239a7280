// SPDX-License-Identifier: Apache-2.0
// TRANSACTION_PAYLOAD (binlog_transaction_compression): a whole transaction as one zstd stream of events without
// checksums. Decompressed as it is read, through a buffer that grows to the largest event inside, not to the whole.
// Invariants: inner events are framed as strictly as outer ones; the stream ends exactly at an event's end. An event
// inside is at most as large as all events are declared to be, and 1 GiB; the buffer grows only as bytes come.
// One thread at a time. Source: MySQL "Transaction_payload_event".
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"

namespace tidemark::binlog {

class PayloadReader {
 public:
  PayloadReader();
  PayloadReader(PayloadReader&&) noexcept;
  PayloadReader& operator=(PayloadReader&&) noexcept;
  ~PayloadReader();

  /// Starts on a payload event, whose body must stay valid. Errors without file: the caller adds it.
  Checked open(const EventView& event);
  /// From the first inner event again.
  void restart();
  /// The next inner event; false = no more. The view is valid until the next call.
  Outcome<bool> next(EventView& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemark::binlog
