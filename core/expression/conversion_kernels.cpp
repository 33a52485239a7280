// SPDX-License-Identifier: Apache-2.0
//
// Numbers to other numbers, to and from texts. A cast that would change more than the last digit is a failure, not
// another number.
#include <charconv>
#include <cmath>

#include "core/expression/characters.hpp"
#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/like_pattern.hpp"
#include "core/expression/row_loops.hpp"
#include "core/expression/temporal_text.hpp"

namespace tidemark::core {
namespace {

void boolean_to_integer(const Frame& frame, const Step& step) {
  const Operands<int64_t(uint64_t)> operands(frame, step);
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    const uint64_t bits = operands.in[0]->values<uint64_t>()[word];
    for (uint32_t i = 0; i < count; ++i) operands.result[first + i] = static_cast<int64_t>(bits >> i & 1);
    operands.settle(word, {});
  });
}

template <typename T>
void is_not_zero(const Frame& frame, const Step& step) {
  test_rows<T>(frame, step, [](T value) { return value != 0; });
}

void integer_to_decimal(const Frame& frame, const Step& step) {
  const Int128 power = step.parameter.decimal;
  map_rows<Int128(int64_t)>(frame, step, [power](int64_t a, Int128& out) {
    return failed_if(__builtin_mul_overflow(Int128{a}, power, &out));
  });
}

void integer_to_double(const Frame& frame, const Step& step) {
  map_rows<double(int64_t)>(frame, step, [](int64_t a, double& out) {
    out = static_cast<double>(a);
    return Fate::value;
  });
}

void decimal_to_double(const Frame& frame, const Step& step) {
  const auto power = static_cast<double>(power_of_ten(static_cast<unsigned>(step.parameter.integer)));
  map_rows<double(Int128)>(frame, step, [power](Int128 a, double& out) {
    out = static_cast<double>(a) / power;
    return Fate::value;
  });
}

void decimal_scale_up(const Frame& frame, const Step& step) {
  const Int128 power = step.parameter.decimal;
  map_rows<Int128(Int128)>(
      frame, step, [power](Int128 a, Int128& out) { return failed_if(__builtin_mul_overflow(a, power, &out)); });
}

void decimal_scale_down(const Frame& frame, const Step& step) {
  const Int128 power = step.parameter.decimal;
  map_valid_rows<Int128(Int128)>(frame, step, [power](Int128 a, Int128& out) {
    out = divide_rounded(a, power);
    return Fate::value;
  });
}

void decimal_to_integer(const Frame& frame, const Step& step) {
  const Int128 power = power_of_ten(static_cast<unsigned>(step.parameter.integer));
  map_valid_rows<int64_t(Int128)>(frame, step, [power](Int128 a, int64_t& out) {
    return failed_if(__builtin_add_overflow(divide_rounded(a, power), 0, &out));
  });
}

void double_to_integer(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(double)>(frame, step, [](double a, int64_t& out) {
    const double rounded = std::nearbyint(a);
    if (!(rounded >= -0x1p63 && rounded < 0x1p63)) return Fate::failed;
    out = static_cast<int64_t>(rounded);
    return Fate::value;
  });
}

// Through the shortest text of the double: 0.1 is 0.1 and not 0.1000000000000000055.
void double_to_decimal(const Frame& frame, const Step& step) {
  const auto scale = static_cast<unsigned>(step.parameter.integer);
  map_valid_rows<Int128(double)>(frame, step, [scale](double a, Int128& out) {
    if (!std::isfinite(a)) return Fate::failed;
    NumberBuffer buffer;
    const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), a).ptr;
    const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
    return failed_if(parse_decimal128(text, scale, out) != NumberText::ok);
  });
}

void decimal_fits(const Frame& frame, const Step& step) {
  const Int128 limit = step.parameter.decimal;
  map_rows<Int128(Int128)>(frame, step, [limit](Int128 a, Int128& out) {
    out = a;
    return failed_if(a >= limit || a <= -limit);
  });
}

Fate text_to_decimal(std::string_view text, unsigned scale, Int128& out) {
  const NumberText read = parse_decimal128(text, scale, out);
  return read == NumberText::ok ? Fate::value : read == NumberText::malformed ? Fate::null : Fate::failed;
}

void parse_decimals(const Frame& frame, const Step& step) {
  const auto scale = static_cast<unsigned>(step.parameter.integer);
  map_valid_rows<Int128(std::string_view)>(
      frame, step, [scale](std::string_view a, Int128& out) { return text_to_decimal(a, scale, out); });
}

/// The sign and the digits that a text begins with.
std::string_view leading_integer(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  size_t end = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return text.substr(0, end);
}

// As MySQL has it: what stands in front of a point or an exponent ("1.6" is 1, "1e3" too).
void parse_integers(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(std::string_view)>(frame, step, [](std::string_view a, int64_t& out) {
    Int128 whole = 0;
    Fate fate = text_to_decimal(a, 0, whole);
    if (fate == Fate::null) return fate;
    const std::string_view digits = leading_integer(a);
    const bool is_fraction = digits.empty() || digits == "-" || digits == "+";  // ".6"
    fate = is_fraction ? Fate::value : text_to_decimal(digits, 0, whole);
    if (is_fraction) whole = 0;
    if (fate != Fate::value) return fate;
    return failed_if(__builtin_add_overflow(whole, 0, &out));
  });
}

void parse_doubles(const Frame& frame, const Step& step) {
  map_valid_rows<double(std::string_view)>(frame, step, [](std::string_view a, double& out) {
    while (!a.empty() && a.front() == ' ') a.remove_prefix(1);
    while (!a.empty() && a.back() == ' ') a.remove_suffix(1);
    if (a.starts_with('+') && !a.starts_with("+-")) a.remove_prefix(1);
    const auto [end, error] = std::from_chars(a.data(), a.data() + a.size(), out);
    if (error == std::errc::result_out_of_range && end == a.data() + a.size()) return Fate::failed;
    if (error != std::errc() || end != a.data() + a.size() || !std::isfinite(out)) return Fate::null;
    return Fate::value;
  });
}

void parse_times(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(std::string_view)>(frame, step, [](std::string_view a, int64_t& out) {
    const auto time = parse_temporal(a);
    if (!time) return Fate::null;
    out = time->micros;
    return Fate::value;
  });
}

// The text of each value, written by std::string_view f(value, buffer).
template <typename T, typename Buffer, typename F>
void write_texts(const Frame& frame, const Step& step, F f) {
  map_valid_rows<std::string_view(T)>(frame, step, [&](const T& a, std::string_view& out) {
    Buffer buffer;
    out = frame.texts->keep(f(a, buffer));
    return Fate::value;
  });
}

template <typename T>
std::string_view number_text(T value, NumberBuffer& buffer) {
  const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), static_cast<size_t>(end - buffer.data())};
}

void integers_to_text(const Frame& frame, const Step& step) {
  write_texts<int64_t, NumberBuffer>(frame, step, number_text<int64_t>);
}
void doubles_to_text(const Frame& frame, const Step& step) {
  write_texts<double, NumberBuffer>(frame, step, number_text<double>);
}
void decimals_to_text(const Frame& frame, const Step& step) {
  const auto scale = static_cast<unsigned>(step.parameter.integer);
  write_texts<Int128, NumberBuffer>(
      frame, step, [scale](Int128 a, NumberBuffer& buffer) { return format_decimal128(a, scale, buffer); });
}
template <bool kDate>
void times_to_text(const Frame& frame, const Step& step) {
  write_texts<int64_t, TemporalBuffer>(
      frame, step, [](int64_t a, TemporalBuffer& buffer) { return format_temporal(a, kDate, buffer); });
}

void cut_text(const Frame& frame, const Step& step) {
  const auto limit = static_cast<uint64_t>(step.parameter.integer);
  map_valid_rows<std::string_view(std::string_view)>(frame, step, [limit](std::string_view a, std::string_view& out) {
    out = a.substr(0, character_offset(a, limit));
    return Fate::value;
  });
}

void copy_text(const Frame& frame, const Step& step) {
  map_rows<std::string_view(std::string_view)>(frame, step, [](std::string_view a, std::string_view& out) {
    out = a;
    return Fate::value;
  });
}

void match_like(const Frame& frame, const Step& step) {
  const std::string_view pattern = step.parameter.text;
  test_rows<std::string_view>(frame, step, [pattern](std::string_view a) { return like_matches(a, pattern); });
}

}  // namespace

Kernel boolean_to_integer_kernel() {
  return boolean_to_integer;
}
Kernel number_to_boolean_kernel(ValueKind from) {
  if (from == ValueKind::floating) return is_not_zero<double>;
  return from == ValueKind::decimal ? is_not_zero<Int128> : is_not_zero<int64_t>;
}
Kernel integer_to_decimal_kernel() {
  return integer_to_decimal;
}
Kernel number_to_double_kernel(ValueKind from) {
  return from == ValueKind::decimal ? decimal_to_double : integer_to_double;
}
Kernel decimal_scale_up_kernel() {
  return decimal_scale_up;
}
Kernel decimal_scale_down_kernel() {
  return decimal_scale_down;
}
Kernel decimal_to_integer_kernel() {
  return decimal_to_integer;
}
Kernel double_to_integer_kernel() {
  return double_to_integer;
}
Kernel double_to_decimal_kernel() {
  return double_to_decimal;
}
Kernel decimal_fits_kernel() {
  return decimal_fits;
}
Kernel text_to_number_kernel(ValueKind to) {
  if (to == ValueKind::floating) return parse_doubles;
  return to == ValueKind::decimal ? parse_decimals : parse_integers;
}
Kernel text_to_time_kernel() {
  return parse_times;
}
Kernel to_text_kernel(ValueKind from) {
  switch (from) {
    case ValueKind::floating:
      return doubles_to_text;
    case ValueKind::decimal:
      return decimals_to_text;
    case ValueKind::date:
      return times_to_text<true>;
    case ValueKind::datetime:
    case ValueKind::timestamp:
      return times_to_text<false>;
    default:
      return integers_to_text;
  }
}
Kernel cut_text_kernel() {
  return cut_text;
}
Kernel copy_text_kernel() {
  return copy_text;
}
Kernel like_kernel() {
  return match_like;
}

}  // namespace tidemark::core
