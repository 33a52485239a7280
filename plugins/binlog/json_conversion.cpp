// SPDX-License-Identifier: Apache-2.0
// See the header. Any thread; no state.
#include "binlog/json_conversion.hpp"

#include "binlog/json_diff.hpp"
#include "binlog/json_text.hpp"

namespace tidemark::binlog {

namespace {

CellResult finish(JsonResult result, const JsonSink& sink, void* value, HeapWriter& heap) {
  if (result == JsonResult::corrupt) return CellResult::undecodable;
  if (sink.full()) return CellResult::heap_full;
  heap.keep(sink.written(), value);
  return CellResult::value;
}

JsonSink sink_on(const HeapWriter& heap) {
  return {heap.next(), heap.capacity - heap.used};
}

}  // namespace

CellResult convert_json(const Conversion&, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  JsonSink sink = sink_on(heap);
  return finish(write_json_text({at, size}, sink), sink, value, heap);
}

uint64_t json_heap_bytes(const Conversion&, const uint8_t* at, uint32_t size) {
  JsonSink counter;
  return write_json_text({at, size}, counter) == JsonResult::ok ? counter.written() : 0;
}

CellResult convert_json_change(const JsonChange& change, void* value, HeapWriter& heap) {
  JsonSink sink = sink_on(heap);
  return finish(write_changed_json(change.document, change.diffs, sink), sink, value, heap);
}

uint64_t json_change_heap_bytes(const JsonChange& change) {
  JsonSink counter;
  return write_changed_json(change.document, change.diffs, counter) == JsonResult::ok ? counter.written() : 0;
}

}  // namespace tidemark::binlog
