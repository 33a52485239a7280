// SPDX-License-Identifier: Apache-2.0
//
// Durations are parsed by core/base; this adds the reasons. Sizes are parsed here.
#include "config/job/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace tidemark::config {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::array<std::string_view, 7> kDurationUnits = {"ns", "us", "ms", "s", "m", "h", "d"};

struct SizeUnit {
  std::string_view name;
  uint64_t bytes;
};
// Largest first; of two of nearly the same size the power of 1024 first.
constexpr std::array<SizeUnit, 10> kSizeUnits = {{{"TiB", uint64_t{1} << 40},
                                                  {"TB", 1'000'000'000'000},
                                                  {"GiB", uint64_t{1} << 30},
                                                  {"GB", 1'000'000'000},
                                                  {"MiB", uint64_t{1} << 20},
                                                  {"MB", 1'000'000},
                                                  {"KiB", uint64_t{1} << 10},
                                                  {"kB", 1'000},
                                                  {"KB", 1'000},
                                                  {"B", 1}}};

std::string without_spaces(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  return out;
}

bool is_number(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || std::string_view(".eE_+-").find(c) != std::string_view::npos;
  });
}

// Why core::parse_duration refused `text`.
DurationText explain_duration(std::string_view text) {
  if (is_number(text)) return {0, UnitProblem::no_unit, {}};
  const std::string packed = without_spaces(text);
  if (packed.size() != text.size()) {
    return {0, core::parse_duration(packed) ? UnitProblem::spaces : UnitProblem::malformed, packed};
  }
  std::string_view rest = text;
  if (!rest.empty() && rest.front() == '-') rest.remove_prefix(1);
  bool tiny = true;
  while (!rest.empty()) {
    const size_t digits = rest.find_first_not_of("0123456789.");
    if (digits == 0) return {0, UnitProblem::malformed, {}};
    if (digits == std::string_view::npos) return {0, UnitProblem::no_unit, std::string(rest)};
    tiny = tiny && (rest.starts_with('0') || rest.substr(digits).starts_with("ns"));
    rest.remove_prefix(digits);
    const std::string_view unit = rest.substr(0, std::min(rest.size(), rest.find_first_of("0123456789.")));
    if (std::find(kDurationUnits.begin(), kDurationUnits.end(), unit) == kDurationUnits.end()) {
      return {0, UnitProblem::unknown_unit, std::string(unit)};
    }
    rest.remove_prefix(unit.size());
  }
  if (text.empty() || text == "-" || text.find("..") != std::string_view::npos) return {0, UnitProblem::malformed, {}};
  return {0, tiny ? UnitProblem::too_small : UnitProblem::too_large, {}};
}

}  // namespace

DurationText read_duration(std::string_view text) {
  if (const std::optional<core::Micros> value = core::parse_duration(text)) return {*value, UnitProblem::none, {}};
  return explain_duration(text);
}

SizeText read_size(std::string_view text) {
  if (is_number(text)) return {0, UnitProblem::no_unit, {}};
  const std::string packed = without_spaces(text);
  if (packed.size() != text.size()) {
    return {0, read_size(packed).problem == UnitProblem::none ? UnitProblem::spaces : UnitProblem::malformed, packed};
  }
  const size_t digits = std::min(text.size(), text.find_first_not_of("0123456789"));
  if (digits == 0) return {0, UnitProblem::malformed, {}};
  const std::string_view name = text.substr(digits);
  const auto unit =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(), [&](const SizeUnit& u) { return u.name == name; });
  if (unit == kSizeUnits.end()) return {0, UnitProblem::unknown_unit, std::string(name)};
  uint64_t bytes = 0;
  for (const char c : text.substr(0, digits)) {
    if (__builtin_mul_overflow(bytes, uint64_t{10}, &bytes) ||
        __builtin_add_overflow(bytes, static_cast<uint64_t>(c - '0'), &bytes)) {
      return {0, UnitProblem::too_large, {}};
    }
  }
  if (__builtin_mul_overflow(bytes, unit->bytes, &bytes)) return {0, UnitProblem::too_large, {}};
  return {bytes, UnitProblem::none, {}};
}

std::string format_size(uint64_t bytes) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (bytes >= unit.bytes && bytes % unit.bytes == 0) return fmt::format("{}{}", bytes / unit.bytes, unit.name);
  }
  return fmt::format("{}B", bytes);
}

}  // namespace tidemark::config
