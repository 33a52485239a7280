// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/row_router.hpp"

namespace tidemark::core {

Result<RowRouter> RowRouter::create(const JobPlan& plan, const RowsPlan& rows,
                                    const std::shared_ptr<const BatchLayout>& layout, const KeyGroupOwners& owners,
                                    uint32_t workers) {
  RowRouter out(rows.program);
  out.grouped_.resize(workers);
  for (const RowSelection& selection : rows.program.selections) {
    auto grouper = Grouper::create(plan.aggregates[selection.operator_id].spec, layout, owners, workers);
    if (!grouper) return grouper.status();
    out.groupers_.emplace_back(selection.operator_id, std::move(*grouper));
  }
  return out;
}

Result<uint64_t> RowRouter::send(const BatchRef& batch, const Sending& sending, const NotComputable& not_computable,
                                 std::span<InputCounters> counters) {
  GroupingCounts counts;
  for (size_t i = 0; i < groupers_.size(); ++i) {
    auto& [operator_id, grouper] = groupers_[i];
    counts = {};
    const RowEvaluator::Rows taken = evaluator_.choose(*batch, i, sending.aside, sending.ignored_ops);
    if (!taken.not_computable.empty()) not_computable(operator_id, taken.not_computable);
    Status grouped = grouper->group(batch, taken.skip, sending.wall_us, grouped_, counts);
    if (!grouped) return grouped;
    InputCounters& input = counters[operator_id];
    input.rows_in += batch->rows;
    input.rows_set_aside += sending.aside.size() + taken.not_computable.size();
    input.rows_not_computable += taken.not_computable.size();
    input.rows_filtered += taken.filtered + counts.filtered;
    for (size_t worker = 0; worker < grouped_.size(); ++worker) {
      for (GroupedRows& rows : grouped_[worker]) {
        const size_t weight = rows.rows.size() + kControlWeight;
        sending.workers[worker]->push(std::move(rows), weight);
      }
      grouped_[worker].clear();
    }
  }
  return counts.filtered - counts.no_window;
}

}  // namespace tidemark::core
