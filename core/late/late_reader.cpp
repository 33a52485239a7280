// SPDX-License-Identifier: Apache-2.0
//
// Filtering and counting of late pages.
#include "core/late/late_reader.hpp"

#include <algorithm>

#include "core/late/late_key.hpp"

namespace tidemark::core {
namespace {

std::string name_of(std::string_view key) {
  const auto decoded = decode_late_key(key);
  return decoded ? describe(*decoded) : "late page with an unknown key";
}

bool equals_or_any(const std::optional<std::string>& wanted, const std::string& value) {
  return !wanted || *wanted == value;
}

}  // namespace

bool LateFilter::may_match(const LatePageHeader& header) const {
  const bool any_time = event_from == kNoTime && event_to == kEndOfTime;
  return equals_or_any(source, header.source) && equals_or_any(split, header.split) &&
         equals_or_any(aggregate, header.aggregate) && (!reason || *reason == header.reason) &&
         (any_time || (header.max_event_time >= event_from && header.min_event_time < event_to)) &&
         header.max_arrival >= arrival_from && (arrival_to == kEndOfTime || header.min_arrival < arrival_to);
}

bool LateFilter::matches(const LateItem& item) const {
  const bool any_time = event_from == kNoTime && event_to == kEndOfTime;
  const bool to_open = event_to == kEndOfTime || item.event_time < event_to;
  return equals_or_any(source, item.source) && equals_or_any(split, item.split) &&
         equals_or_any(aggregate, item.aggregate) && (!reason || *reason == item.reason) &&
         (any_time || (item.event_time != kNoTime && item.event_time >= event_from && to_open)) &&
         item.arrival >= arrival_from && (arrival_to == kEndOfTime || item.arrival < arrival_to);
}

Status visit_late_page(std::string_view key, std::string_view value, const LateFilter& filter,
                       const std::function<bool(const LateItem&)>& visit, bool* stopped) {
  if (stopped != nullptr) *stopped = false;
  const auto header = read_late_header(value);
  if (!header) return header.status().with_context(name_of(key));
  if (!filter.may_match(*header)) return {};
  const auto page = decode_late_page(value);
  if (!page) return page.status().with_context(name_of(key));
  for (uint32_t row = 0; row < page->header.rows; ++row) {
    const LateItem item = page->item(row);
    if (!filter.matches(item) || visit(item)) continue;
    if (stopped != nullptr) *stopped = true;
    break;
  }
  return {};
}

void LateSummary::Counts::add(const Counts& other) {
  rows += other.rows;
  pages += other.pages;
  bytes += other.bytes;
  min_event_time = std::min(min_event_time, other.min_event_time);
  max_event_time = std::max(max_event_time, other.max_event_time);
  min_arrival = std::min(min_arrival, other.min_arrival);
  max_arrival = std::max(max_arrival, other.max_arrival);
  max_lateness_us = std::max(max_lateness_us, other.max_lateness_us);
}

Status LateSummary::add(std::string_view key, std::string_view value) {
  const auto header = read_late_header(value);
  if (!header) return header.status().with_context(name_of(key));
  counts_[{header->source, header->aggregate, header->split, header->reason}].add(
      {header->rows, 1, value.size(), header->min_event_time, header->max_event_time, header->min_arrival,
       header->max_arrival, header->max_lateness_us});
  return {};
}

std::map<std::string, LateSummary::Counts> LateSummary::by_aggregate() const {
  std::map<std::string, Counts> out;
  for (const auto& [key, counts] : counts_) out[key.aggregate].add(counts);
  return out;
}

std::map<std::string, LateSummary::Counts> LateSummary::by_split() const {
  std::map<std::string, Counts> out;
  for (const auto& [key, counts] : counts_) out[key.split].add(counts);
  return out;
}

std::map<LateReason, LateSummary::Counts> LateSummary::by_reason() const {
  std::map<LateReason, Counts> out;
  for (const auto& [key, counts] : counts_) out[key.reason].add(counts);
  return out;
}

LateSummary::Counts LateSummary::total() const {
  Counts out;
  for (const auto& [key, counts] : counts_) out.add(counts);
  return out;
}

}  // namespace tidemark::core
