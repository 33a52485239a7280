// SPDX-License-Identifier: Apache-2.0
// Cells in generic form. No state; any thread.
#include "binlog/cell.hpp"

#include <bit>
#include <cstdio>
#include <cstring>

#include "binlog/address_text.hpp"
#include "binlog/byte_cursor.hpp"
#include "binlog/charset.hpp"
#include "binlog/charset_decoder.hpp"
#include "binlog/compressed_value.hpp"
#include "binlog/decimal.hpp"
#include "binlog/json_text.hpp"
#include "binlog/temporal.hpp"

namespace tidemark::binlog {

namespace {

DecodeError refused(const ColumnType& type, const ColumnFacts& facts, const std::string& why, std::string remedy) {
  return {ErrorKind::unsupported,
          "column " + facts.name + " (" + wire_type_name(type.type) + "): " + why,
          {},
          0,
          std::move(remedy)};
}

void append_padded(std::string& out, uint32_t number, int width) {
  char digits[16];
  const int size = std::snprintf(digits, sizeof digits, "%0*u", width, number);
  out.append(digits, static_cast<size_t>(size));
}

void append_fraction(std::string& out, uint32_t micros, uint32_t fsp) {
  if (fsp == 0) return;
  out += '.';
  append_padded(out, micros / kPowersOfTen[6 - fsp], static_cast<int>(fsp));
}

void append_date(std::string& out, const DateTimeParts& parts) {
  append_padded(out, parts.year, 4);
  out += '-';
  append_padded(out, parts.month, 2);
  out += '-';
  append_padded(out, parts.day, 2);
}

void append_clock(std::string& out, uint32_t hour, uint32_t minute, uint32_t second) {
  append_padded(out, hour, 2);
  out += ':';
  append_padded(out, minute, 2);
  out += ':';
  append_padded(out, second, 2);
}

void set_datetime(Value& out, ValueKind kind, const DateTimeParts& parts, uint32_t fsp) {
  out.kind = kind;
  append_date(out.text, parts);
  out.text += ' ';
  append_clock(out.text, parts.hour, parts.minute, parts.second);
  append_fraction(out.text, parts.micros, fsp);
  out.has_number = has_number(parts);
  if (out.has_number) out.integer = to_micros(parts);
}

void set_date(Value& out, const DateTimeParts& parts) {
  out.kind = ValueKind::date;
  append_date(out.text, parts);
  out.has_number = date_exists(parts.year, parts.month, parts.day);
  if (out.has_number) out.integer = days_from_civil(parts.year, parts.month, parts.day);
}

void set_time(Value& out, int64_t micros, uint32_t fsp) {
  out.kind = ValueKind::time;
  out.integer = micros;
  out.has_number = true;
  const int64_t size = micros < 0 ? -micros : micros;
  const auto seconds = static_cast<uint32_t>(size / 1'000'000);
  if (micros < 0) out.text += '-';
  append_clock(out.text, seconds / 3600, seconds / 60 % 60, seconds % 60);
  append_fraction(out.text, static_cast<uint32_t>(size % 1'000'000), fsp);
}

void set_timestamp(Value& out, uint32_t seconds, uint32_t micros, uint32_t fsp) {
  if (seconds == 0 && micros == 0) {  // the zero date, not 1970
    set_datetime(out, ValueKind::timestamp, {}, fsp);
    return;
  }
  DateTimeParts parts = civil_from_days(static_cast<int32_t>(seconds / 86'400));
  parts.hour = seconds / 3600 % 24;
  parts.minute = seconds / 60 % 60;
  parts.second = seconds % 60;
  parts.micros = micros;
  set_datetime(out, ValueKind::timestamp, parts, fsp);
}

Checked set_integer(const ColumnType& type, const ColumnFacts& facts, const uint8_t* at, Value& out) {
  if (!facts.is_unsigned) {
    return refused(type, facts, "whether it is signed is not known",
                   "set binlog_row_metadata=FULL, or start where the log has the CREATE TABLE");
  }
  const uint64_t raw = load_le(at, type.fixed_width);
  if (*facts.is_unsigned) {
    out.kind = ValueKind::unsigned_;
    out.bits = raw;
  } else {
    const uint32_t shift = 64 - 8 * type.fixed_width;
    out.kind = ValueKind::integer;
    out.integer = static_cast<int64_t>(raw << shift) >> shift;
  }
  return Done{};
}

// BINARY loses its trailing zeros in the log; UUID and INET are BINARY there.
void set_binary(const ColumnType& type, const ColumnFacts& facts, std::string_view bytes, Value& out) {
  std::string padded(bytes);
  if (type.type == WireType::string && padded.size() < type.max_bytes) padded.resize(type.max_bytes, '\0');
  out.kind = ValueKind::bytes;
  char text[kInet6TextBytesMax];
  char* end = nullptr;
  const auto* at = reinterpret_cast<const uint8_t*>(padded.data());
  if (facts.sql_type == SqlType::uuid && padded.size() == 16) end = write_uuid(at, text);
  if (facts.sql_type == SqlType::inet4 && padded.size() == 4) end = write_inet4(at, text);
  if (facts.sql_type == SqlType::inet6 && padded.size() == 16) end = write_inet6(at, text);
  if (end != nullptr) {
    out.kind = ValueKind::text;
    out.text.assign(text, end);
  } else {
    out.text = std::move(padded);
  }
}

Checked set_string(const ColumnType& type, const ColumnFacts& facts, std::string_view bytes, Value& out) {
  if (!facts.charset) {
    return refused(type, facts, "its character set is not known",
                   "set binlog_row_metadata=FULL, or start where the log has the CREATE TABLE");
  }
  if (facts.charset->empty()) {
    set_binary(type, facts, bytes, out);
    return Done{};
  }
  out.kind = ValueKind::text;
  const CharsetDecoder* charset = CharsetDecoder::find(*facts.charset);
  if (charset == nullptr) {
    return refused(type, facts, "character set " + *facts.charset + " is not known", "leave the column out of the job");
  }
  if (charset->append(bytes, out.text) != 0) out.raw = bytes;
  return Done{};
}

Checked set_member(const ColumnType& type, const ColumnFacts& facts, uint64_t bits, Value& out) {
  out.bits = bits;
  out.has_text = !facts.members.empty();
  const size_t count = facts.members.size();
  if (type.type == WireType::enum_) {
    out.kind = ValueKind::enum_;
    if (!out.has_text || bits == 0) return Done{};  // 0 is the invalid value ''
    if (bits > count)
      return refused(type, facts, "index " + std::to_string(bits) + " has no member", "the schema is wrong");
    out.text = facts.members[static_cast<size_t>(bits) - 1];
    return Done{};
  }
  out.kind = ValueKind::set_;
  if (!out.has_text) return Done{};
  if (count < 64 && bits >> count != 0) return refused(type, facts, "a bit has no member", "the schema is wrong");
  for (size_t i = 0; i < count; ++i) {
    if ((bits >> i & 1) == 0) continue;
    if (!out.text.empty()) out.text += ',';
    out.text += facts.members[i];
  }
  return Done{};
}

Checked set_fixed(const ColumnType& type, const ColumnFacts& facts, const uint8_t* at, Value& out) {
  switch (type.type) {
    case WireType::tiny:
    case WireType::short_:
    case WireType::int24:
    case WireType::long_:
    case WireType::longlong:
      return set_integer(type, facts, at, out);
    case WireType::float_:
      out.kind = ValueKind::float32;
      out.number = std::bit_cast<float>(static_cast<uint32_t>(load_le(at, 4)));
      return Done{};
    case WireType::double_:
      out.kind = ValueKind::float64;
      out.number = std::bit_cast<double>(load_le(at, 8));
      return Done{};
    case WireType::newdecimal:
      out.kind = ValueKind::decimal;
      decimal_text(DecimalLayout(type.precision, type.scale), at, out.text);
      return Done{};
    case WireType::bit:
      out.kind = ValueKind::bit;
      out.bits = load_be(at, type.fixed_width);
      return Done{};
    case WireType::year:
      out.kind = ValueKind::year;
      out.integer = *at == 0 ? 0 : 1900 + *at;
      return Done{};
    case WireType::date:
    case WireType::newdate:
      set_date(out, unpack_date(at));
      return Done{};
    case WireType::time2:
      set_time(out, unpack_time2(at, type.fsp), type.fsp);
      return Done{};
    case WireType::datetime2:
      set_datetime(out, ValueKind::datetime, unpack_datetime2(at, type.fsp), type.fsp);
      return Done{};
    case WireType::timestamp2:
      set_timestamp(out, static_cast<uint32_t>(load_be(at, 4)), fraction_micros(at + 4, type.fsp), type.fsp);
      return Done{};
    case WireType::time:
      set_time(out, unpack_old_time(at), 0);
      return Done{};
    case WireType::datetime:
      set_datetime(out, ValueKind::datetime, unpack_old_datetime(at), 0);
      return Done{};
    case WireType::timestamp:
      set_timestamp(out, static_cast<uint32_t>(load_le(at, 4)), 0, 0);
      return Done{};
    case WireType::enum_:
    case WireType::set_:
      return set_member(type, facts, load_le(at, type.fixed_width), out);
    default:
      return refused(type, facts, undecoded_reason(type.type), "leave the column out of the job");
  }
}

Checked set_json(const ColumnType& type, const ColumnFacts& facts, std::string_view bytes, Value& out) {
  out.kind = ValueKind::json;
  JsonSink sink(out.text);
  const std::span document(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (write_json_text(document, sink) == JsonResult::ok) return Done{};
  DecodeError error = refused(type, facts, "its JSON document is damaged", "UPDATE the row's document on the source");
  error.kind = ErrorKind::corrupt;
  return error;
}

Checked set_compressed(const ColumnType& type, const ColumnFacts& facts, std::string_view bytes, Value& out) {
  std::vector<uint8_t> scratch;
  const auto content =
      inflate_value({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, compressed_size_max(type), scratch);
  if (!content) {
    return DecodeError{ErrorKind::corrupt, "column " + facts.name + ": the compressed value is damaged", {}, 0, {}};
  }
  return set_string(type, facts, {reinterpret_cast<const char*>(content->data()), content->size()}, out);
}

Checked set_prefixed(const ColumnType& type, const ColumnFacts& facts, std::string_view bytes, Value& out) {
  switch (type.type) {
    case WireType::string:
    case WireType::varchar:
    case WireType::var_string:
    case WireType::blob:
      return set_string(type, facts, bytes, out);
    case WireType::varchar_compressed:
    case WireType::blob_compressed:
      return set_compressed(type, facts, bytes, out);
    case WireType::geometry:
    case WireType::vector:
      out.kind = ValueKind::bytes;
      out.text = bytes;
      return Done{};
    case WireType::json:
      return set_json(type, facts, bytes, out);
    default:
      return refused(type, facts, undecoded_reason(type.type), "leave the column out of the job");
  }
}

bool is_binary_type(SqlType type) {
  switch (type) {
    case SqlType::binary:
    case SqlType::varbinary:
    case SqlType::tinyblob:
    case SqlType::blob:
    case SqlType::mediumblob:
    case SqlType::longblob:
    case SqlType::uuid:
    case SqlType::inet4:
    case SqlType::inet6:
    case SqlType::vector:
    case SqlType::geometry:
      return true;
    default:
      return false;
  }
}

bool is_text_type(SqlType type) {
  switch (type) {
    case SqlType::char_:
    case SqlType::varchar:
    case SqlType::tinytext:
    case SqlType::text:
    case SqlType::mediumtext:
    case SqlType::longtext:
      return true;
    default:
      return false;
  }
}

// What the schema says wins; the TABLE_MAP was checked against it.
void apply_schema(const ColumnSchema& column, ColumnFacts& facts) {
  facts.name = column.name;
  facts.sql_type = column.type;
  facts.is_unsigned = column.is_unsigned;
  if (!column.members.empty()) facts.members = column.members;
  if (is_binary_type(column.type)) facts.charset = "";
  if (is_text_type(column.type)) facts.charset = column.charset;
  if (column.type == SqlType::json) facts.charset = "utf8mb4";  // MariaDB's JSON is LONGTEXT
}

}  // namespace

std::vector<std::string> members_utf8(const ColumnMetadata& metadata) {
  std::vector<std::string> out;
  std::string_view charset = charset_of_collation(metadata.collation);
  if (charset.empty() || metadata.collation == 0) charset = "utf8mb4";
  for (const auto& member : metadata.members) {
    std::string text;
    if (!append_utf8(charset, member, text)) return {};
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<ColumnFacts> column_facts(const TableMap& map, const TableSchema* schema) {
  std::vector<ColumnFacts> out(map.columns.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const ColumnMetadata& metadata = map.metadata[i];
    out[i].name = metadata.name.empty() ? std::string("@").append(std::to_string(i + 1)) : metadata.name;
    out[i].is_unsigned = metadata.is_unsigned;
    out[i].members = members_utf8(metadata);
    if (metadata.collation != 0) out[i].charset = std::string(charset_of_collation(metadata.collation));
    if (schema != nullptr && i < schema->columns.size()) apply_schema(schema->columns[i], out[i]);
  }
  return out;
}

std::optional<size_t> cell_width(const ColumnType& type, std::span<const uint8_t> bytes) {
  size_t width = type.fixed_width;
  if (type.prefix_bytes != 0) {
    if (bytes.size() < type.prefix_bytes) return std::nullopt;
    width = type.prefix_bytes + static_cast<size_t>(load_le(bytes.data(), type.prefix_bytes));
  }
  if (width == 0 || width > bytes.size()) return std::nullopt;
  return width;
}

Checked decode_cell(const ColumnType& type, const ColumnFacts& facts, std::span<const uint8_t> bytes, Value& out) {
  out.text.clear();
  out.raw.clear();
  out.has_number = false;
  out.has_text = false;
  const auto width = cell_width(type, bytes);
  if (!width || *width != bytes.size()) {
    return DecodeError{ErrorKind::corrupt, "column " + facts.name + ": the cell has a wrong width", {}, 0, {}};
  }
  if (type.prefix_bytes == 0) return set_fixed(type, facts, bytes.data(), out);
  const auto content = bytes.subspan(type.prefix_bytes);
  return set_prefixed(type, facts, {reinterpret_cast<const char*>(content.data()), content.size()}, out);
}

}  // namespace tidemark::binlog
