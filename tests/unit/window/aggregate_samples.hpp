// SPDX-License-Identifier: Apache-2.0
//
// Columns of every type, values that tests of aggregates draw from (few, so that they repeat, with the largest and
// smallest of each type), and all functions that a column can have.
#pragma once

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/window/aggregate_types.hpp"
#include "tests/unit/window/batch_builder.hpp"

namespace tidemark::core::test {

inline std::vector<ColumnInfo> columns_of_every_type() {
  return {column("bool", ColumnType::boolean),
          column("i8", ColumnType::int8),
          column("i16", ColumnType::int16),
          column("i32", ColumnType::int32),
          column("i64", ColumnType::int64),
          column("u8", ColumnType::uint8),
          column("u16", ColumnType::uint16),
          column("u32", ColumnType::uint32),
          column("u64", ColumnType::uint64),
          column("f32", ColumnType::float32),
          column("f64", ColumnType::float64),
          column("d64", ColumnType::decimal64, 18, 2),
          column("d128", ColumnType::decimal128, 38, 5),
          column("d256", ColumnType::decimal256, 65, 30),
          column("date", ColumnType::date),
          column("time", ColumnType::time),
          column("timestamp", ColumnType::timestamp),
          column("datetime", ColumnType::datetime),
          column("text", ColumnType::text),
          column("bytes", ColumnType::bytes),
          column("json", ColumnType::json)};
}

inline std::vector<Cell> sample_integers(ColumnType type) {
  std::vector<Cell> out;
  with_narrow_type(type, [&]<typename T>(std::type_identity<T>) {
    if constexpr (!std::is_floating_point_v<T>) {
      for (const int value : {0, 1, 2, 7, 42, 100}) out.emplace_back(int64_t{value});
      if (std::is_signed_v<T>) out.emplace_back(int64_t{-9});
      out.emplace_back(static_cast<int64_t>(std::numeric_limits<T>::max()));
      out.emplace_back(static_cast<int64_t>(std::numeric_limits<T>::min()));
    }
  });
  return out;
}

inline std::vector<Cell> sample_reals(ColumnType type) {
  const double largest = type == ColumnType::float32 ? 3e38 : 1.7e308;
  const double smallest = type == ColumnType::float32 ? 1.5e-45 : 5e-324;
  std::vector<Cell> out;
  for (const double value : {0.0, -0.0, 0.1, -0.1, 12.34, 1e11, 3e12, -7.0, 1e-9, 0.25, 1e-30, largest, -largest,
                             smallest, -smallest, largest / 3}) {
    out.emplace_back(value);
  }
  return out;
}

inline std::vector<Cell> sample_decimals(const ColumnInfo& info) {
  const std::string nines = std::string(size_t{info.precision} - info.scale, '9') + "." + std::string(info.scale, '9');
  return {"0", "1.5", "-1.5", "0.01", "-7", "100", nines, "-" + nines};
}

/// Values without NULL, NaN and infinities.
inline std::vector<Cell> sample_values(const ColumnInfo& info) {
  if (info.type == ColumnType::boolean) return {int64_t{0}, int64_t{1}};
  if (is_variable_width(info.type)) return {"", "a", "b", "aa", "\xc3\xa9", std::string(40, 'x')};
  if (is_decimal(info.type)) return sample_decimals(info);
  if (is_floating(info.type)) return sample_reals(info.type);
  if (info.type == ColumnType::date) return {int64_t{0}, int64_t{-1}, int64_t{20'000}};
  if (!is_integer(info.type)) return {int64_t{0}, int64_t{-1}, int64_t{1'700'000'000'000'000}};
  return sample_integers(info.type);
}

inline std::vector<Row> random_rows(const ColumnInfo& info, std::vector<Cell> values, std::mt19937_64& random,
                                    size_t count) {
  values.emplace_back();  // NULL
  std::vector<Row> out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back({static_cast<Micros>(random() % 7), {values[random() % values.size()]}});
  }
  (void)info;
  return out;
}

inline AggregateColumn function_on(AggregateFunction function, int input) {
  return {
      std::string(function_name(function)) + std::to_string(static_cast<int>(function)), function, input, 0.5, 3, ","};
}

/// All functions that column `input` can have.
inline std::vector<AggregateColumn> functions_of(const ColumnInfo& info, int input, bool changelog) {
  std::vector<AggregateColumn> out;
  for (auto at = static_cast<uint8_t>(AggregateFunction::count_all);
       at <= static_cast<uint8_t>(AggregateFunction::string_agg); ++at) {
    const auto function = static_cast<AggregateFunction>(at);
    if (aggregate_refusal(function, info, changelog).empty()) out.push_back(function_on(function, input));
  }
  return out;
}

}  // namespace tidemark::core::test
