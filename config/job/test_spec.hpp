// SPDX-License-Identifier: Apache-2.0
//
// [[tests]] as the job file says them: rows by shard, silences, watermarks and ends in their order, and what must have
// come of it. Sources, aggregates and sinks that are named exist; columns and values are checked against types by
// core/jobtest, since only the sources know them. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/job/source_text.hpp"
#include "config/job/spanned.hpp"
#include "config/job/toml_time.hpp"

namespace tidemark::config {

/// A value for one column, not yet of the column's type.
struct TestValue {
  enum class Kind : uint8_t { null, text, integer, decimal, boolean, time };
  Kind kind = Kind::null;  ///< null is written {}
  std::string text;        ///< texts: the value; numbers in plain digits; times and booleans as spelled
  TomlTime time;
  bool boolean = false;
  Span span;
};

struct TestCell {
  Spanned<std::string> column;
  TestValue value;
};

enum class TestOp : uint8_t { insert, update, remove };

struct TestRow {
  Span span;
  TestOp op = TestOp::insert;
  std::vector<TestCell> cells;
  std::vector<TestCell> before;  ///< of an update: the old values of the columns that changed
};

struct TestStep {
  enum class Kind : uint8_t { rows, silence, watermark, idle, end };
  Kind kind = Kind::rows;
  Span span;
  Spanned<std::string> source;  ///< not given: all, or the only one
  Spanned<std::string> shard;   ///< not given: all; with rows and idle the default one
  std::vector<TestRow> rows;
  core::Micros time_us = 0;  ///< the length of the silence, or the watermark
  bool idle = true;
};

/// Columns of a source that are not known from elsewhere.
struct TestColumnType {
  Spanned<std::string> source;
  Spanned<std::string> column;
  Spanned<std::string> type;  ///< as SQL spells it: "decimal(18,4)"
};

struct ExpectedRow {
  Span span;
  std::vector<TestCell> cells;  ///< columns that are not named may have any value
};

/// All results of an aggregate, in any order.
struct ExpectedResults {
  Spanned<std::string> target;  ///< an aggregate, or a sink that shows one
  Span span;                    ///< of the list
  std::vector<ExpectedRow> rows;
};

/// Rows in the late store that have all that is given here.
struct ExpectedLate {
  Span span;
  Spanned<std::string> aggregate, source, shard, reason;
  std::optional<TestValue> event_time;
  Spanned<core::Micros> lateness_us;  ///< the largest among them
  Spanned<int64_t> count;             ///< how many
};

struct TestSpec {
  Spanned<std::string> name;
  Span span;
  std::optional<core::Micros> start_us;  ///< what the wall clock shows at first
  bool ends = true;                      ///< the input ends behind the last step
  std::vector<TestColumnType> schema;
  std::vector<TestStep> steps;
  std::vector<ExpectedResults> results;
  std::optional<std::vector<ExpectedLate>> late;  ///< not given: late rows are not looked at
  Span late_span;
  std::optional<std::vector<Spanned<std::string>>> warnings;  ///< not given: nor warnings
  Span warnings_span;
  Spanned<std::string> error;  ///< given: the job must fail, with this in its message
};

/// The shard of steps that name none.
inline constexpr const char* kTestShard = "s0";

}  // namespace tidemark::config
