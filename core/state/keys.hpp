// SPDX-License-Identifier: Apache-2.0
//
// Keys of the state families. All numbers are big-endian and signed ones have their sign bit flipped, so that the
// byte order of keys is their logical order: panes by (operator, pane end, key group, base before deltas before
// addends, epoch, run, part), which makes closing a pane one range. The layouts are part of the state format. Pure
// functions.
// (Keys of late rows: late/late_key.hpp.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/time.hpp"

namespace tidemark::core {

/// What the entries of a page are to those of the pages before it.
enum class PageKind : uint8_t {
  base = 0,    ///< all that there is of the group
  delta = 1,   ///< in the place of those with the same key
  addend = 2,  ///< to be merged with those of the same key: made while the group was not in memory
};

/// Pages that were written as one: the entries of one (operator, pane, key group) by key, a part after the other.
struct PageRun {
  PageKind kind = PageKind::base;
  uint64_t epoch = 0;
  uint32_t number = 0;  ///< of its writer in that epoch

  bool operator==(const PageRun&) const = default;
};

/// Key in Family::panes and Family::closed.
struct PageKey {
  uint16_t operator_id = 0;
  Micros pane_end = 0;
  uint16_t key_group = 0;
  PageRun run;
  uint32_t part = 0;  ///< of the run, from 0 on

  bool operator==(const PageKey&) const = default;
};

std::string encode_page_key(const PageKey& key);
/// Empty when `key` is not one.
std::optional<PageKey> decode_page_key(std::string_view key);
/// "base page of epoch 3 of operator 1, pane ending 2026-03-29T00:01:00Z, key group 17" for messages.
std::string describe(const PageKey& key);

/// Begin of the keys of the run that `key` is of, and the end of their range: no key of a later run is before it.
std::string run_begin(const PageKey& key);
std::string run_end(const PageKey& key);

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

/// Family::meta: begin of the marks of pages that were written ahead of an epoch, by epoch; the page's key follows.
inline constexpr std::string_view kMetaAhead = "ahead/";
std::string ahead_prefix(uint64_t epoch);

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
