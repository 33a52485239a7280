// SPDX-License-Identifier: Apache-2.0
//
// Two passes per key column: exact sizes first, so that keys stand packed, then the bytes. The inner loops are
// one per column type, without a branch on the type.
#include "core/window/key_codec.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/int256.hpp"
#include "core/batch/cell_text.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/window/ordered_value.hpp"

namespace tidemark::core {
namespace {

constexpr char kNull = 0;
constexpr char kValue = 1;
constexpr uint32_t kTextOverhead = 3;          // marker and terminator
constexpr size_t kTextBytesMax = 256U << 20U;  // of one value in a key: far above sense, far below 32 bits

uint32_t zero_bytes(std::string_view text) {
  if (text.empty() || std::memchr(text.data(), 0, text.size()) == nullptr) return 0;
  return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\0'));
}

/// False when a text is too long for a key.
bool add_sizes(const Batch& batch, uint32_t column, ColumnType type, std::span<const uint32_t> rows, uint32_t* sizes) {
  const Column& values = batch.column(column);
  if (!is_variable_width(type)) {
    const uint32_t width = value_width(type);
    for (size_t i = 0; i < rows.size(); ++i) sizes[i] += 1 + (values.is_valid(rows[i]) ? width : 0);
    return true;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!values.is_valid(rows[i])) {
      sizes[i] += 1;
      continue;
    }
    const std::string_view text = batch.bytes_at(column, rows[i]);
    if (text.size() > kTextBytesMax || sizes[i] > UINT32_MAX / 2) return false;
    sizes[i] += kTextOverhead + static_cast<uint32_t>(text.size()) + zero_bytes(text);
  }
  return true;
}

char* write_text(char* at, std::string_view text) {
  if (text.empty() || std::memchr(text.data(), 0, text.size()) == nullptr) {
    std::copy(text.begin(), text.end(), at);
    at += text.size();
  } else {
    for (const char c : text) {
      *at++ = c;
      if (c == 0) *at++ = static_cast<char>(0xff);
    }
  }
  *at++ = 0;
  *at++ = 0;
  return at;
}

/// `write(char* at, row)` writes a value and returns its end.
template <typename Write>
void write_column(const Column& column, std::span<const uint32_t> rows, char* bytes, uint32_t* cursors,
                  const Write& write) {
  for (size_t i = 0; i < rows.size(); ++i) {
    char* at = bytes + cursors[i];
    if (column.is_valid(rows[i])) {
      *at++ = kValue;
      at = write(at, rows[i]);
    } else {
      *at++ = kNull;
    }
    cursors[i] = static_cast<uint32_t>(at - bytes);
  }
}

void write_keys(const Batch& batch, uint32_t column, ColumnType type, std::span<const uint32_t> rows, char* bytes,
                uint32_t* cursors) {
  const Column& values = batch.column(column);
  if (is_variable_width(type)) {
    write_column(values, rows, bytes, cursors,
                 [&](char* at, uint32_t row) { return write_text(at, batch.bytes_at(column, row)); });
  } else if (is_wide(type)) {
    const uint32_t width = value_width(type);
    write_column(values, rows, bytes, cursors, [&](char* at, uint32_t row) {
      store_ordered_wide(at, load_wide(type, values.values, row), width);
      return at + width;
    });
  } else {
    with_narrow_type(type, [&]<typename T>(std::type_identity<T>) {
      const T* in = values.as<T>();
      write_column(values, rows, bytes, cursors, [in](char* at, uint32_t row) {
        store_big_endian(at, to_ordered(in[row]), sizeof(T));
        return at + sizeof(T);
      });
    });
  }
}

/// Splits one column's value off `key`. `text` receives unescaped bytes of text columns, else the raw value.
enum class Parsed : uint8_t { null, value, malformed };

Parsed take_column(std::string_view& key, ColumnType type, std::string& text) {
  text.clear();
  if (key.empty() || static_cast<uint8_t>(key.front()) > 1) return Parsed::malformed;
  const bool null = key.front() == kNull;
  key.remove_prefix(1);
  if (null) return Parsed::null;
  if (!is_variable_width(type)) {
    const uint32_t width = value_width(type);
    if (key.size() < width) return Parsed::malformed;
    text.assign(key.substr(0, width));
    key.remove_prefix(width);
    return Parsed::value;
  }
  while (true) {
    const size_t zero = key.find('\0');
    if (zero == std::string_view::npos || zero + 1 >= key.size()) return Parsed::malformed;
    text.append(key.substr(0, zero));
    const char after = key[zero + 1];
    key.remove_prefix(zero + 2);
    if (after == 0) return Parsed::value;
    if (static_cast<uint8_t>(after) != 0xff) return Parsed::malformed;
    text.push_back('\0');
  }
}

bool put_parsed(const std::string& text, ColumnType type, Batch& out, uint32_t column, uint32_t row) {
  if (is_variable_width(type)) return put_text(out, column, row, text);
  if (is_wide(type)) {
    const Int256 value = load_ordered_wide(text.data(), value_width(type));
    store_wide(type, out.mutable_columns()[column].values, row, value);
    out.mutable_columns()[column].set_valid(row);
  } else {
    with_narrow_type(type, [&]<typename T>(std::type_identity<T>) {
      put_value(out, column, row, from_ordered<T>(load_big_endian(text.data(), sizeof(T))));
    });
  }
  return true;
}

}  // namespace

KeyCodec::KeyCodec(const std::vector<uint32_t>& columns, const BatchLayout& input) : columns_(columns) {
  infos_.reserve(columns.size());
  for (const uint32_t column : columns) infos_.push_back(input.columns[column]);
}

bool KeyCodec::encode(const Batch& batch, std::span<const uint32_t> rows, EncodedKeys& out) const {
  const size_t n = rows.size();
  out.begins_.assign(n + 1, 0);
  for (size_t k = 0; k < columns_.size(); ++k) {
    if (!add_sizes(batch, columns_[k], infos_[k].type, rows, out.begins_.data() + 1)) return false;
  }
  uint64_t end = 0;
  for (size_t i = 0; i < n; ++i) {
    end += out.begins_[i + 1];
    out.begins_[i + 1] = static_cast<uint32_t>(end);
  }
  if (end > UINT32_MAX) return false;
  if (out.begins_[n] > out.capacity_) {
    out.capacity_ = std::max<size_t>(out.begins_[n], out.capacity_ * 2);
    out.bytes_ = std::make_unique_for_overwrite<char[]>(out.capacity_);
  }
  out.cursors_.assign(out.begins_.begin(), out.begins_.end() - 1);
  for (size_t k = 0; k < columns_.size(); ++k) {
    write_keys(batch, columns_[k], infos_[k].type, rows, out.bytes_.get(), out.cursors_.data());
  }
  return true;
}

bool KeyCodec::decode(std::string_view key, Batch& out, uint32_t first_column, uint32_t row) const {
  std::string text;
  for (uint32_t k = 0; k < infos_.size(); ++k) {
    const Parsed parsed = take_column(key, infos_[k].type, text);
    if (parsed == Parsed::malformed) return false;
    if (parsed == Parsed::value && !put_parsed(text, infos_[k].type, out, first_column + k, row)) return false;
  }
  return key.empty();
}

bool KeyCodec::is_valid(std::string_view key) const {
  std::string text;
  for (const ColumnInfo& info : infos_) {
    if (take_column(key, info.type, text) == Parsed::malformed) return false;
  }
  return key.empty();
}

std::string KeyCodec::describe(std::string_view key) const {
  Batch cells(std::make_shared<BatchLayout>(BatchLayout{infos_}), 1, key.size());
  if (!decode(key, cells, 0, 0)) return "(not a key of this aggregate)";
  std::string out = "(";
  for (size_t k = 0; k < infos_.size(); ++k) {
    if (k > 0) out += ", ";
    const bool quoted = is_variable_width(infos_[k].type) && cells.column(k).is_valid(0);
    if (quoted) out += '\'';
    if (cells.column(k).is_valid(0)) {
      append_cell_text(cells, k, 0, out);
    } else {
      out += "NULL";
    }
    if (quoted) out += '\'';
  }
  return out + ")";
}

}  // namespace tidemark::core
