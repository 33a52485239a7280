// SPDX-License-Identifier: Apache-2.0
//
// Functions of points in time that take a unit, a mode, a format or a zone.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/expression/date_kernels.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/tokenizer.hpp"
#include "core/expression/type_checker.hpp"
#include "core/expression/zone_kernels.hpp"

namespace tidemark::core {
namespace {

constexpr ValueType kInteger{ValueKind::integer};
constexpr ValueType kText{ValueKind::text};
constexpr int64_t kWeekModeMax = 7;
constexpr size_t kFormatBytesMax = 512;

struct PartName {
  std::string_view name;
  DatePart part;
};
constexpr std::array<PartName, 9> kParts = {{{"microsecond", DatePart::microsecond},
                                             {"second", DatePart::second},
                                             {"minute", DatePart::minute},
                                             {"hour", DatePart::hour},
                                             {"day", DatePart::day},
                                             {"month", DatePart::month},
                                             {"quarter", DatePart::quarter},
                                             {"year", DatePart::year},
                                             {"year_month", DatePart::year_month}}};

}  // namespace

uint32_t TypeChecker::check_week(const SyntaxNode& node) {
  const uint32_t time = to_time(operand(node.parts[0]), name_of(node));
  std::optional<int64_t> mode = 0;
  if (node.parts.size() > 1) {
    mode.reset();
    const Operand wanted = failed_ ? Operand{} : operand(node.parts[1]);
    if (!constant_integer(wanted, "the mode of a week", mode)) return kFailed;
    if (!mode) return tree_.add_null(kInteger);
    if (*mode < 0 || *mode > kWeekModeMax) {
      return fail_type(wanted.place, "the modes of weeks are 0 to 7", "3 is ISO 8601; WEEKOFYEAR(time) is the same");
    }
  }
  if (failed_) return kFailed;
  Parameter parameter;
  parameter.integer = *mode;
  return tree_.add(week_kernel, kInteger, {time}, parameter);
}

uint32_t TypeChecker::check_extract(const SyntaxNode& node) {
  const SyntaxNode& unit = syntax_.nodes[node.parts[0]];
  const std::string name = lower_ascii(unit.text);
  const uint32_t time = to_time(operand(node.parts[1]), name_of(node));
  if (failed_) return kFailed;
  if (name == "week") return tree_.add(week_kernel, kInteger, {time});
  std::vector<std::string> names = {"week"};
  for (const PartName& part : kParts) {
    names.emplace_back(part.name);
    if (part.name != name) continue;
    Parameter parameter;
    parameter.integer = static_cast<int64_t>(part.part);
    return tree_.add(date_part_kernel, kInteger, {time}, parameter);
  }
  return fail_unknown(ExpressionErrorCode::unknown_function, unit.place,
                      fmt::format("no unit `{}`", snippet(unit.place)), name, names);
}

uint32_t TypeChecker::check_timestampdiff(const SyntaxNode& node) {
  const SyntaxNode& name = syntax_.nodes[node.parts[0]];
  if (name.kind != SyntaxKind::column) {
    return fail_type(name.place, "TIMESTAMPDIFF takes a unit first", "such as TIMESTAMPDIFF(SECOND, a, b)");
  }
  const auto unit = find_unit(lower_ascii(name.text), name.place, true);
  if (!unit) return kFailed;
  const uint32_t from = to_time(operand(node.parts[1]), name_of(node));
  const uint32_t to = failed_ ? kFailed : to_time(operand(node.parts[2]), name_of(node));
  if (failed_) return kFailed;
  Parameter parameter;
  parameter.integer = unit->factor;
  return tree_.add(unit->unit == Unit::months ? months_difference_kernel : micros_difference_kernel, kInteger,
                   {from, to}, parameter);
}

uint32_t TypeChecker::check_date_format(const SyntaxNode& node) {
  const uint32_t time = to_time(operand(node.parts[0]), name_of(node));
  const Operand format = failed_ ? Operand{} : operand(node.parts[1]);
  std::optional<std::string> text;
  if (!constant_text(format, "a format", "such as '%Y-%m-%d %H:00'", text)) return kFailed;
  if (!text) return tree_.add_null(kText);
  if (text->size() > kFormatBytesMax) {
    return fail(ExpressionErrorCode::not_supported, format.place,
                fmt::format("a format has at most {} bytes", kFormatBytesMax), "");
  }
  Parameter parameter;
  parameter.text = std::move(*text);
  return tree_.add(date_format_kernel, kText, {time}, parameter);
}

uint32_t TypeChecker::check_date_add(const SyntaxNode& node) {
  const SyntaxNode& interval = syntax_.nodes[node.parts[1]];
  if (interval.kind != SyntaxKind::interval) {
    return fail_type(interval.place, fmt::format("`{}` takes an INTERVAL", name_of(node)),
                     fmt::format("such as {}(created_at, INTERVAL 1 DAY)", name_of(node)));
  }
  return check_shift(syntax_.nodes[node.parts[0]], interval, node.text.find("sub") != std::string::npos);
}

// The one use of TIME columns: they are lengths as well as times of day, so that nothing else can be meant.
uint32_t TypeChecker::check_time_to_sec(const SyntaxNode& node) {
  const SyntaxNode& argument = syntax_.nodes[node.parts[0]];
  for (size_t i = 0; i < columns_.size() && argument.kind == SyntaxKind::column; ++i) {
    if (columns_[i].name != argument.text || columns_[i].type != ColumnType::time) continue;
    return tree_.add(time_to_decimal_kernel(), decimal_type(19, 6), {load_column(i, kInteger)});
  }
  const Operand in = operand(node.parts[0]);
  if (failed_) return kFailed;
  return fail_type(in.place,
                   fmt::format("TIME_TO_SEC needs a TIME column, `{}` is {}", snippet(in.place), type_text(in.node)),
                   "UNIX_TIMESTAMP(time) gives the seconds of a point in time");
}

uint32_t TypeChecker::check_convert_tz(const SyntaxNode& node) {
  const uint32_t time = to_time(operand(node.parts[0]), name_of(node));
  std::array<WallClock, 2> clocks;
  bool known = true;
  for (size_t i = 0; i < clocks.size() && !failed_; ++i) {
    const Operand zone = operand(node.parts[i + 1]);
    std::optional<std::string> name;
    if (!constant_text(zone, "a zone", "such as 'Europe/Berlin', 'UTC' or '+05:30'", name)) return kFailed;
    known = known && name.has_value();
    if (!name) continue;
    const auto found = WallClock::find(*name);
    if (!found) {
      return fail(ExpressionErrorCode::unknown_function, zone.place,
                  fmt::format("no time zone {}", snippet(zone.place)),
                  "an IANA name such as 'Europe/Berlin', 'UTC' or an offset such as '+05:30'");
    }
    clocks[i] = *found;
  }
  if (failed_) return kFailed;
  const ValueType type{ValueKind::datetime};
  if (!known) return tree_.add_null(type);
  Parameter parameter;
  parameter.object = std::make_shared<const ZoneChange>(ZoneChange{clocks[0], clocks[1]});
  return tree_.add(convert_zone_kernel, type, {time}, parameter);
}

}  // namespace tidemark::core
