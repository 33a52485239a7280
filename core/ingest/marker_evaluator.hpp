// SPDX-License-Identifier: Apache-2.0
//
// MarkerEvaluator: says which rows of a batch carry the watermark, by the job's `marker` expression. Rows for which
// it is NULL or cannot be computed are no markers; they are counted in windows like all others. Runs once per batch
// on the ingest core.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"
#include "core/expression/expression.hpp"

namespace tidemark::core {

class MarkerEvaluator {
 public:
  /// No row is a marker.
  MarkerEvaluator() = default;
  /// An error when the expression does not compile over the columns of the batches, or is no condition.
  static Result<MarkerEvaluator> create(const BatchLayout& layout, std::string_view expression);

  /// A byte per row, 1 for markers; empty without an expression. Valid until the next call.
  std::span<const uint8_t> markers(const Batch& batch);

 private:
  std::unique_ptr<Evaluator> expression_;
  std::vector<uint8_t> markers_;
};

}  // namespace tidemark::core
