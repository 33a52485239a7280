// SPDX-License-Identifier: Apache-2.0
//
// What a source's rows look like (Schema), and which of those columns the job uses (Layout: the projection that
// open_reader got). Authors name columns by their index in the schema everywhere; columns that the job does not
// use are accepted and skipped. Values; a Layout is constant while its reader lives.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/errors.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark {
inline namespace v1 {

/// Column types, with the ABI's numbers; abi.h says how each is stored.
enum class Type : uint32_t {
  boolean = TIDEMARK_BOOL,
  int8 = TIDEMARK_INT8,
  int16 = TIDEMARK_INT16,
  int32 = TIDEMARK_INT32,
  int64 = TIDEMARK_INT64,
  uint8 = TIDEMARK_UINT8,
  uint16 = TIDEMARK_UINT16,
  uint32 = TIDEMARK_UINT32,
  uint64 = TIDEMARK_UINT64,
  float32 = TIDEMARK_FLOAT32,
  float64 = TIDEMARK_FLOAT64,
  decimal64 = TIDEMARK_DECIMAL64,
  decimal128 = TIDEMARK_DECIMAL128,
  decimal256 = TIDEMARK_DECIMAL256,
  date = TIDEMARK_DATE,            ///< days since 1970-01-01
  time = TIDEMARK_TIME,            ///< microseconds, signed
  timestamp = TIDEMARK_TIMESTAMP,  ///< microseconds since the epoch, UTC
  datetime = TIDEMARK_DATETIME,    ///< microseconds since 1970-01-01 00:00, zone-less
  text = TIDEMARK_TEXT,
  bytes = TIDEMARK_BYTES,
  json = TIDEMARK_JSON,
};

/// True for text, bytes and json: values are slices of the batch's heap.
constexpr bool is_variable_width(Type type) noexcept {
  return type == Type::text || type == Type::bytes || type == Type::json;
}
constexpr bool is_decimal(Type type) noexcept {
  return type == Type::decimal64 || type == Type::decimal128 || type == Type::decimal256;
}

/// One column of a source's rows.
struct Column {
  std::string name;
  Type type = Type::int64;
  bool nullable = true;
  uint32_t precision = 0;  ///< decimals: digits in all
  uint32_t scale = 0;      ///< decimals: digits after the point
  std::string comment{};   ///< where it comes from, for messages

  /// A decimal column in the narrowest type that holds `precision` digits (1 to 76).
  static Column decimal(std::string_view name, uint32_t precision, uint32_t scale, bool nullable = true) {
    if (precision == 0 || precision > 76 || scale > precision) {
      fail(SourceError("a decimal needs 1 to 76 digits and a scale within them", name).kind(ErrorKind::internal));
    }
    const Type type = precision <= 18 ? Type::decimal64 : precision <= 38 ? Type::decimal128 : Type::decimal256;
    return {std::string(name), type, nullable, precision, scale};
  }
};

/// Columns in order; names are unique. A job can have rows kept by their key, to take them out at a TRUNCATE or to
/// complete images; a source that knows the key says it.
struct Schema {
  std::vector<Column> columns;
  std::vector<uint32_t> primary_key{};  ///< of all its tables, in key order; empty: none
  std::string no_key{};                 ///< why not, and what to do

  Schema() = default;
  Schema(std::initializer_list<Column> list) : columns(list) {}
  explicit Schema(std::vector<Column> list) : columns(std::move(list)) {}
};

/// The columns of a reader's batches: the projection of the schema that the job uses.
class Layout {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  /// One column of the schema as batches see it.
  struct Slot {
    uint32_t batch_column = kAbsent;  ///< index into tidemark_batch.columns
    Type type = Type::int64;
    bool nullable = true;
    uint32_t precision = 0;
    uint32_t scale = 0;
  };

  Layout() = default;
  /// `projection`: indexes into the schema, in batch column order. `wants`: bits of tidemark_projection.wants.
  Layout(const Schema& schema, std::span<const uint32_t> projection, uint32_t wants = 0)
      : schema_columns_(projection.begin(), projection.end()), wants_(wants) {
    for (const Column& column : schema.columns) {
      slots_.push_back({kAbsent, column.type, column.nullable, column.precision, column.scale});
      names_.push_back(column.name);
    }
    for (uint32_t i = 0; i < schema_columns_.size(); ++i) {
      if (schema_columns_[i] >= slots_.size()) {
        fail(SourceError("the host asks for a column that the schema lacks", std::to_string(schema_columns_[i]))
                 .kind(ErrorKind::internal));
        return;
      }
      slots_[schema_columns_[i]].batch_column = i;
    }
  }

  /// Columns in a batch.
  uint32_t batch_column_count() const noexcept { return static_cast<uint32_t>(schema_columns_.size()); }
  /// Columns in the schema.
  uint32_t schema_column_count() const noexcept { return static_cast<uint32_t>(slots_.size()); }
  /// Index into the schema of a batch's column.
  uint32_t schema_column(uint32_t batch_column) const noexcept { return schema_columns_[batch_column]; }
  /// The job takes the rows of truncated tables out of its results: SplitOutput::truncate().
  bool wants_truncates() const noexcept { return (wants_ & TIDEMARK_WANTS_TRUNCATES) != 0; }
  /// The job completes rows whose images lack columns: SplitOutput::set_absent().
  bool wants_partial_images() const noexcept { return (wants_ & TIDEMARK_WANTS_PARTIAL_IMAGES) != 0; }
  /// True when the job uses this column of the schema.
  bool is_used(uint32_t column) const noexcept {
    return column < slots_.size() && slots_[column].batch_column != kAbsent;
  }
  /// By schema index (< schema_column_count()).
  const Slot& slot(uint32_t column) const noexcept { return slots_[column]; }
  const std::string& name(uint32_t column) const noexcept { return names_[column]; }

 private:
  std::vector<uint32_t> schema_columns_;
  uint32_t wants_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::string> names_;
};

}  // namespace v1
}  // namespace tidemark
