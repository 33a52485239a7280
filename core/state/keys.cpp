// SPDX-License-Identifier: Apache-2.0
//
// Building and taking apart of state keys. A change here is a change of the state format.
#include "core/state/keys.hpp"

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kRunAt = 2 + 8 + 2;
constexpr size_t kPageKeySize = kRunAt + 1 + 8 + 4 + 4;
/// Of earlier versions: without run and part, which are 0.
constexpr size_t kShortPageKeySize = kRunAt + 1 + 8;

void append_name(std::string& out, std::string_view name) {
  append_ordered_u64(out, name.size(), 4);
  out += name;
}

}  // namespace

std::string operator_prefix(uint16_t operator_id) {
  std::string out;
  append_ordered_u64(out, operator_id, 2);
  return out;
}

std::string group_prefix(uint16_t operator_id, Micros pane_end, uint32_t key_group) {
  std::string out = operator_prefix(operator_id);
  out.reserve(kPageKeySize);
  append_ordered_i64(out, pane_end);
  append_ordered_u64(out, key_group, 2);
  return out;
}

std::string encode_page_key(const PageKey& key) {
  std::string out = group_prefix(key.operator_id, key.pane_end, key.key_group);
  out.push_back(static_cast<char>(key.run.kind));
  append_ordered_u64(out, key.run.epoch);
  append_ordered_u64(out, key.run.number, 4);
  append_ordered_u64(out, key.part, 4);
  return out;
}

std::optional<PageKey> decode_page_key(std::string_view key) {
  const bool is_short = key.size() == kShortPageKeySize;
  if (!is_short && key.size() != kPageKeySize) return std::nullopt;
  if (static_cast<uint8_t>(key[kRunAt]) > static_cast<uint8_t>(PageKind::addend)) return std::nullopt;
  PageKey out;
  out.operator_id = static_cast<uint16_t>(read_ordered_u64(key.substr(0, 2)));
  out.pane_end = read_ordered_i64(key.substr(2, 8));
  out.key_group = static_cast<uint16_t>(read_ordered_u64(key.substr(10, 2)));
  out.run.kind = static_cast<PageKind>(key[kRunAt]);
  out.run.epoch = read_ordered_u64(key.substr(kRunAt + 1, 8));
  if (is_short) return out;
  out.run.number = static_cast<uint32_t>(read_ordered_u64(key.substr(kRunAt + 9, 4)));
  out.part = static_cast<uint32_t>(read_ordered_u64(key.substr(kRunAt + 13, 4)));
  return out;
}

std::string run_begin(const PageKey& key) {
  PageKey first = key;
  first.part = 0;
  std::string out = encode_page_key(first);
  if (key.run.number == 0) out.resize(kShortPageKeySize);
  return out;
}

std::string run_end(const PageKey& key) {
  PageKey next = key;
  next.part = 0;
  ++next.run.number;
  return encode_page_key(next);
}

std::string describe(const PageKey& key) {
  constexpr const char* kKinds[] = {"base", "delta", "addend"};
  std::string out = std::string(kKinds[static_cast<size_t>(key.run.kind)]) + " page of epoch " +
                    std::to_string(key.run.epoch) + " of operator " + std::to_string(key.operator_id) +
                    ", pane ending " + format_rfc3339(key.pane_end) + ", key group " + std::to_string(key.key_group);
  if (key.run.number > 0) out += ", run " + std::to_string(key.run.number);
  if (key.part > 0) out += ", part " + std::to_string(key.part);
  return out;
}

std::string ahead_prefix(uint64_t epoch) {
  std::string out(kMetaAhead);
  append_ordered_u64(out, epoch);
  return out;
}

std::string source_key(std::string_view source, std::string_view split) {
  std::string out(source);
  out.push_back('\0');
  out += split;
  return out;
}

std::optional<std::pair<std::string_view, std::string_view>> split_source_key(std::string_view key) {
  const size_t zero = key.find('\0');
  if (zero == std::string_view::npos) return std::nullopt;
  return std::pair(key.substr(0, zero), key.substr(zero + 1));
}

std::string rows_prefix(std::string_view source, std::string_view split) {
  std::string out;
  append_name(out, source);
  append_name(out, split);
  return out;
}

std::string rows_prefix(std::string_view source, std::string_view split, std::string_view database) {
  std::string out = rows_prefix(source, split);
  append_name(out, database);
  return out;
}

std::string rows_prefix(std::string_view source, std::string_view split, std::string_view database,
                        std::string_view table) {
  std::string out = rows_prefix(source, split, database);
  append_name(out, table);
  return out;
}

std::string sink_key(std::string_view sink) {
  return std::string(sink);
}

std::string left_out_key(std::string_view source_key) {
  return std::string(kMetaLeftOut).append(source_key);
}

std::string operator_key(uint16_t operator_id) {
  std::string out(kMetaOperators);
  append_ordered_u64(out, operator_id, 2);
  return out;
}

}  // namespace tidemark::core
