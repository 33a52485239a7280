// SPDX-License-Identifier: Apache-2.0
//
// Building and taking apart of state keys. A change here is a change of the state format.
#include "core/state/keys.hpp"

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kPageKeySize = 2 + 8 + 2 + 1 + 8;

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
  out.push_back(static_cast<char>(key.kind));
  append_ordered_u64(out, key.epoch);
  return out;
}

std::optional<PageKey> decode_page_key(std::string_view key) {
  if (key.size() != kPageKeySize || static_cast<uint8_t>(key[12]) > 1) return std::nullopt;
  PageKey out;
  out.operator_id = static_cast<uint16_t>(read_ordered_u64(key.substr(0, 2)));
  out.pane_end = read_ordered_i64(key.substr(2, 8));
  out.key_group = static_cast<uint16_t>(read_ordered_u64(key.substr(10, 2)));
  out.kind = static_cast<PageKind>(key[12]);
  out.epoch = read_ordered_u64(key.substr(13, 8));
  return out;
}

std::string describe(const PageKey& key) {
  return std::string(key.kind == PageKind::base ? "base" : "delta") + " page of epoch " + std::to_string(key.epoch) +
         " of operator " + std::to_string(key.operator_id) + ", pane ending " + format_rfc3339(key.pane_end) +
         ", key group " + std::to_string(key.key_group);
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
