// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the small languages of a job file: column expressions, variables, durations, sizes, decimals, and the
// spelling of times. Places in messages must lie inside the text. One thread.
#include "config/job/environment.hpp"
#include "config/job/nearest_name.hpp"
#include "config/job/units.hpp"
#include "core/base/int256.hpp"
#include "core/base/time.hpp"
#include "core/plan/aggregate_functions.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace tidemark::fuzz {
namespace {

void expression(std::string_view text) {
  const auto found = core::find_aggregate_calls(text, core::aggregate_names());
  const auto inside = [&](const core::ExpressionPlace& place) {
    // One past the end stands for what is missing there.
    return place.offset <= text.size() && place.size <= text.size() + 1 - place.offset;
  };
  const auto check = [&](const core::ExpressionError& error) {
    require(inside(error.place) && !error.text.empty(), "a problem has a place and a text");
  };
  if (const auto* error = std::get_if<core::ExpressionError>(&found)) return check(*error);
  for (const core::AggregateCall& call : std::get<core::AggregateCalls>(found).calls) {
    require(inside(call.place) && inside(call.name_place), "places lie inside the text");
    const auto planned = core::plan_call(text, call);
    if (const auto* error = std::get_if<core::ExpressionError>(&planned)) check(*error);
  }
}

void variables(std::string_view text, bool allow_missing) {
  const config::Environment environment = [](const std::string& name) -> std::optional<std::string> {
    if (name.size() == 1) return "${Y}";
    return std::nullopt;
  };
  const config::Substituted out = config::substitute(text, environment, allow_missing);
  for (const auto& problem : out.problems) {
    require(problem.offset <= text.size() && problem.length <= text.size() - problem.offset,
            "a problem lies inside the text");
  }
  require(out.changed || !out.problems.empty() || out.text == text, "nothing replaced, nothing changed");
}

void units(std::string_view text) {
  (void)config::read_duration(text);
  const config::SizeText size = config::read_size(text);
  if (size.problem == config::UnitProblem::none) {
    require(config::read_size(config::format_size(size.bytes)).bytes == size.bytes, "a size survives its text");
  }
  if (const auto length = core::parse_duration(text); length && *length != core::kEndOfTime) {
    require(core::parse_duration(core::format_duration(*length)) == *length, "a duration survives its text");
  }
}

void numbers(std::string_view text, unsigned scale) {
  core::Int256 value;
  if (core::parse_decimal(text, scale, value)) {
    core::Int256 again;
    require(core::parse_decimal(core::to_decimal_text(value, scale), scale, again) && again == value,
            "a decimal survives its text");
  }
}

void times(uint64_t bits) {
  const auto time = static_cast<core::Micros>(bits);
  require(!core::format_rfc3339(time).empty(), "each time has a text");
  if (time != core::kNoTime && time != core::kEndOfTime) (void)core::format_duration(time);
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  fuzz::Input input(data, size);
  const uint8_t which = input.byte();
  const std::string text(fuzz::text_of(input.rest()));
  switch (which % 5) {
    case 0:
      fuzz::expression(text);
      break;
    case 1:
      fuzz::variables(text, (which & 0x80) != 0);
      break;
    case 2:
      fuzz::units(text);
      break;
    case 3:
      fuzz::numbers(text, (which >> 3) % 31);
      break;
    default:
      fuzz::Input numbers(data, size);
      fuzz::times(numbers.number(8));
  }
  return 0;
}
