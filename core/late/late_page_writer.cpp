// SPDX-License-Identifier: Apache-2.0
//
// Buffers per (arrival hour, source, split, reason, aggregate); a full one becomes a page at once, the others
// at the seal.
#include "core/late/late_page_writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/check.hpp"
#include "core/late/late_key.hpp"

namespace tidemark::core {
namespace {

LateReason reason_of(LateGroup::Why why) {
  switch (why) {
    case LateGroup::Why::too_late:
      return LateReason::too_late;
    case LateGroup::Why::partly_late:
      return LateReason::partly_late;
    case LateGroup::Why::no_base:
      return LateReason::no_base;
  }
  return LateReason::too_late;
}

/// The row that is the other half of an update: halves stand next to each other.
std::optional<uint32_t> other_half(const Batch& batch, uint32_t row) {
  const Op op = batch.op_at(row);
  if (op == Op::update_before && row + 1 < batch.rows && batch.op_at(row + 1) == Op::update_after) return row + 1;
  if (op == Op::update_after && row > 0 && batch.op_at(row - 1) == Op::update_before) return row - 1;
  return std::nullopt;
}

std::string about_half(const Batch& batch, uint32_t row) {
  return "half of an update; the other half: event time " + format_rfc3339(batch.event_time_us[row]) + ", sequence " +
         std::to_string(batch.sequence[row]);
}

}  // namespace

LatePageWriter::LatePageWriter(const Clock& clock, uint32_t writer) : clock_(clock), writer_(writer) {
  TIDEMARK_CHECK(writer < kLateWritersMax);
}

// Updates whose other half is not in the group say what it was, run by run.
void LatePageWriter::add(const LateGroup& group, const LateContext& context) {
  const Batch& batch = *group.batch;
  std::string missed;
  if (group.why == LateGroup::Why::partly_late) {
    missed = "missed " + std::to_string(group.windows_missed) + (group.windows_missed == 1 ? " window" : " windows");
  }
  const std::span<const uint32_t> rows = group.rows;
  size_t begin = 0;
  const auto flush = [&](size_t end, const std::string& detail) {
    LateRun run;
    run.pane_end = group.pane_end;
    run.watermark = group.watermark;
    LateContext about = context;
    about.detail = detail;
    add_rows(batch, rows.subspan(begin, end - begin), reason_of(group.why), about, std::move(run));
    begin = end;
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::optional<uint32_t> other = other_half(batch, rows[i]);
    if (!other || std::binary_search(rows.begin(), rows.end(), *other)) continue;
    flush(i, missed);
    flush(i + 1, missed.empty() ? about_half(batch, *other) : missed + "; " + about_half(batch, *other));
  }
  flush(rows.size(), missed);
}

void LatePageWriter::add_set_aside(const Batch& batch, std::span<const uint32_t> rows, LateReason reason,
                                   const LateContext& context) {
  LateRun run;
  run.watermark = context.watermark;
  add_rows(batch, rows, reason, context, std::move(run));
}

void LatePageWriter::add_rows(const Batch& batch, std::span<const uint32_t> rows, LateReason reason,
                              const LateContext& context, LateRun run) {
  if (rows.empty()) return;
  run.arrival = clock_.wall_us();
  run.holder = context.holder;
  run.detail = context.detail;
  const BufferKey key{arrival_hour_of(run.arrival), context.source_number, batch.split, static_cast<uint8_t>(reason),
                      std::string(context.aggregate)};
  for (size_t at = 0; at < rows.size();) {
    LatePageBuilder& builder = builder_for(key, batch, context);
    builder.begin_run(run);
    while (at < rows.size() && !builder.is_full()) builder.add(batch, rows[at++]);
    if (!builder.is_full()) break;
    finish_page(key, builder);
    buffers_.erase(key);
  }
  rows_waiting_ += rows.size();
}

LatePageBuilder& LatePageWriter::builder_for(const BufferKey& key, const Batch& batch, const LateContext& context) {
  auto found = buffers_.find(key);
  if (found != buffers_.end() && !found->second.fits(batch.layout())) {  // the schema changed
    finish_page(key, found->second);
    buffers_.erase(found);
    found = buffers_.end();
  }
  if (found != buffers_.end()) return found->second;
  LatePageHeader about;
  about.source = context.source;
  about.split = context.split;
  about.aggregate = context.aggregate;
  about.source_number = context.source_number;
  about.split_number = batch.split;
  about.reason = static_cast<LateReason>(std::get<3>(key));
  return buffers_.try_emplace(key, std::move(about), batch.layout_ptr()).first->second;
}

void LatePageWriter::finish_page(const BufferKey& key, const LatePageBuilder& builder) {
  pages_.push_back(
      {std::get<0>(key), std::get<1>(key), std::get<2>(key), builder.first_event_time(), builder.finish()});
  page_bytes_ += pages_.back().value.size();
}

std::vector<LateRecord> LatePageWriter::seal(uint64_t epoch) {
  for (const auto& [key, builder] : buffers_) finish_page(key, builder);
  buffers_.clear();
  std::vector<LateRecord> out;
  out.reserve(pages_.size());
  for (Page& page : pages_) {
    const LateKey key{page.arrival_hour, page.source, page.split, page.event_time,
                      late_sequence(epoch, writer_, static_cast<uint32_t>(out.size()))};
    out.push_back({encode_late_key(key), std::move(page.value)});
  }
  pages_.clear();
  page_bytes_ = 0;
  rows_waiting_ = 0;
  return out;
}

size_t LatePageWriter::bytes_waiting() const noexcept {
  size_t sum = page_bytes_;
  for (const auto& [key, builder] : buffers_) sum += builder.bytes();
  return sum;
}

}  // namespace tidemark::core
