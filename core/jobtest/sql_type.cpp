// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/jobtest/sql_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

namespace tidemark::core {
namespace {

constexpr std::array<std::pair<std::string_view, ColumnType>, 46> kTypes = {{
    {"boolean", ColumnType::boolean},
    {"bool", ColumnType::boolean},
    {"tinyint", ColumnType::int8},
    {"smallint", ColumnType::int16},
    {"mediumint", ColumnType::int32},
    {"int", ColumnType::int32},
    {"integer", ColumnType::int32},
    {"bigint", ColumnType::int64},
    {"tinyint unsigned", ColumnType::uint8},
    {"smallint unsigned", ColumnType::uint16},
    {"mediumint unsigned", ColumnType::uint32},
    {"int unsigned", ColumnType::uint32},
    {"integer unsigned", ColumnType::uint32},
    {"bigint unsigned", ColumnType::uint64},
    {"int8", ColumnType::int8},
    {"int16", ColumnType::int16},
    {"int32", ColumnType::int32},
    {"int64", ColumnType::int64},
    {"uint8", ColumnType::uint8},
    {"uint16", ColumnType::uint16},
    {"uint32", ColumnType::uint32},
    {"uint64", ColumnType::uint64},
    {"year", ColumnType::uint16},
    {"float", ColumnType::float32},
    {"float32", ColumnType::float32},
    {"double", ColumnType::float64},
    {"float64", ColumnType::float64},
    {"decimal", ColumnType::decimal64},
    {"numeric", ColumnType::decimal64},
    {"date", ColumnType::date},
    {"time", ColumnType::time},
    {"timestamp", ColumnType::timestamp},
    {"datetime", ColumnType::datetime},
    {"char", ColumnType::text},
    {"varchar", ColumnType::text},
    {"tinytext", ColumnType::text},
    {"text", ColumnType::text},
    {"mediumtext", ColumnType::text},
    {"longtext", ColumnType::text},
    {"enum", ColumnType::text},
    {"set", ColumnType::text},
    {"binary", ColumnType::bytes},
    {"varbinary", ColumnType::bytes},
    {"blob", ColumnType::bytes},
    {"bytes", ColumnType::bytes},
    {"json", ColumnType::json},
}};

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<int> read_number(std::string_view text) {
  const std::string digits = trimmed(text);
  int out = 0;
  const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc{} && at == digits.data() + digits.size() ? std::optional<int>(out) : std::nullopt;
}

// DECIMAL alone is DECIMAL(10,0), as in MySQL.
bool set_decimal(std::string_view arguments, ColumnInfo& out) {
  const size_t comma = arguments.find(',');
  const auto precision = arguments.empty() ? std::optional<int>(10) : read_number(arguments.substr(0, comma));
  const auto scale = comma == std::string_view::npos ? std::optional<int>(0) : read_number(arguments.substr(comma + 1));
  if (!precision || !scale || *precision < 1 || *precision > 65 || *scale < 0 || *scale > *precision) return false;
  out.type = *precision <= 18   ? ColumnType::decimal64
             : *precision <= 38 ? ColumnType::decimal128
                                : ColumnType::decimal256;
  out.precision = static_cast<uint8_t>(*precision);
  out.scale = static_cast<uint8_t>(*scale);
  return true;
}

}  // namespace

std::optional<ColumnInfo> read_sql_type(std::string_view text) {
  std::string name = trimmed(text);
  std::string arguments;
  const size_t open = name.find('(');
  if (open != std::string::npos) {
    const size_t close = name.find(')', open);
    if (close == std::string::npos) return std::nullopt;
    arguments = trimmed(std::string_view(name).substr(open + 1, close - open - 1));
    name = trimmed(name.substr(0, open) + name.substr(close + 1));  // "int(10) unsigned"
  }
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& one) { return one.first == name; });
  if (found == kTypes.end()) return std::nullopt;
  ColumnInfo out;
  out.type = found->second;
  if (is_decimal(out.type) && !set_decimal(arguments, out)) return std::nullopt;
  return out;
}

std::span<const std::string> sql_type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, type] : kTypes) all.emplace_back(name);
    return all;
  }();
  return names;
}

}  // namespace tidemark::core
