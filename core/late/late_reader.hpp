// SPDX-License-Identifier: Apache-2.0
//
// Looking at late pages: a filter over rows, and counts from page headers alone. Works on (key, value) pairs as a
// scan of Family::late gives them, so that it needs no store. Values; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "core/base/status.hpp"
#include "core/late/late_item.hpp"
#include "core/late/late_page.hpp"

namespace tidemark::core {

/// Rows to look at; what is not set does not restrict.
struct LateFilter {
  std::optional<std::string> source;
  std::optional<std::string> split;
  std::optional<std::string> aggregate;
  std::optional<LateReason> reason;
  Micros event_from = kNoTime;     ///< inclusive; rows without an event time pass only if neither bound is set
  Micros event_to = kEndOfTime;    ///< exclusive, kEndOfTime = no bound
  Micros arrival_from = kNoTime;   ///< inclusive
  Micros arrival_to = kEndOfTime;  ///< exclusive

  /// False when no row of such a page can match.
  bool may_match(const LatePageHeader& header) const;
  bool matches(const LateItem& item) const;
};

/// Visits the matching rows of one page in arrival order until the visitor returns false (then *stopped is set).
/// Reads only the header where the filter excludes the page. Errors name the page.
Status visit_late_page(std::string_view key, std::string_view value, const LateFilter& filter,
                       const std::function<bool(const LateItem&)>& visit, bool* stopped = nullptr);

/// Counts per (source, aggregate, split, reason), read from headers.
class LateSummary {
 public:
  struct Counts {
    uint64_t rows = 0;
    uint64_t pages = 0;
    uint64_t bytes = 0;  ///< stored
    Micros min_event_time = kEndOfTime;
    Micros max_event_time = kNoTime;
    Micros min_arrival = kEndOfTime;
    Micros max_arrival = kNoTime;
    Micros max_lateness_us = 0;

    void add(const Counts& other);
  };
  struct Key {
    std::string source, aggregate, split;
    LateReason reason = LateReason::too_late;
    auto operator<=>(const Key&) const = default;
  };

  /// Adds a page without reading its rows. Errors name the page.
  Status add(std::string_view key, std::string_view value);

  const std::map<Key, Counts>& by_key() const noexcept { return counts_; }
  std::map<std::string, Counts> by_aggregate() const;
  std::map<std::string, Counts> by_split() const;
  std::map<LateReason, Counts> by_reason() const;
  Counts total() const;

 private:
  std::map<Key, Counts> counts_;
};

}  // namespace tidemark::core
