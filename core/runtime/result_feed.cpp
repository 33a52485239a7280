// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/result_feed.hpp"

#include <algorithm>
#include <utility>

#include "core/batch/cell_writer.hpp"
#include "core/runtime/late_contexts.hpp"
#include "core/window/result_writer.hpp"

namespace tidemark::core {

ResultFeed::ResultFeed(const JobPlan& plan, uint32_t aggregate, RowRouter router, LatePageWriter& late_pages)
    : plan_(plan),
      aggregate_(aggregate),
      rows_(*plan.aggregates[aggregate].results),
      layout_(std::make_shared<const BatchLayout>(rows_.layout)),
      router_(std::move(router)),
      late_pages_(late_pages) {}

Result<std::unique_ptr<ResultFeed>> ResultFeed::create(const JobPlan& plan, uint32_t aggregate,
                                                       const std::shared_ptr<const BatchLayout>& output,
                                                       const KeyGroupOwners& owners, uint32_t workers,
                                                       LatePageWriter& late_pages) {
  const RowsPlan& rows = *plan.aggregates[aggregate].results;
  auto router = RowRouter::create(plan, rows, std::make_shared<const BatchLayout>(rows.layout), owners, workers);
  if (!router) return router.status();
  auto out = std::make_unique<ResultFeed>(plan, aggregate, std::move(*router), late_pages);
  if (plan.aggregates[aggregate].spec.kept_result() == KeptResult::row) {
    out->replaced_codec_ = given_row_codec(*output);
    out->replaced_layout_ = std::make_shared<const BatchLayout>(BatchLayout{out->replaced_codec_.columns()});
  }
  return out;
}

std::shared_ptr<Batch> ResultFeed::empty_batch(size_t rows) const {
  auto out = std::make_shared<Batch>(layout_, static_cast<uint32_t>(std::min<size_t>(rows, kBatchRows)), 0);
  out->split = kFirstResultSplit + aggregate_;
  return out;
}

// False when the batch's heap is full.
bool ResultFeed::copy_row(const Batch& from, uint32_t row, Batch& out, Op op, Micros time) const {
  const uint32_t at = out.rows;
  for (uint32_t column = 0; column < rows_.projection.size(); ++column) {
    if (!copy_cell(from, rows_.projection[column], row, out, column, at)) return false;
  }
  out.op[at] = static_cast<uint8_t>(op);
  out.event_time_us[at] = time;
  out.sequence[at] = 0;
  out.origin[at] = kNoOrigin;
  ++out.rows;
  return true;
}

Status ResultFeed::send(const FiredRows& fired, Micros wall_us, std::span<Lane<LaneEntry>* const> workers,
                        std::span<InputCounters> counters) {
  const Target target{wall_us, workers, counters};
  const Batch& rows = *fired.rows;
  const bool replaces = !fired.replaced.empty();
  Batch old(replaces ? replaced_layout_ : layout_, replaces ? 1 : 0, 0);
  auto batch = empty_batch(size_t{2} * rows.rows);
  for (uint32_t row = 0; row < rows.rows; ++row) {
    const bool takes_back = replaces && !fired.replaced[row].empty();
    const bool stands = rows.op_at(row) == Op::insert;
    const Micros time = rows.event_time_us[row];
    if (batch->rows + 2 > batch->row_capacity()) {
      if (Status sent = send_batch(std::exchange(batch, empty_batch(size_t{2} * (rows.rows - row))), target); !sent) {
        return sent;
      }
    }
    bool fits = true;
    if (takes_back) {
      old.clear();
      if (!replaced_codec_.decode(fired.replaced[row], old, 0, 0)) {
        return {Code::damage, "aggregate " + plan_.aggregates[aggregate_].spec.id +
                                  ": a result that was given before cannot be read; the state is damaged or of "
                                  "another job"};
      }
      old.rows = 1;
      fits = copy_row(old, 0, *batch, stands ? Op::update_before : Op::remove, time);
    }
    if (stands) fits = fits && copy_row(rows, row, *batch, takes_back ? Op::update_after : Op::insert, time);
    if (!fits) {
      return {Code::overflow, "aggregate " + plan_.aggregates[aggregate_].spec.id +
                                  ": the texts of one firing's results, as rows of the aggregates that read them, "
                                  "exceed 4 GiB"};
    }
  }
  return send_batch(std::move(batch), target);
}

Status ResultFeed::send_batch(std::shared_ptr<Batch> batch, const Target& target) {
  if (batch->rows == 0) return {};
  router_.compute(*batch, {});
  const auto store = [&](uint16_t operator_id, std::span<const uint32_t> rows) {
    LateContext context = context_of_result(plan_, aggregate_, plan_.aggregates[operator_id].spec.id);
    context.detail = kNotComputable;
    late_pages_.add_set_aside(*batch, rows, LateReason::not_computable, context);
  };
  const auto sent =
      router_.send(batch, {.aside = {}, .ignored_ops = 0, .wall_us = target.wall_us, .workers = target.workers}, store,
                   target.counters);
  return sent ? Status() : sent.status();
}

}  // namespace tidemark::core
