// SPDX-License-Identifier: Apache-2.0
// Streams the events of a TRANSACTION_PAYLOAD. One thread at a time.
#include "binlog/transaction_payload.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint64_t kCompressionZstd = 0;
constexpr uint64_t kCompressionNone = 255;
constexpr size_t kBufferBytes = size_t{256} << 10;

enum Field : uint64_t { kEndOfFields = 0, kPayloadSize = 1, kCompression = 2, kUncompressedSize = 3 };

DecodeError corrupt(std::string text) {
  return {ErrorKind::corrupt, std::move(text), {}, 0, {}};
}

struct FreeStream {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

struct PayloadReader::State {
  std::unique_ptr<ZSTD_DCtx, FreeStream> stream{ZSTD_createDCtx()};
  std::span<const uint8_t> payload;
  uint64_t compression = kCompressionZstd;
  uint64_t declared_bytes = 0;  // of all events, uncompressed; 0 = not written
  uint64_t position = 0;
  uint64_t next_position = 0;
  size_t consumed = 0;     // of payload
  bool frame_done = true;  // no frame is open
  std::vector<uint8_t> buffer;
  size_t begin = 0;  // unread bytes of buffer: [begin, end)
  size_t end = 0;

  Outcome<bool> fill(size_t bytes);
  Checked inflate_some();
};

PayloadReader::PayloadReader() : state_(std::make_unique<State>()) {}
PayloadReader::PayloadReader(PayloadReader&&) noexcept = default;
PayloadReader& PayloadReader::operator=(PayloadReader&&) noexcept = default;
PayloadReader::~PayloadReader() = default;

Checked PayloadReader::open(const EventView& event) {
  ByteCursor cursor(event.body);
  uint64_t payload_size = 0;
  state_->compression = kCompressionZstd;
  state_->declared_bytes = 0;
  bool ended = false;
  while (cursor.ok() && !cursor.at_end() && !ended) {
    const uint64_t field = cursor.length_encoded();
    if (field == kEndOfFields) {
      ended = true;
      break;
    }
    ByteCursor value(cursor.bytes(cursor.length_encoded()));
    const uint64_t number = value.length_encoded();
    if (!value.ok()) return corrupt("TRANSACTION_PAYLOAD has a damaged field");
    if (field == kCompression) state_->compression = number;
    if (field == kPayloadSize) payload_size = number;
    if (field == kUncompressedSize) state_->declared_bytes = number;
  }
  state_->payload = cursor.rest();
  if (!cursor.ok() || !ended) return corrupt("TRANSACTION_PAYLOAD is cut short");
  if (state_->compression != kCompressionZstd && state_->compression != kCompressionNone) {
    return DecodeError{ErrorKind::unsupported,
                       "TRANSACTION_PAYLOAD with compression " + std::to_string(state_->compression),
                       {},
                       0,
                       "only zstd (0) and none (255) are known: set binlog_transaction_compression=OFF on the source"};
  }
  if (payload_size != state_->payload.size()) {
    return corrupt("TRANSACTION_PAYLOAD holds " + std::to_string(state_->payload.size()) + " bytes but says " +
                   std::to_string(payload_size));
  }
  state_->position = event.position;
  state_->next_position = event.next_position;
  restart();
  return Done{};
}

void PayloadReader::restart() {
  ZSTD_DCtx_reset(state_->stream.get(), ZSTD_reset_session_only);
  state_->consumed = 0;
  state_->frame_done = true;
  state_->begin = 0;
  state_->end = 0;
}

// One step of decompression into the free end of the buffer.
Checked PayloadReader::State::inflate_some() {
  if (compression == kCompressionNone) {
    const size_t step = std::min(buffer.size() - end, payload.size() - consumed);
    std::memcpy(buffer.data() + end, payload.data() + consumed, step);
    consumed += step;
    end += step;
    return Done{};
  }
  ZSTD_inBuffer in{payload.data(), payload.size(), consumed};
  ZSTD_outBuffer out{buffer.data(), buffer.size(), end};
  const size_t result = ZSTD_decompressStream(stream.get(), &out, &in);
  if (ZSTD_isError(result) != 0) return corrupt(std::string("TRANSACTION_PAYLOAD: ") + ZSTD_getErrorName(result));
  if (in.pos == consumed && out.pos == end) return corrupt("TRANSACTION_PAYLOAD: the zstd stream is cut short");
  consumed = in.pos;
  end = out.pos;
  frame_done = result == 0;
  return Done{};
}

// Makes `bytes` unread bytes available; false if the stream ends exactly here.
Outcome<bool> PayloadReader::State::fill(size_t bytes) {
  while (end - begin < bytes) {
    if (consumed == payload.size() && frame_done) {
      if (begin == end) return false;
      return corrupt("TRANSACTION_PAYLOAD ends inside an event");
    }
    if (begin > 0) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
    // Grown as bytes really come, not as a size claims, and to no more than the event takes.
    if (end == buffer.size()) buffer.resize(std::max(std::min(buffer.size() * 2, bytes), kBufferBytes));
    if (auto done = inflate_some(); !done) return std::move(done).error();
  }
  return true;
}

Outcome<bool> PayloadReader::next(EventView& out) {
  auto more = state_->fill(kHeaderBytes);
  if (!more || !*more) return more;
  out.header = parse_header({state_->buffer.data() + state_->begin, kHeaderBytes});
  if (!event_size_legal(out.header)) return corrupt("inside TRANSACTION_PAYLOAD: " + event_size_error(out.header));
  if (state_->declared_bytes != 0 && out.header.size > state_->declared_bytes) {
    return corrupt("inside TRANSACTION_PAYLOAD: an event of " + std::to_string(out.header.size) +
                   " bytes, but all events together have " + std::to_string(state_->declared_bytes));
  }
  more = state_->fill(out.header.size);
  if (!more) return more;
  out.body = {state_->buffer.data() + state_->begin + kHeaderBytes, out.header.size - kHeaderBytes};
  out.position = state_->position;
  out.next_position = state_->next_position;
  out.inside_payload = true;
  state_->begin += out.header.size;
  return true;
}

}  // namespace tidemark::binlog
