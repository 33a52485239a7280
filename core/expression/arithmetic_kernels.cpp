// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic: checked integers, scaled decimals, doubles that stay finite. By zero: NULL.
#include <cmath>
#include <limits>

#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/row_loops.hpp"

namespace tidemark::core {
namespace {

// Integers and decimals of one scale: T is int64_t or Int128.
template <typename T>
struct Whole {
  static Fate add(T a, T b, T& out) { return failed_if(__builtin_add_overflow(a, b, &out)); }
  static Fate subtract(T a, T b, T& out) { return failed_if(__builtin_sub_overflow(a, b, &out)); }
  static Fate multiply(T a, T b, T& out) { return failed_if(__builtin_mul_overflow(a, b, &out)); }
  static Fate modulo(T a, T b, T& out) {
    out = b == 0 || b == -1 ? 0 : a % b;  // by -1: the machine's division of the minimum would trap
    return null_if(b == 0);
  }
  static Fate integer_divide(T a, T b, int64_t& out) {
    out = 0;
    if (b == 0) return Fate::null;
    if (b == -1) {
      T negated = 0;
      return failed_if(__builtin_sub_overflow(T{0}, a, &negated) || __builtin_add_overflow(negated, 0, &out));
    }
    return failed_if(__builtin_add_overflow(a / b, 0, &out));
  }
};

Fate finite(double value, double& out) {
  out = value;
  return failed_if(!std::isfinite(value));
}

template <SyntaxOperator kOperation>
Fate apply_double(double a, double b, double& out) {
  if constexpr (kOperation == SyntaxOperator::add) return finite(a + b, out);
  if constexpr (kOperation == SyntaxOperator::subtract) return finite(a - b, out);
  if constexpr (kOperation == SyntaxOperator::multiply) return finite(a * b, out);
  if (b == 0) return Fate::null;
  if constexpr (kOperation == SyntaxOperator::divide) {
    return finite(a / b, out);
  } else {
    return finite(std::fmod(a, b), out);
  }
}

template <SyntaxOperator kOperation>
void doubles(const Frame& frame, const Step& step) {
  map_rows<double(double, double)>(frame, step, apply_double<kOperation>);
}

template <typename T, auto kFunction>
void whole(const Frame& frame, const Step& step) {
  map_rows<T(T, T)>(frame, step, kFunction);
}
// Divisions of Int128 are slow: not for rows without values.
template <typename T, typename Out, auto kFunction>
void whole_division(const Frame& frame, const Step& step) {
  map_valid_rows<Out(T, T)>(frame, step, kFunction);
}

void multiply_and_drop(const Frame& frame, const Step& step) {
  const auto drop = static_cast<unsigned>(step.parameter.integer);
  map_valid_rows<Int128(Int128, Int128)>(
      frame, step, [drop](Int128 a, Int128 b, Int128& out) { return failed_if(!multiply_decimals(a, b, drop, out)); });
}

void divide_scaled(const Frame& frame, const Step& step) {
  const auto raise = static_cast<unsigned>(step.parameter.integer);
  map_valid_rows<Int128(Int128, Int128)>(frame, step, [raise](Int128 a, Int128 b, Int128& out) {
    if (b == 0) return Fate::null;
    return failed_if(!divide_decimals(a, b, raise, out));
  });
}

Kernel integer_kernel(SyntaxOperator operation) {
  switch (operation) {
    case SyntaxOperator::add:
      return whole<int64_t, Whole<int64_t>::add>;
    case SyntaxOperator::subtract:
      return whole<int64_t, Whole<int64_t>::subtract>;
    case SyntaxOperator::multiply:
      return whole<int64_t, Whole<int64_t>::multiply>;
    case SyntaxOperator::modulo:
      return whole<int64_t, Whole<int64_t>::modulo>;
    default:  // integer_divide; divide is done in decimals
      return whole<int64_t, Whole<int64_t>::integer_divide>;
  }
}

Kernel decimal_kernel(SyntaxOperator operation) {
  switch (operation) {
    case SyntaxOperator::add:
      return whole<Int128, Whole<Int128>::add>;
    case SyntaxOperator::subtract:
      return whole<Int128, Whole<Int128>::subtract>;
    case SyntaxOperator::multiply:
      return multiply_and_drop;
    case SyntaxOperator::divide:
      return divide_scaled;
    case SyntaxOperator::modulo:
      return whole_division<Int128, Int128, Whole<Int128>::modulo>;
    default:
      return whole_division<Int128, int64_t, Whole<Int128>::integer_divide>;
  }
}

Kernel double_kernel(SyntaxOperator operation) {
  switch (operation) {
    case SyntaxOperator::add:
      return doubles<SyntaxOperator::add>;
    case SyntaxOperator::subtract:
      return doubles<SyntaxOperator::subtract>;
    case SyntaxOperator::multiply:
      return doubles<SyntaxOperator::multiply>;
    case SyntaxOperator::divide:
      return doubles<SyntaxOperator::divide>;
    default:
      return doubles<SyntaxOperator::modulo>;
  }
}

template <typename T>
void negate(const Frame& frame, const Step& step) {
  map_rows<T(T)>(frame, step, [](T a, T& out) {
    if constexpr (std::is_same_v<T, double>) {
      out = -a;
      return Fate::value;
    } else {
      return failed_if(__builtin_sub_overflow(T{0}, a, &out));
    }
  });
}

}  // namespace

Kernel arithmetic_kernel(SyntaxOperator operation, ValueKind kind) {
  if (kind == ValueKind::floating) return double_kernel(operation);
  return kind == ValueKind::decimal ? decimal_kernel(operation) : integer_kernel(operation);
}

Kernel negate_kernel(ValueKind kind) {
  if (kind == ValueKind::floating) return negate<double>;
  return kind == ValueKind::decimal ? negate<Int128> : negate<int64_t>;
}

}  // namespace tidemark::core
