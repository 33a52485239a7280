// SPDX-License-Identifier: Apache-2.0
//
// Rows that count reach from the watermark less the allowed lateness to the watermark and what it stays behind; the
// pieces of time that this span touches are open.
#include "core/observe/state_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/hash.hpp"
#include "core/observe/explanation.hpp"
#include "core/window/key_arena.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/key_sessions.hpp"
#include "core/window/pane_table.hpp"
#include "core/window/window_assigner.hpp"

namespace tidemark::core {
namespace {

constexpr uint64_t kMillion = 1'000'000;
constexpr uint32_t kMeasuredGroups = 6'000;  // tables double: between their best and their worst
constexpr uint64_t kSessionPlaces = 200;     // of a key in the tables that find it and its timers

uint64_t key_width(const KeyCodec& codec) {
  uint64_t bytes = 0;
  for (const ColumnInfo& column : codec.columns()) {
    bytes += 1 + (is_variable_width(column.type) ? kAssumedTextBytes + 2 : value_width(column.type));
  }
  return bytes;
}

// What a table of that many groups takes per group.
uint64_t measure_group(const AccumulatorLayout& layout, uint64_t key_bytes, KeptResult kept) {
  PaneTable table(layout, kept);
  std::string key(key_bytes, '\0');
  const uint32_t groups = key_bytes < 2 ? 1 : kMeasuredGroups;
  for (uint32_t i = 0; i < groups; ++i) {
    if (key_bytes >= 2) key[0] = static_cast<char>(i & 0xff);
    if (key_bytes >= 2) key[1] = static_cast<char>(i >> 8);
    table.touch(hash_bytes(key), key);
  }
  return table.memory_bytes() / groups;
}

uint64_t session_bytes(const AccumulatorLayout& layout, uint64_t key_bytes) {
  return sizeof(KeySessions) + sizeof(KeySessions::Set::Piece) + sizeof(SessionRecord) + kSessionPlaces +
         layout.width() + key_bytes;
}

struct Span {
  std::optional<Micros> length;  // none: not told by the settings
  std::string why_unknown;
  bool is_aligned = true;
  bool has_splits_apart = false;
};

// From the oldest event time that is still taken to the newest.
Span open_span(const JobPlan& plan, const AggregatePlan& aggregate) {
  Span out;
  Micros longest = 0;
  for (const uint32_t source : aggregate.sources) {
    const WatermarkPlan& watermark = plan.sources[source].watermark;
    out.is_aligned = out.is_aligned && watermark.alignment.has_value();
    switch (watermark.strategy.kind) {
      case WatermarkStrategyKind::bounded_out_of_orderness:
      case WatermarkStrategyKind::ascending: {
        const Micros drift = watermark.alignment ? watermark.alignment->terms.max_drift_us : 0;
        longest = std::max(longest, saturating_add(watermark.strategy.max_out_of_orderness_us, drift));
        break;
      }
      case WatermarkStrategyKind::none:
        out.why_unknown = "no watermark closes them: all windows stay open until the input ends";
        break;
      case WatermarkStrategyKind::source_watermarks:
      case WatermarkStrategyKind::punctuated:
      case WatermarkStrategyKind::plugin:
        out.why_unknown =
            "how many are open depends on how far the rows are ahead of the watermarks that come with them";
        break;
    }
  }
  for (const uint32_t read : aggregate.upstream) {
    if (plan.aggregates[read].spec.emit.early.rule == FiringRule::never) continue;
    out.why_unknown = "how many are open depends on how early the results come that it reads";
  }
  if (aggregate.spec.window.processing_time) return {0, {}, true, false};
  if (!out.why_unknown.empty()) return out;
  out.length = saturating_add(longest, aggregate.spec.allowed_lateness_us);
  out.has_splits_apart = !out.is_aligned;
  return out;
}

uint64_t pieces_in(Micros span, Micros piece) {
  return static_cast<uint64_t>(span / piece + (span % piece != 0 ? 1 : 0)) + 1;
}

// Length of the pieces of time that rows are gathered in; 0 where there are none of a fixed length.
Micros piece_length(const WindowSpec& window) {
  if (window.kind == WindowKind::session || window.kind == WindowKind::global) return 0;
  auto assigner = WindowAssigner::create(window);
  if (!assigner) return 0;
  const auto slice = assigner->slice_of(window.offset_us);
  return slice ? slice->end - slice->start : window.size_us;
}

void count_pieces(const Span& span, const WindowSpec& window, StateEstimate& out) {
  const bool is_one = window.kind == WindowKind::tumbling || window.kind == WindowKind::global;
  out.pieces_name = is_one ? "windows" : window.kind == WindowKind::session ? "sessions" : "slices";
  if (window.kind == WindowKind::global) {
    out.pieces = 1;
    out.words.push_back("one window holds all groups that ever were; none is forgotten before the input ends");
    return;
  }
  if (window.kind == WindowKind::session) {
    out.words.push_back(fmt::format(
        "a session is kept from its first row until {} past its last one{}; how many a key has open at once "
        "depends on the rows",
        format_duration(saturating_add(window.gap_us, span.length.value_or(0))),
        span.length ? " in event time" : " and longer, since " + span.why_unknown));
    return;
  }
  if (!span.length) {
    out.words.push_back(span.why_unknown);
    return;
  }
  const Micros piece = piece_length(window);
  if (piece <= 0) return;
  out.pieces = pieces_in(is_one ? *span.length : saturating_add(*span.length, window.size_us), piece);
  if (!is_one) {
    out.words.push_back(fmt::format("rows are gathered in slices of {}, of which windows are made when they fire",
                                    format_duration(piece)));
  }
  if (span.has_splits_apart) {
    out.words.push_back(fmt::format(
        "shards that are ahead of the slowest keep more {} open, as many as they are ahead; `alignment` would "
        "bound that",
        out.pieces_name));
  }
}

const char* growth_of(AggregateFunction function, bool changelog) {
  switch (function) {
    case AggregateFunction::count_distinct:
    case AggregateFunction::top_k:
    case AggregateFunction::string_agg:
      return "every distinct value of the group";
    case AggregateFunction::min:
    case AggregateFunction::max:
      return changelog ? "every distinct value of the group, since the outermost may be taken back" : "the value";
    case AggregateFunction::first:
    case AggregateFunction::last:
      return changelog ? "every distinct time and value of the group, since the outermost may be taken back"
                       : "the value";
    case AggregateFunction::approx_count_distinct:
      return "up to 16 KiB";
    case AggregateFunction::quantile:
      return "a count per bucket of near values, of which there are 64 per power of two";
    default:
      return "values that are not finite";
  }
}

}  // namespace

std::optional<uint64_t> StateEstimate::million_groups_bytes() const {
  if (!pieces || *pieces > UINT64_MAX / kMillion / std::max<uint64_t>(group_bytes, 1)) return std::nullopt;
  return group_bytes * *pieces * kMillion;
}

std::string growth_words(AggregateFunction function, bool changelog, const AccumulatorLayout& layout) {
  return layout.fixed_size() ? "" : growth_of(function, changelog);
}

Result<StateEstimate> estimate_state(const JobPlan& plan, const AggregatePlan& aggregate) {
  const AggregateSpec& spec = aggregate.spec;
  const BatchLayout& input = plan.input_of(aggregate);
  const auto layout = AccumulatorLayout::compile(spec, input);
  if (!layout) return layout.status();
  const KeyCodec codec(spec.key_columns, input);
  StateEstimate out;
  out.key_bytes = key_width(codec);
  out.group_bytes = spec.window.kind == WindowKind::session ? session_bytes(*layout, out.key_bytes)
                                                            : measure_group(*layout, out.key_bytes, spec.kept_result());
  count_pieces(open_span(plan, aggregate), spec.window, out);
  if (spec.window.kind == WindowKind::session && SessionRules(spec).keeps_points) {
    out.words.push_back(fmt::format("each event time of a session is kept apart, about {} B each",
                                    sizeof(KeySessions::Set::Piece) + layout->width()));
  }
  const bool has_text = std::any_of(codec.columns().begin(), codec.columns().end(),
                                    [](const ColumnInfo& column) { return is_variable_width(column.type); });
  if (has_text) out.words.push_back(fmt::format("texts in keys are taken to have {} bytes", kAssumedTextBytes));
  if (!layout->fixed_size()) {
    out.words.push_back(
        "values that aggregates keep apart come on top: how many there are is not known before the rows");
  }
  return out;
}

}  // namespace tidemark::core
