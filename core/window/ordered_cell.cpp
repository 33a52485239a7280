// SPDX-License-Identifier: Apache-2.0
//
// Kept values to cells and back; see the header.
#include "core/window/ordered_cell.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/window/ordered_value.hpp"

namespace tidemark::core {
namespace {

void append_eight_bytes(std::string& out, uint64_t value) {
  char bytes[8];
  store_big_endian(bytes, value, sizeof bytes);
  out.append(bytes, sizeof bytes);
}

Status wrong_size() {
  return Status(Code::damage, "a kept value has a wrong size; the state is damaged");
}

}  // namespace

void append_ordered_cell(const Batch& batch, size_t column, uint32_t row, std::string& out) {
  const ColumnType type = batch.layout().columns[column].type;
  if (is_variable_width(type)) {
    out += batch.bytes_at(column, row);
  } else if (is_wide(type)) {
    char ordered[32];
    const uint32_t width = value_width(type);
    store_ordered_wide(ordered, load_wide(type, batch.column(column).values, row), width);
    out.append(ordered, width);
  } else {
    with_narrow_type(type, [&]<typename T>(std::type_identity<T>) {
      append_eight_bytes(out, to_ordered(batch.column(column).as<T>()[row]));
    });
  }
}

void put_ordered_number(Batch& out, uint32_t column, uint32_t row, uint64_t ordered) {
  with_narrow_type(out.layout().columns[column].type,
                   [&]<typename T>(std::type_identity<T>) { put_value(out, column, row, from_ordered<T>(ordered)); });
}

Status put_ordered_bytes(Batch& out, uint32_t column, uint32_t row, std::string_view bytes) {
  const ColumnType type = out.layout().columns[column].type;
  if (is_wide(type)) {
    if (bytes.size() != value_width(type)) return wrong_size();
    store_wide(type, out.mutable_columns()[column].values, row, load_ordered_wide(bytes.data(), value_width(type)));
    out.mutable_columns()[column].set_valid(row);
    return Status::ok();
  }
  if (put_text(out, column, row, bytes)) return Status::ok();
  return Status(Code::overflow, "the texts of one batch of results exceed 4 GiB");
}

void make_timed_value(const Batch& batch, size_t column, uint32_t row, std::string& out) {
  out.clear();
  append_eight_bytes(out, to_ordered(batch.event_time_us[row]));
  append_ordered_cell(batch, column, row, out);
}

Status put_timed_value(Batch& out, uint32_t column, uint32_t row, std::string_view timed) {
  if (timed.size() < sizeof(Micros)) return wrong_size();
  timed.remove_prefix(sizeof(Micros));
  if (!is_narrow(out.layout().columns[column].type)) return put_ordered_bytes(out, column, row, timed);
  if (timed.size() != sizeof(uint64_t)) return wrong_size();
  put_ordered_number(out, column, row, read_ordered_u64(timed));
  return Status::ok();
}

}  // namespace tidemark::core
