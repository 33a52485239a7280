// SPDX-License-Identifier: Apache-2.0
//
// The source plugin `generator`: seeded synthetic orders for demos, tests and benchmarks. Splits are generator-0,
// generator-1, ...; a position is the number of the next row. With a rate, a split gives rows as the time since it
// was opened allows. Written in the easy layer of the SDK; threads are the host's.
#include <tidemark/source.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "order_row.hpp"

namespace tidemark::generator {
namespace {

/// Columns of the schema, in its order.
enum OrderColumn : uint32_t { kId, kCustomerId, kRegion, kStatus, kAmount, kQty, kCreatedAt };

constexpr std::string_view kSplitPrefix = "generator-";

int64_t parse_whole(std::string_view text, std::string_view what) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || out < 0) throw SourceError(what, text);
  return out;
}

class GeneratedSplit final : public SplitReader {
 public:
  GeneratedSplit(const OrderParameters& parameters, int64_t split_index, uint64_t first_row, uint64_t row_count,
                 uint64_t rows_per_second)
      : rows_(parameters, split_index),
        first_row_(first_row),
        next_row_(first_row),
        row_count_(row_count),
        rows_per_second_(rows_per_second),
        opened_(std::chrono::steady_clock::now()) {}

  Status fetch(SplitOutput& out) override {
    const uint64_t end = std::min(row_count_, allowed_rows());
    while (next_row_ < end && out.has_room(kRowBytes)) {
      append(rows_.row(next_row_), out);
      ++next_row_;
    }
    if (next_row_ >= row_count_) return Status::end;
    return next_row_ >= end ? Status::nothing : Status::more;
  }
  std::string position() const override { return std::to_string(next_row_); }

 private:
  static constexpr uint64_t kRowBytes = 32;

  static void append(const OrderRow& row, SplitOutput& out) {
    out.append(Op::insert, row.created_at_us)
        .set(kId, row.id)
        .set(kCustomerId, row.customer_id)
        .set(kRegion, row.region)
        .set(kStatus, row.status)
        .set(kAmount, Unscaled{row.amount})
        .set(kQty, row.qty)
        .set(kCreatedAt, row.created_at_us);
  }

  /// Row number up to which the rate lets it read now.
  uint64_t allowed_rows() const {
    if (rows_per_second_ == 0) return UINT64_MAX;
    const std::chrono::duration<double> open = std::chrono::steady_clock::now() - opened_;
    return first_row_ + static_cast<uint64_t>(open.count() * static_cast<double>(rows_per_second_));
  }

  OrderRows rows_;
  uint64_t first_row_;
  uint64_t next_row_;
  uint64_t row_count_;  // of the whole split
  uint64_t rows_per_second_;
  std::chrono::steady_clock::time_point opened_;
};

class GeneratorSource {
 public:
  explicit GeneratorSource(const Options& options) {
    parameters_.seed = static_cast<uint64_t>(options.integer("seed"));
    parameters_.splits = in_range(options, "splits", 1, 100'000);
    parameters_.keys = in_range(options, "keys", 1, int64_t{1} << 40);
    parameters_.skew = in_range(options, "skew", 0, 16);
    parameters_.start_us = start_of(options);
    parameters_.step_us = not_negative(options, "step");
    parameters_.disorder_us = not_negative(options, "disorder");
    rows_per_split_ = static_cast<uint64_t>(in_range(options, "rows_per_split", 0, int64_t{1} << 60));
    rows_per_second_ = static_cast<uint64_t>(in_range(options, "rate", 0, 1'000'000'000));
  }

  Schema schema() const {
    return {{"id", Type::int64, false},
            {"customer_id", Type::int64, false},
            {"region", Type::text},
            {"status", Type::text, false},
            Column::decimal("amount", 18, 4, false),
            {"qty", Type::int32, false},
            {"created_at", Type::timestamp, false}};
  }

  std::vector<FoundSplit> discover() const {
    std::vector<FoundSplit> out;
    const std::string note = rows_per_split_ == 0 ? "endless" : std::to_string(rows_per_split_) + " rows";
    for (int64_t i = 0; i < parameters_.splits; ++i)
      out.push_back({std::string(kSplitPrefix) + std::to_string(i), note});
    return out;
  }

  std::unique_ptr<SplitReader> open(const Split& split) const {
    if (!split.id.starts_with(kSplitPrefix)) throw SourceError("not a split of the generator", split.id);
    const int64_t index = parse_whole(split.id.substr(kSplitPrefix.size()), "not a split of the generator");
    const int64_t next_row = split.position.empty() ? 0 : parse_whole(split.position, "not a row number");
    return std::make_unique<GeneratedSplit>(parameters_, index, static_cast<uint64_t>(next_row),
                                            rows_per_split_ == 0 ? UINT64_MAX : rows_per_split_, rows_per_second_);
  }

  uint64_t features() const { return rows_per_split_ == 0 ? 0 : TIDEMARK_BOUNDED; }

 private:
  static int64_t in_range(const Options& options, std::string_view name, int64_t least, int64_t most) {
    const int64_t value = options.integer(name);
    if (value < least || value > most) {
      throw SourceError("option '" + std::string(name) + "' is out of range", std::to_string(value),
                        "give " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
  }
  static int64_t not_negative(const Options& options, std::string_view name) {
    const int64_t value = options.duration_us(name);
    if (value < 0) throw SourceError("option must not be negative", name);
    return value;
  }
  /// A time, or whole microseconds since the epoch.
  static int64_t start_of(const Options& options) {
    const std::string value = options.text("start");
    int64_t micros = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), micros);
    if (error == std::errc{} && end == value.data() + value.size()) return micros;
    return options.timestamp_us("start");
  }

  OrderParameters parameters_;
  uint64_t rows_per_split_ = 0;
  uint64_t rows_per_second_ = 0;
};

}  // namespace
}  // namespace tidemark::generator

TIDEMARK_SOURCE(tidemark::generator::GeneratorSource, "generator", "0.1.0",
                {"seed", "int", "1", "The same seed gives the same rows"}, {"splits", "int", "1", "Number of splits"},
                {"rows_per_split", "int", "0", "Rows of each split; 0 = endless"},
                {"rate", "int", "0", "Rows per second and split; 0 = as fast as they are taken"},
                {"start", "text", "2026-01-01T00:00:00Z", "created_at of the first row: a time, or microseconds"},
                {"step", "duration", "1s", "created_at moves on by this from row to row"},
                {"disorder", "duration", "0s", "A row's created_at lies at most this far behind the order"},
                {"keys", "int", "1000", "Number of distinct customers"},
                {"skew", "int", "0", "0 = customers alike; up to 16: low numbers more and more frequent"})
