// SPDX-License-Identifier: Apache-2.0
//
// RowRouter: brings batches of rows of one kind (of a source, or results of an aggregate) to the workers of all
// aggregates that read them: computes columns, chooses each aggregate's rows, groups them and sends the groups. Knows
// nothing of splits or watermarks. Owned and used by one component.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exchange/grouper.hpp"
#include "core/exchange/lane.hpp"
#include "core/exchange/lane_entry.hpp"
#include "core/ingest/row_program.hpp"
#include "core/plan/job_plan.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

class RowRouter {
 public:
  /// `plan` outlives it; `layout`: of the batches (the plan's). Code::config when an aggregate cannot be computed.
  static Result<RowRouter> create(const JobPlan& plan, const RowsPlan& rows,
                                  const std::shared_ptr<const BatchLayout>& layout, const KeyGroupOwners& owners,
                                  uint32_t workers);

  /// Writes the computed columns into the batch. `shard`: of its rows, empty for results.
  void compute(Batch& batch, std::string_view shard) { evaluator_.run(batch, shard); }

  /// Takes rows of which an aggregate lacks a column.
  using NotComputable = std::function<void(uint16_t operator_id, std::span<const uint32_t> rows)>;

  struct Sending {
    std::span<const uint32_t> aside;  ///< rows that no aggregate takes, ascending
    uint32_t ignored_ops = 0;         ///< kinds of rows that conditions do not look at (bit 1 << op)
    Micros wall_us = 0;
    std::span<Lane<LaneEntry>* const> workers;
  };
  /// Sends the rows of a batch that compute() had and counts them: counters are by operator. Gives the rows that were
  /// not sent for their kind, the same for each aggregate.
  Result<uint64_t> send(const BatchRef& batch, const Sending& sending, const NotComputable& not_computable,
                        std::span<InputCounters> counters);

 private:
  explicit RowRouter(const RowProgram& program) : evaluator_(program) {}

  RowEvaluator evaluator_;
  std::vector<std::pair<uint16_t, std::unique_ptr<Grouper>>> groupers_;  // by operator, as the program's selections
  std::vector<std::vector<GroupedRows>> grouped_;                        // scratch, by worker
};

}  // namespace tidemark::core
