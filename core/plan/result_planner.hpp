// SPDX-License-Identifier: Apache-2.0
//
// ResultPlanner: from the texts of an aggregate's output columns and `having` to the aggregates that are kept and the
// expressions over them. Each distinct call is kept once; a column that is one call alone is that aggregate under its
// name, anything else is computed when a result is written. Used once per aggregate: calls(), add() for each of them
// (or note_failure()), finish(). At start, on one thread.
#pragma once

#include <string>
#include <vector>

#include "config/job/job_spec.hpp"
#include "core/plan/aggregate_functions.hpp"
#include "core/plan/expression_findings.hpp"
#include "core/window/aggregate_spec.hpp"

namespace tidemark::core {

class ResultPlanner {
 public:
  struct Call {
    const config::Spanned<std::string>* text = nullptr;  ///< where it stands
    ExpressionPlace place;
    PlannedCall planned;
  };

  /// Both outlive it.
  ResultPlanner(const config::AggregateSpec& spec, ExpressionFindings& findings);

  /// The calls of all texts, in order; those that could not be read were reported.
  const std::vector<Call>& calls() const noexcept { return calls_; }
  /// The next call, resolved. `argument`: what it is computed on.
  void add(AggregateColumn column, const ColumnInfo& argument);
  /// The next call could not be resolved, which was reported.
  void note_failure() { ++resolved_; }
  /// Where there were findings already: looks at the columns that need no call to be resolved. `all_keys`: none of the
  /// keys is missing for a finding.
  void check_columns_without_calls(const std::vector<ColumnInfo>& keys, bool all_keys);
  /// Checks the texts around the calls. `keys`: as they stand in results.
  void finish(const std::vector<ColumnInfo>& keys, std::vector<AggregateColumn>& columns, std::string& having,
              std::vector<ResultColumn>& results);

 private:
  struct Text {
    const config::Spanned<std::string>* text = nullptr;
    const config::Spanned<std::string>* name = nullptr;  // null: having
    size_t first_call = 0;
    size_t call_count = 0;
    bool alone = false;
  };

  void read(const config::Spanned<std::string>& text, const config::Spanned<std::string>* name);
  void report(const ExpressionError& error, const Text& text, const std::vector<ColumnInfo>& columns);
  bool check(const Text& text, const std::vector<ColumnInfo>& columns, size_t first_aggregate);
  std::string rewritten(const Text& text, const std::vector<AggregateColumn>& columns) const;

  const config::AggregateSpec& spec_;
  ExpressionFindings& findings_;
  std::vector<Text> texts_;
  std::vector<Call> calls_;
  size_t resolved_ = 0;
  bool names_are_known_ = true;  // else a name that is not there may be a key with a finding of its own
  std::vector<size_t> kept_of_;  // by call: index in kept_
  std::vector<AggregateColumn> kept_;
  std::vector<ColumnInfo> kept_results_;
};

}  // namespace tidemark::core
