// SPDX-License-Identifier: Apache-2.0
//
// The table. Names with a blank are what the parser makes of forms with words in them: TRIM(LEADING 'x' FROM a).
#include "core/expression/plain_functions.hpp"

#include <array>

#include "core/expression/date_kernels.hpp"
#include "core/expression/json_kernels.hpp"
#include "core/expression/number_kernels.hpp"
#include "core/expression/string_kernels.hpp"

namespace tidemark::core {
namespace {

constexpr ValueKind kText = ValueKind::text;
constexpr ValueKind kInteger = ValueKind::integer;
constexpr ValueKind kDouble = ValueKind::floating;

constexpr int64_t number_of(DatePart part) {
  return static_cast<int64_t>(part);
}

constexpr std::array kFunctions = std::to_array<PlainFunction>({
    {"lower", "t", kText, lower_kernel, "LOWER(text)"},
    {"lcase", "t", kText, lower_kernel, "LCASE(text)"},
    {"upper", "t", kText, upper_kernel, "UPPER(text)"},
    {"ucase", "t", kText, upper_kernel, "UCASE(text)"},
    {"length", "t", kInteger, byte_length_kernel, "LENGTH(text)"},
    {"octet_length", "t", kInteger, byte_length_kernel, "OCTET_LENGTH(text)"},
    {"char_length", "t", kInteger, character_length_kernel, "CHAR_LENGTH(text)"},
    {"character_length", "t", kInteger, character_length_kernel, "CHARACTER_LENGTH(text)"},
    {"substring", "ti", kText, substring_from_kernel, "SUBSTRING(text, start[, length])"},
    {"substring", "tii", kText, substring_kernel, "SUBSTRING(text, start[, length])"},
    {"substr", "ti", kText, substring_from_kernel, "SUBSTR(text, start[, length])"},
    {"substr", "tii", kText, substring_kernel, "SUBSTR(text, start[, length])"},
    {"mid", "ti", kText, substring_from_kernel, "MID(text, start[, length])"},
    {"mid", "tii", kText, substring_kernel, "MID(text, start[, length])"},
    {"left", "ti", kText, left_kernel, "LEFT(text, length)"},
    {"right", "ti", kText, right_kernel, "RIGHT(text, length)"},
    {"trim", "t", kText, trim_kernel, "TRIM(text)"},
    {"ltrim", "t", kText, left_trim_kernel, "LTRIM(text)"},
    {"rtrim", "t", kText, right_trim_kernel, "RTRIM(text)"},
    {"trim both", "tt", kText, trim_both_kernel, "TRIM(BOTH 'x' FROM text)"},
    {"trim leading", "tt", kText, trim_leading_kernel, "TRIM(LEADING 'x' FROM text)"},
    {"trim trailing", "tt", kText, trim_trailing_kernel, "TRIM(TRAILING 'x' FROM text)"},
    {"replace", "ttt", kText, replace_kernel, "REPLACE(text, from, to)"},
    {"locate", "tt", kInteger, locate_kernel, "LOCATE(what, text[, position])"},
    {"locate", "tti", kInteger, locate_from_kernel, "LOCATE(what, text[, position])"},
    {"position", "tt", kInteger, locate_kernel, "POSITION(what IN text)"},
    {"instr", "tt", kInteger, instr_kernel, "INSTR(text, what)"},
    {"lpad", "tit", kText, left_pad_kernel, "LPAD(text, length, padding)"},
    {"rpad", "tit", kText, right_pad_kernel, "RPAD(text, length, padding)"},
    {"substring_index", "tti", kText, substring_index_kernel, "SUBSTRING_INDEX(text, delimiter, count)"},
    {"reverse", "t", kText, reverse_kernel, "REVERSE(text)"},
    {"repeat", "ti", kText, repeat_kernel, "REPEAT(text, count)"},
    {"starts_with", "tt", ValueKind::boolean, starts_with_kernel, "STARTS_WITH(text, prefix)"},

    {"power", "ff", kDouble, power_kernel, "POWER(base, exponent)"},
    {"pow", "ff", kDouble, power_kernel, "POW(base, exponent)"},
    {"sqrt", "f", kDouble, square_root_kernel, "SQRT(number)"},
    {"exp", "f", kDouble, exponential_kernel, "EXP(number)"},
    {"ln", "f", kDouble, natural_logarithm_kernel, "LN(number)"},
    {"log10", "f", kDouble, decimal_logarithm_kernel, "LOG10(number)"},
    {"log2", "f", kDouble, binary_logarithm_kernel, "LOG2(number)"},

    {"year", "d", kInteger, date_part_kernel, "YEAR(time)", number_of(DatePart::year)},
    {"quarter", "d", kInteger, date_part_kernel, "QUARTER(time)", number_of(DatePart::quarter)},
    {"month", "d", kInteger, date_part_kernel, "MONTH(time)", number_of(DatePart::month)},
    {"day", "d", kInteger, date_part_kernel, "DAY(time)", number_of(DatePart::day)},
    {"dayofmonth", "d", kInteger, date_part_kernel, "DAYOFMONTH(time)", number_of(DatePart::day)},
    {"hour", "d", kInteger, date_part_kernel, "HOUR(time)", number_of(DatePart::hour)},
    {"minute", "d", kInteger, date_part_kernel, "MINUTE(time)", number_of(DatePart::minute)},
    {"second", "d", kInteger, date_part_kernel, "SECOND(time)", number_of(DatePart::second)},
    {"microsecond", "d", kInteger, date_part_kernel, "MICROSECOND(time)", number_of(DatePart::microsecond)},
    {"dayofweek", "d", kInteger, date_part_kernel, "DAYOFWEEK(time)", number_of(DatePart::day_of_week)},
    {"weekday", "d", kInteger, date_part_kernel, "WEEKDAY(time)", number_of(DatePart::weekday)},
    {"dayofyear", "d", kInteger, date_part_kernel, "DAYOFYEAR(time)", number_of(DatePart::day_of_year)},
    {"weekofyear", "d", kInteger, week_kernel, "WEEKOFYEAR(time)", 3},
    {"last_day", "d", ValueKind::date, last_day_kernel, "LAST_DAY(time)"},
    {"datediff", "dd", kInteger, date_difference_kernel, "DATEDIFF(later, earlier)"},
});

}  // namespace

std::span<const PlainFunction> plain_functions() noexcept {
  return kFunctions;
}

}  // namespace tidemark::core
