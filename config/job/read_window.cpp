// SPDX-License-Identifier: Apache-2.0
//
// `window` of an aggregate: which keys each kind of window has, and which lengths fit each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "config/job/sections.hpp"
#include "core/base/time.hpp"

namespace tidemark::config {
namespace {

using core::format_duration;

/// The keys of one kind of window, beside type, offset, time_zone and time.
struct KindKeys {
  WindowType type;
  const char* example;
  std::vector<std::string_view> keys;  // all of them needed, but for a session's max_size
};

const KindKeys& keys_of_kind(WindowType type) {
  static const std::array<KindKeys, 5> kKinds = {{
      {WindowType::tumbling, R"(window = { type = "tumbling", size = "1m" })", {"size"}},
      {WindowType::sliding, R"(window = { type = "sliding", size = "10m", slide = "1m" })", {"size", "slide"}},
      {WindowType::cumulative,
       R"(window = { type = "cumulative", max_size = "1d", step = "5m" })",
       {"max_size", "step"}},
      {WindowType::session, R"(window = { type = "session", gap = "30m", max_size = "12h" })", {"gap", "max_size"}},
      {WindowType::global, R"(window = { type = "global" })", {}},
  }};
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const KindKeys& one) { return one.type == type; });
}

constexpr std::array<std::string_view, 5> kLengths = {"size", "slide", "step", "max_size", "gap"};

void contradiction(ReadContext& context, Span span, std::string text, std::string help) {
  context.diagnostics.error(code::kContradiction, span, std::move(text)).with_help(std::move(help));
}

// Lengths that belong to another kind of window.
void refuse_foreign(TableReader& table, const KindKeys& kind, const char* word, ReadContext& context) {
  for (const std::string_view key : kLengths) {
    const TomlEntry* entry = table.find(key);
    if (entry == nullptr || std::find(kind.keys.begin(), kind.keys.end(), key) != kind.keys.end()) continue;
    contradiction(context, entry->key_span, fmt::format("a {} window has no `{}`", word, key),
                  fmt::format("write {}", kind.example));
  }
}

void check_sliding(const WindowSpec& window, ReadContext& context) {
  const core::Micros size = window.size_us.value;
  const core::Micros slide = window.slide_us.value;
  const core::Micros slice = std::gcd(size, slide);
  if ((size - 1) / slide >= defaults::kWindowsPerRowMax) {
    context.diagnostics
        .error(code::kOutOfRange, window.slide_us.span, fmt::format("every row would be in {} windows", size / slide))
        .with_help(fmt::format("a `slide` of {} or more", format_duration(size / defaults::kWindowsPerRowMax + 1)));
  } else if (size % slide != 0 && window.time_zone.value != "UTC") {
    contradiction(context, window.slide_us.span,
                  fmt::format("in a time zone `size` must be a multiple of `slide`; {} is none of {}",
                              format_duration(size), format_duration(slide)),
                  "windows then begin and end at the zone's own hours and days");
  } else if (size / slice > defaults::kWindowsPerRowMax) {
    contradiction(
        context, window.slide_us.span,
        fmt::format("`size` and `slide` have nothing longer than {} in common, and windows share pieces of that",
                    format_duration(slice)),
        "make `size` a multiple of `slide`, or both multiples of a longer time");
  } else if (size < slide && window.time.value == WindowTime::processing) {
    contradiction(context, window.slide_us.span,
                  "in processing time every row has a window: `slide` cannot be longer than `size`",
                  "make `slide` at most as long as `size`");
  } else if (size < slide) {
    context.diagnostics
        .warning(code::kDoubtful, window.slide_us.span,
                 "rows between two windows are in none of them, since `slide` is longer than `size`")
        .with_help("they are counted as filtered; make `slide` at most as long as `size` to have every row");
  }
}

void check_cumulative(const WindowSpec& window, ReadContext& context) {
  const core::Micros size = window.size_us.value;
  const core::Micros step = window.slide_us.value;
  if (size % step != 0) {
    contradiction(context, window.slide_us.span,
                  fmt::format("`max_size` must be a multiple of `step`; {} is none of {}", format_duration(size),
                              format_duration(step)),
                  "such as max_size = \"1d\", step = \"5m\"");
  } else if (size / step > defaults::kWindowsPerRowMax) {
    context.diagnostics
        .error(code::kOutOfRange, window.slide_us.span, fmt::format("a window would have {} steps", size / step))
        .with_help(fmt::format("a `step` of {} or more", format_duration(size / defaults::kWindowsPerRowMax)));
  }
}

void check_offset(const WindowSpec& window, ReadContext& context) {
  if (!window.offset_us.given) return;
  const WindowType type = window.type.value;
  if (type == WindowType::session || type == WindowType::global) {
    contradiction(context, window.offset_us.span, fmt::format("a {} window has no `offset`", to_text(type)),
                  "remove it: its bounds follow the rows");
    return;
  }
  const bool sliding = type == WindowType::sliding;
  const core::Micros period = sliding ? window.slide_us.value : window.size_us.value;
  if (std::max(window.offset_us.value, -window.offset_us.value) < period) return;
  contradiction(context, window.offset_us.span,
                fmt::format("`offset` must be shorter than `{}`", sliding                          ? "slide"
                                                                  : type == WindowType::cumulative ? "max_size"
                                                                                                   : "size"),
                fmt::format("less than {}, more than -{}", format_duration(period), format_duration(period)));
}

void read_lengths(TableReader& table, const KindKeys& kind, WindowSpec& out) {
  const auto needed = [&](std::string_view key, Range<core::Micros> range) {
    return table.required_duration(key, range, fmt::format("such as {}", kind.example));
  };
  switch (out.type.value) {
    case WindowType::tumbling:
      out.size_us = needed("size", defaults::kWindowSizeRange);
      break;
    case WindowType::sliding:
      out.size_us = needed("size", defaults::kWindowSizeRange);
      out.slide_us = needed("slide", defaults::kSlideRange);
      break;
    case WindowType::cumulative:
      out.size_us = needed("max_size", defaults::kWindowSizeRange);
      out.slide_us = needed("step", defaults::kSlideRange);
      break;
    case WindowType::session:
      out.gap_us = needed("gap", defaults::kGapRange);
      out.max_size_us = table.duration("max_size", 0, defaults::kWindowSizeRange);
      break;
    case WindowType::global:
      break;
  }
}

}  // namespace

WindowSpec read_window(TableReader& aggregate, const std::string& path, ReadContext& context) {
  WindowSpec out;
  out.span = aggregate.span();
  const char* example = keys_of_kind(WindowType::tumbling).example;
  const TomlEntry* entry = aggregate.find_table("window");
  if (entry == nullptr) {
    if (aggregate.find("window") == nullptr) aggregate.missing("window", fmt::format("such as {}", example));
    return out;
  }
  out.span = entry->value.span;
  TableReader table(context, entry->value, TableKind::window, path + ".window");
  if (table.find("type") == nullptr) {
    table.missing("type", fmt::format("such as {}", example));
    return out;
  }
  const size_t before = context.diagnostics.error_count();
  out.type = table.choice("type", WindowType::tumbling, kWindowTypes);
  if (context.diagnostics.error_count() != before) return out;  // what its keys mean is not known
  const KindKeys& kind = keys_of_kind(out.type.value);
  refuse_foreign(table, kind, to_text(out.type.value), context);
  read_lengths(table, kind, out);
  out.offset_us = table.duration("offset", 0, defaults::kOffsetRange);
  out.time_zone = table.text("time_zone", context.time_zone);
  check_time_zone(out.time_zone, table.find("time_zone"), context);
  out.time = table.choice("time", WindowTime::event, kWindowTimes);
  table.finish();
  if (context.diagnostics.error_count() != before) return out;
  if (out.type.value == WindowType::sliding) check_sliding(out, context);
  if (out.type.value == WindowType::cumulative) check_cumulative(out, context);
  check_offset(out, context);
  return out;
}

}  // namespace tidemark::config
