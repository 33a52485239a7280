// SPDX-License-Identifier: Apache-2.0
//
// Rounding is exact for integers and decimals: by division of whole numbers.
#include "core/expression/number_kernels.hpp"

#include <cmath>

#include "core/expression/decimal_math.hpp"
#include "core/expression/row_loops.hpp"

namespace tidemark::core {
namespace {

constexpr unsigned kDigitsMax = 38;  // a larger power of ten is more than twice any number

template <typename T>
void absolute(const Frame& frame, const Step& step) {
  map_rows<T(T)>(frame, step, [](T a, T& out) {
    out = a;
    if constexpr (std::is_floating_point_v<T>) {
      out = std::fabs(a);
      return Fate::value;
    } else {
      return failed_if(a < 0 && __builtin_sub_overflow(T{0}, a, &out));
    }
  });
}

template <typename T>
void sign(const Frame& frame, const Step& step) {
  map_rows<int64_t(T)>(frame, step, [](T a, int64_t& out) {
    out = a > 0 ? 1 : a < 0 ? -1 : 0;
    return Fate::value;
  });
}

template <Rounding kRounding>
Int128 divide(Int128 value, Int128 divisor) {
  if constexpr (kRounding == Rounding::half_away) return divide_rounded(value, divisor);
  const Int128 rest = value % divisor;
  Int128 out = value / divisor;
  if constexpr (kRounding == Rounding::floor) out -= rest < 0 ? 1 : 0;
  if constexpr (kRounding == Rounding::ceiling) out += rest > 0 ? 1 : 0;
  return out;
}

// In units of 10^digits, of which 10^back are put back.
template <typename T, Rounding kRounding>
void round_whole(const Frame& frame, const Step& step) {
  const auto back = static_cast<unsigned>(step.parameter.integer);
  const auto digits = std::is_same_v<T, int64_t> ? back : static_cast<unsigned>(step.parameter.decimal);
  const bool all_gone = digits > kDigitsMax;
  const Int128 divisor = power_of_ten(all_gone ? 0 : digits);
  const Int128 factor = power_of_ten(all_gone ? 0 : back);
  map_valid_rows<T(T)>(frame, step, [all_gone, divisor, factor](T a, T& out) {
    out = 0;
    if (all_gone) return Fate::value;
    Int128 rounded = 0;
    const bool overflow = __builtin_mul_overflow(divide<kRounding>(a, divisor), factor, &rounded);
    return failed_if(overflow || __builtin_add_overflow(rounded, 0, &out));
  });
}

template <Rounding kRounding>
Kernel round_as(ValueKind kind) {
  return kind == ValueKind::decimal ? round_whole<Int128, kRounding> : round_whole<int64_t, kRounding>;
}

template <Rounding kRounding>
double round_to_whole(double value) {
  switch (kRounding) {
    case Rounding::half_away:
      return std::nearbyint(value);
    case Rounding::down:
      return std::trunc(value);
    case Rounding::floor:
      return std::floor(value);
    case Rounding::ceiling:
      return std::ceil(value);
  }
}

template <Rounding kRounding>
void round_double(const Frame& frame, const Step& step) {
  const int64_t digits = step.parameter.integer;
  const double power = std::pow(10.0, std::fabs(static_cast<double>(digits)));
  map_rows<double(double)>(frame, step, [digits, power](double a, double& out) {
    if (digits < 0) {
      out = std::isinf(power) ? 0.0 : round_to_whole<kRounding>(a / power) * power;
    } else {
      const double scaled = a * power;
      out = std::isfinite(scaled) ? round_to_whole<kRounding>(scaled) / power : a;
    }
    return failed_if(!std::isfinite(out));
  });
}

template <typename F>
void map_doubles(const Frame& frame, const Step& step, F f) {
  map_rows<double(double)>(frame, step, [f](double a, double& out) {
    out = f(a);
    return failed_if(!std::isfinite(out));
  });
}

// f where `a` is above the limit, else NULL.
template <typename F>
void map_logarithm(const Frame& frame, const Step& step, F f) {
  map_rows<double(double)>(frame, step, [f](double a, double& out) {
    out = f(a > 0 ? a : 1);
    return null_if(!(a > 0));
  });
}

}  // namespace

Kernel absolute_kernel(ValueKind kind) {
  if (kind == ValueKind::floating) return absolute<double>;
  return kind == ValueKind::decimal ? absolute<Int128> : absolute<int64_t>;
}

Kernel sign_kernel(ValueKind kind) {
  if (kind == ValueKind::floating) return sign<double>;
  return kind == ValueKind::decimal ? sign<Int128> : sign<int64_t>;
}

Kernel round_kernel(Rounding rounding, ValueKind kind) {
  switch (rounding) {
    case Rounding::half_away:
      return round_as<Rounding::half_away>(kind);
    case Rounding::down:
      return round_as<Rounding::down>(kind);
    case Rounding::floor:
      return round_as<Rounding::floor>(kind);
    default:
      return round_as<Rounding::ceiling>(kind);
  }
}

Kernel round_double_kernel(Rounding rounding) {
  switch (rounding) {
    case Rounding::half_away:
      return round_double<Rounding::half_away>;
    case Rounding::down:
      return round_double<Rounding::down>;
    case Rounding::floor:
      return round_double<Rounding::floor>;
    default:
      return round_double<Rounding::ceiling>;
  }
}

void square_root_kernel(const Frame& frame, const Step& step) {
  map_rows<double(double)>(frame, step, [](double a, double& out) {
    out = std::sqrt(a >= 0 ? a : 0);
    return null_if(!(a >= 0));
  });
}
void exponential_kernel(const Frame& frame, const Step& step) {
  map_doubles(frame, step, [](double a) { return std::exp(a); });
}
void natural_logarithm_kernel(const Frame& frame, const Step& step) {
  map_logarithm(frame, step, [](double a) { return std::log(a); });
}
void decimal_logarithm_kernel(const Frame& frame, const Step& step) {
  map_logarithm(frame, step, [](double a) { return std::log10(a); });
}
void binary_logarithm_kernel(const Frame& frame, const Step& step) {
  map_logarithm(frame, step, [](double a) { return std::log2(a); });
}
void power_kernel(const Frame& frame, const Step& step) {
  map_rows<double(double, double)>(frame, step, [](double a, double b, double& out) {
    out = std::pow(a, b);
    return failed_if(!std::isfinite(out));
  });
}

}  // namespace tidemark::core
