// SPDX-License-Identifier: Apache-2.0
//
// Keys of the state families. All numbers are big-endian and signed ones have their sign bit flipped, so that the
// byte order of keys is their logical order: panes by (operator, pane end, key group, base before deltas, epoch),
// which makes closing a pane one range. The layouts are part of the state format. Pure functions.
// (Keys of late rows: late/late_key.hpp.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/time.hpp"

namespace tidemark::core {

enum class PageKind : uint8_t { base = 0, delta = 1 };

/// Key in Family::panes and Family::closed.
struct PageKey {
  uint16_t operator_id = 0;
  Micros pane_end = 0;
  uint16_t key_group = 0;
  PageKind kind = PageKind::base;
  uint64_t epoch = 0;

  bool operator==(const PageKey&) const = default;
};

std::string encode_page_key(const PageKey& key);
/// Empty when `key` is not one.
std::optional<PageKey> decode_page_key(std::string_view key);
/// "base page of epoch 3 of operator 1, pane ending 2026-03-29T00:01:00Z, key group 17" for messages.
std::string describe(const PageKey& key);

/// Begin of all page keys of an operator.
std::string operator_prefix(uint16_t operator_id);
/// Begin of all page keys of one (operator, pane, key group). `key_group` may be one past the last (a range's end).
std::string group_prefix(uint16_t operator_id, Micros pane_end, uint32_t key_group);

/// Family::sources: source id, a zero byte, split id. Source ids are identifiers and hold no zero byte.
std::string source_key(std::string_view source, std::string_view split);
/// (source, split); empty when `key` is not one.
std::optional<std::pair<std::string_view, std::string_view>> split_source_key(std::string_view key);

/// Family::rows: begin of the keys of a split's rows, of those of one database, and of those of one table; the bytes of
/// the row's key follow. Each name has its length before it, so that none is the beginning of another.
std::string rows_prefix(std::string_view source, std::string_view split);
std::string rows_prefix(std::string_view source, std::string_view split, std::string_view database);
std::string rows_prefix(std::string_view source, std::string_view split, std::string_view database,
                        std::string_view table);

/// Family::sinks: the sink's id.
std::string sink_key(std::string_view sink);

/// Family::meta.
inline constexpr std::string_view kMetaJob = "job";
inline constexpr std::string_view kMetaEpoch = "epoch";
/// Family::meta, the record of one operator; all of them begin with kMetaOperators.
inline constexpr std::string_view kMetaOperators = "operator/";
std::string operator_key(uint16_t operator_id);
/// Family::meta, the record of a split that the job goes on without: kMetaLeftOut and its key in Family::sources.
inline constexpr std::string_view kMetaLeftOut = "left out/";
std::string left_out_key(std::string_view source_key);

}  // namespace tidemark::core
