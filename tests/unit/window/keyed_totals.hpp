// SPDX-License-Identifier: Apache-2.0
//
// Rows of a key `k`, a text, and a value `v`, a number; an aggregate that counts and adds them by key, and operators
// over them: what tests of windows over such rows share.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tests/unit/window/batch_builder.hpp"

namespace tidemark::core::test {

/// count() as n and sum(v) by k.
inline AggregateSpec totals(Micros size = 1000) {
  AggregateSpec spec;
  spec.id = "totals";
  spec.key_columns = {0};
  spec.columns = {{"n", AggregateFunction::count_all, -1}, {"sum", AggregateFunction::sum, 1}};
  spec.window.size_us = size;
  return spec;
}

inline std::shared_ptr<const BatchLayout> input_layout() {
  return layout_of({column("k", ColumnType::text), column("v", ColumnType::int64)});
}

inline OperatorDriver drive(AggregateSpec spec) {
  return OperatorDriver(std::move(spec), input_layout());
}

inline Row at(Micros time, std::string key = "k", int64_t value = 1, Op op = Op::insert) {
  return Row{time, {std::move(key), value}, op};
}

}  // namespace tidemark::core::test
