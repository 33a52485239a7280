// SPDX-License-Identifier: Apache-2.0
// See the header. Text is decoded straight into the heap where there is room for the worst case, else through a buffer,
// so that it asks for no more than it takes.
#include "binlog/text_conversion.hpp"

#include <cstring>
#include <vector>

#include "binlog/address_text.hpp"
#include "binlog/charset_decoder.hpp"
#include "binlog/compressed_value.hpp"

namespace tidemark::binlog {

namespace {

constexpr size_t kScratchKept = size_t{1} << 20;

CellResult put_text(const CharsetDecoder& charset, const uint8_t* at, uint64_t size, void* value, HeapWriter& heap) {
  const uint64_t most = size * CharsetDecoder::kGrowth + CharsetDecoder::kSlack;
  if (heap.has_room(most)) {
    const DecodedText text = charset.decode(at, static_cast<size_t>(size), heap.next());
    heap.keep(text.size, value);
    return text.replaced == 0 ? CellResult::value : CellResult::invalid_text;
  }
  if (!heap.has_room(charset.measure(at, static_cast<size_t>(size)).size)) return CellResult::heap_full;
  std::vector<char> buffer(static_cast<size_t>(most));
  const DecodedText text = charset.decode(at, static_cast<size_t>(size), buffer.data());
  heap.put(buffer.data(), text.size, value);
  return text.replaced == 0 ? CellResult::value : CellResult::invalid_text;
}

/// The thread's buffer for inflated values; large ones are not kept.
class Scratch {
 public:
  Scratch() {
    if (bytes_.capacity() > kScratchKept) std::vector<uint8_t>().swap(bytes_);
  }
  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  static thread_local std::vector<uint8_t> bytes_;
};
thread_local std::vector<uint8_t> Scratch::bytes_;

/// UUID, INET: trailing zeros were cut.
template <uint32_t kBytes, uint32_t kTextMax, char* (*kWrite)(const uint8_t*, char*)>
CellResult put_address(const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  uint8_t bytes[kBytes] = {};
  if (size > kBytes) return CellResult::undecodable;
  if (size != 0) std::memcpy(bytes, at, size);
  char text[kTextMax];
  const char* end = kWrite(bytes, text);
  return heap.put(text, static_cast<uint64_t>(end - text), value);
}

}  // namespace

CellResult convert_utf8(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  if (self.charset->is_valid_utf8(at, size)) return heap.put(at, size, value);
  return put_text(*self.charset, at, size, value, heap);
}

CellResult convert_text(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  return put_text(*self.charset, at, size, value, heap);
}

CellResult convert_compressed_text(const Conversion& self, const uint8_t* at, uint32_t size, void* value,
                                   HeapWriter& heap) {
  Scratch scratch;
  const auto content = inflate_value({at, size}, self.size_max, scratch.bytes());
  if (!content) return CellResult::undecodable;
  return put_text(*self.charset, content->data(), content->size(), value, heap);
}

CellResult convert_compressed_bytes(const Conversion& self, const uint8_t* at, uint32_t size, void* value,
                                    HeapWriter& heap) {
  // Before inflating, as a full heap is met once per batch.
  if (!heap.has_room(stated_size({at, size}, self.size_max))) return CellResult::heap_full;
  Scratch scratch;
  const auto content = inflate_value({at, size}, self.size_max, scratch.bytes());
  return content ? heap.put(content->data(), content->size(), value) : CellResult::undecodable;
}

CellResult convert_uuid(const Conversion&, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  return put_address<16, kUuidTextBytes, write_uuid>(at, size, value, heap);
}
CellResult convert_inet4(const Conversion&, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  return put_address<4, kInet4TextBytesMax, write_inet4>(at, size, value, heap);
}
CellResult convert_inet6(const Conversion&, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  return put_address<16, kInet6TextBytesMax, write_inet6>(at, size, value, heap);
}

uint64_t text_heap_bytes(const Conversion& self, const uint8_t* at, uint32_t size) {
  return self.charset->measure(at, size).size;
}

uint64_t compressed_text_heap_bytes(const Conversion& self, const uint8_t* at, uint32_t size) {
  Scratch scratch;
  const auto content = inflate_value({at, size}, self.size_max, scratch.bytes());
  return content ? self.charset->measure(content->data(), content->size()).size : 0;
}

uint64_t compressed_bytes_heap_bytes(const Conversion& self, const uint8_t* at, uint32_t size) {
  return stated_size({at, size}, self.size_max);
}

}  // namespace tidemark::binlog
