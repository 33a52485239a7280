// SPDX-License-Identifier: Apache-2.0
// See the header. Numbers go through std::to_chars: shortest text that reads back as the same value.
// Thread: any; no state.
#include "binlog/change_json.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "binlog/json_diff.hpp"
#include "binlog/utf8.hpp"

namespace tidemark::binlog {
namespace {

constexpr int64_t kExactIntegerMax = int64_t{1} << 53;

/// For a large value: what it takes, where growing by doubling would take up to twice as much.
void make_room(std::string& out, size_t bytes) {
  constexpr size_t kLarge = size_t{1} << 20;
  if (bytes >= kLarge) out.reserve(out.size() + bytes + 64);
}

void append_hex(std::string& out, std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  make_room(out, 2 * bytes.size());
  out += "\"0x";
  for (const uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  out.push_back('"');
}

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void append_object(std::string& out, std::string_view key, std::span<const uint8_t> bytes) {
  out += "{\"";
  out += key;
  out += "\":";
  append_hex(out, bytes);
  out.push_back('}');
}

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 40> text;
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), number);
  out.append(text.data(), end);
}

template <class Integer>
void append_integer(std::string& out, Integer number) {
  const bool exact = number <= static_cast<Integer>(kExactIntegerMax) &&
                     (std::is_unsigned_v<Integer> || number >= static_cast<Integer>(-kExactIntegerMax));
  if (!exact) out.push_back('"');
  append_number(out, number);
  if (!exact) out.push_back('"');
}

template <class Float>
void append_float(std::string& out, Float number) {
  if (std::isfinite(number)) return append_number(out, number);
  append_json_string(out, std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
}

void append_text(std::string& out, std::string_view text) {
  if (is_utf8(text)) return append_json_string(out, text);
  append_object(out, "not_utf8", bytes_of(text));
}

std::string_view op_name(ImageKind kind) {
  switch (kind) {
    case ImageKind::inserted:
      return "insert";
    case ImageKind::deleted:
      return "delete";
    default:
      return "update";
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  make_room(out, text.size());
  out.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) {
          std::array<char, 8> escape;
          std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
          out += escape.data();
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

void append_json_text(std::string& out, std::string_view text) {
  append_text(out, text);
}

void append_json_value(std::string& out, const Value& value) {
  switch (value.kind) {
    case ValueKind::absent:
    case ValueKind::null:
      out += "null";
      return;
    case ValueKind::integer:
    case ValueKind::year:
      return append_integer(out, value.integer);
    case ValueKind::unsigned_:
    case ValueKind::bit:
      return append_integer(out, value.bits);
    case ValueKind::float32:
      return append_float(out, static_cast<float>(value.number));
    case ValueKind::float64:
      return append_float(out, value.number);
    case ValueKind::decimal:
    case ValueKind::date:
    case ValueKind::time:
    case ValueKind::datetime:
    case ValueKind::timestamp:
      return append_text(out, value.text);
    case ValueKind::text:
      return value.raw.empty() ? append_text(out, value.text) : append_object(out, "not_utf8", bytes_of(value.raw));
    case ValueKind::enum_:
    case ValueKind::set_:
      return value.has_text ? append_text(out, value.text) : append_integer(out, value.bits);
    case ValueKind::bytes:
      return append_hex(out, bytes_of(value.text));
    case ValueKind::json:
      out += value.text;
      return;
  }
}

std::string rfc3339_utc(int64_t time_us) {
  using namespace std::chrono;
  const sys_time<microseconds> time{microseconds(time_us)};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss<microseconds> clock{time - day};
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text.data();
}

void ChangeJson::append(std::string& out, const ChangePlace& place, const RowImage& image, const RowImage* after) {
  out += "{\"file\":";
  append_text(out, place.file);
  out += ",\"position\":";
  append_integer(out, place.position);
  out += ",\"gtid\":";
  if (place.group->gtid_text.empty()) {
    out += "null";
  } else {
    append_text(out, place.group->gtid_text);
  }
  out += ",\"commit_time\":";
  if (place.group->commit_time_us == kNoTime) {
    out += "null";
  } else {
    append_json_string(out, rfc3339_utc(place.group->commit_time_us));
  }
  out += ",\"table\":";
  append_text(out, map_->full_name());
  out += ",\"op\":\"";
  out += op_name(image.kind);
  out += '"';
  if (image.kind == ImageKind::inserted) {
    out += ",\"before\":null";
    append_image(out, "after", image, nullptr);
  } else {
    append_image(out, "before", image, nullptr);
    if (after == nullptr) {
      out += ",\"after\":null";
    } else {
      append_image(out, "after", *after, &image);
    }
  }
  out += "}\n";
}

void ChangeJson::append_image(std::string& out, std::string_view key, const RowImage& image, const RowImage* before) {
  out += ",\"";
  out += key;
  out += "\":{";
  bool first = true;
  for (size_t i = 0; i < image.cells.size(); ++i) {
    if (image.cells[i].state == CellState::absent) continue;
    if (!first) out.push_back(',');
    first = false;
    append_text(out, facts_[i].name);
    out.push_back(':');
    if (image.cells[i].state == CellState::json_diffs) {
      append_changed_json(out, i, image.cells[i], before == nullptr ? CellView{} : before->cells[i]);
    } else {
      append_cell(out, i, image.cells[i]);
    }
  }
  out.push_back('}');
}

void ChangeJson::append_cell(std::string& out, size_t column, const CellView& cell) {
  if (cell.state == CellState::null) {
    out += "null";
    return;
  }
  const ColumnType& type = map_->columns[column];
  const Checked decoded = decode_cell(type, facts_[column], cell.bytes, value_);
  if (decoded) return append_json_value(out, value_);
  note(column, decoded.error().to_string());
  if (type.type == WireType::json) return append_object(out, "json_binary", cell.bytes.subspan(type.prefix_bytes));
  append_object(out, "undecoded", cell.bytes);
}

void ChangeJson::append_changed_json(std::string& out, size_t column, const CellView& cell, const CellView& base) {
  const size_t prefix = map_->columns[column].prefix_bytes;
  const auto diffs = cell.bytes.subspan(prefix);
  const size_t start = out.size();
  JsonSink sink(out);
  if (base.state == CellState::value) {
    if (write_changed_json(base.bytes.subspan(prefix), diffs, sink) == JsonResult::ok) return;
    note(column, "column " + facts_[column].name + ": its document's changes do not fit the before image");
  } else {
    note(column, "column " + facts_[column].name +
                     ": its document was changed in part, and the before image does not have it "
                     "(binlog_row_value_options, binlog_row_image)");
  }
  out.resize(start);
  out += "{\"patch\":";
  if (write_json_diffs(diffs, sink) == JsonResult::ok) {
    out.push_back('}');
    return;
  }
  out.resize(start);
  append_object(out, "undecoded", cell.bytes);
}

void ChangeJson::note(size_t column, const std::string& text) {
  if (noted_[column]) return;
  noted_[column] = true;
  notes_.push_back(map_->full_name() + ": " + text);
}

}  // namespace tidemark::binlog
