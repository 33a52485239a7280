// SPDX-License-Identifier: Apache-2.0
// See the header. Sizes inside a document are 16 bits in small containers, 32 in large ones. Any thread; no state.
#include "binlog/json_binary.hpp"

#include <bit>
#include <cmath>

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

int64_t sign_extended(uint64_t raw, uint32_t bytes) {
  const uint32_t shift = 64 - 8 * bytes;
  return static_cast<int64_t>(raw << shift) >> shift;
}

std::optional<JsonScalar> read_fixed(const JsonSlot& slot, uint32_t bytes) {
  const uint64_t raw = load_le(slot.at, bytes);
  JsonScalar out;
  switch (slot.type) {
    case JsonType::literal:
      if (raw > 2) return std::nullopt;
      out.kind = raw == 0 ? JsonKind::null : raw == 1 ? JsonKind::true_ : JsonKind::false_;
      break;
    case JsonType::uint16:
    case JsonType::uint32:
    case JsonType::uint64:
      out.kind = JsonKind::unsigned_;
      out.bits = raw;
      break;
    case JsonType::double_:
      out.kind = JsonKind::number;
      out.number = std::bit_cast<double>(raw);
      if (!std::isfinite(out.number)) return std::nullopt;
      break;
    default:
      out.kind = JsonKind::integer;
      out.integer = sign_extended(raw, bytes);
  }
  return out;
}

// A length of 7 bits per byte, low first, and that many bytes behind it. False = they are not there.
bool read_run(const uint8_t*& at, const uint8_t* end, std::string_view& out) {
  uint64_t length = 0;
  for (uint32_t shift = 0; shift < 35; shift += 7) {
    if (at == end) return false;
    const uint8_t byte = *at++;
    length |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) != 0) continue;
    if (length > static_cast<uint64_t>(end - at)) return false;
    out = {reinterpret_cast<const char*>(at), static_cast<size_t>(length)};
    at += length;
    return true;
  }
  return false;
}

}  // namespace

std::optional<JsonSlot> json_root(std::span<const uint8_t> document, JsonBudget& budget) {
  static constexpr uint8_t kNullLiteral = 0;
  if (document.empty()) return JsonSlot{&kNullLiteral, 1, JsonType::literal};
  if (document.size() > UINT32_MAX || !json_detail::known_type(document[0]) || !budget.take(json_detail::kTypeBytes))
    return std::nullopt;
  return JsonSlot{document.data() + json_detail::kTypeBytes,
                  static_cast<uint32_t>(document.size() - json_detail::kTypeBytes), static_cast<JsonType>(document[0])};
}

std::optional<JsonContainer> JsonContainer::open(const JsonSlot& slot, JsonBudget& budget) {
  JsonContainer out;
  out.object_ = slot.is_object();
  out.large_ = slot.type == JsonType::large_object || slot.type == JsonType::large_array;
  const uint32_t width = out.large_ ? 4 : 2;
  if (slot.size < 2 * width) return std::nullopt;
  out.at_ = slot.at;
  out.count_ = static_cast<uint32_t>(load_le(slot.at, width));
  out.bytes_ = static_cast<uint32_t>(load_le(slot.at + width, width));
  if (out.bytes_ > slot.size) return std::nullopt;
  const uint64_t keys = out.object_ ? uint64_t{out.count_} * (width + json_detail::kKeyLengthBytes) : 0;
  const uint64_t head = uint64_t{2} * width + keys + uint64_t{out.count_} * (json_detail::kTypeBytes + width);
  if (head > out.bytes_ || !budget.take(head)) return std::nullopt;
  out.entries_ = static_cast<uint32_t>(uint64_t{2} * width + keys);
  return out;
}

std::optional<JsonScalar> read_json_scalar(const JsonSlot& slot, JsonBudget& budget) {
  if (const uint32_t bytes = json_detail::fixed_bytes(slot.type); bytes != 0) {
    // What lies in an entry was charged with it.
    const bool charged = bytes <= 4 && slot.size <= 4;
    if (bytes > slot.size || (!charged && !budget.take(bytes))) return std::nullopt;
    return read_fixed(slot, bytes);
  }
  if (slot.type != JsonType::string && slot.type != JsonType::opaque) return std::nullopt;
  JsonScalar out;
  const uint8_t* at = slot.at;
  const uint8_t* const end = slot.at + slot.size;
  out.kind = slot.type == JsonType::string ? JsonKind::string : JsonKind::opaque;
  if (out.kind == JsonKind::opaque) {
    if (at == end) return std::nullopt;
    out.field_type = *at++;
  }
  if (!read_run(at, end, out.bytes) || !budget.take(static_cast<uint64_t>(at - slot.at))) return std::nullopt;
  return out;
}

}  // namespace tidemark::binlog
