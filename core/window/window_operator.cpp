// SPDX-License-Identifier: Apache-2.0
//
// What every kind of window asks of its aggregate, and which operator serves it.
#include "core/window/window_operator.hpp"

#include "core/window/accumulator_layout.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/session_operator.hpp"
#include "core/window/sliced_operator.hpp"
#include "core/window/window_assigner.hpp"

namespace tidemark::core {
namespace {

Status check_firing(const Firing& firing, const std::string& place) {
  if (firing.rule == FiringRule::every && firing.interval_us <= 0) {
    return Status(Code::config, place + "the interval must be above zero");
  }
  if (firing.rule == FiringRule::count && firing.count == 0) {
    return Status(Code::config, place + "the count must be above zero");
  }
  return Status::ok();
}

Status check_spec(const AggregateSpec& spec, const BatchLayout& input) {
  const std::string place = "aggregate '" + spec.id + "': ";
  if (spec.allowed_lateness_us < 0) return Status(Code::config, place + "allowed_lateness must not be negative");
  for (const uint32_t column : spec.key_columns) {
    if (column >= input.columns.size()) {
      return Status(Code::config, place + "there is no key column number " + std::to_string(column));
    }
  }
  const WindowSpec& window = spec.window;
  const bool overlaps =
      window.kind == WindowKind::cumulative || (window.kind == WindowKind::sliding && window.size_us > window.slide_us);
  if (spec.emit.purge && overlaps) {
    return Status(Code::config, place +
                                    "windows that overlap share their rows, so a result cannot empty them; leave "
                                    "out purge, or use tumbling windows");
  }
  if (window.processing_time && window.kind == WindowKind::sliding && window.size_us < window.slide_us) {
    return Status(Code::config, place +
                                    "by processing time every row has a window, so the slide must not be longer "
                                    "than the size");
  }
  if (window.processing_time && spec.changelog) {
    return Status(Code::config, place +
                                    "windows by processing time cannot take rows back, since these come at another "
                                    "time than the rows they take away; use event time, or inserts only");
  }
  if (Status status = check_firing(spec.emit.early, place + "early results: "); !status) return status;
  return check_firing(spec.emit.late, place + "late results: ");
}

template <typename Operator>
Result<std::unique_ptr<WindowOperator>> prepared(std::unique_ptr<Operator> made) {
  if (Status status = made->prepare(); !status) return status;
  return std::unique_ptr<WindowOperator>(std::move(made));
}

}  // namespace

Result<std::unique_ptr<WindowOperator>> WindowOperator::create(AggregateSpec spec,
                                                               const std::shared_ptr<const BatchLayout>& input) {
  if (Status status = check_spec(spec, *input); !status) return status;
  Result<AccumulatorLayout> layout = AccumulatorLayout::compile(spec, *input);
  if (!layout) return layout.status();
  KeyCodec codec(spec.key_columns, *input);
  if (spec.window.kind == WindowKind::session) {
    if (Status status = check_window(spec.window); !status) return status.with_context("aggregate '" + spec.id + "'");
    return prepared(std::make_unique<SessionOperator>(std::move(spec), std::move(*layout), std::move(codec)));
  }
  Result<WindowAssigner> assigner = WindowAssigner::create(spec.window);
  if (!assigner) return assigner.status().with_context("aggregate '" + spec.id + "'");
  return prepared(
      std::make_unique<SlicedOperator>(std::move(spec), std::move(*layout), std::move(codec), std::move(*assigner)));
}

Status PaneChange::visit_merged(std::vector<StoredRun>&& /*runs*/,
                                const std::function<void(const EntryView&)>& /*visit*/) const {
  return {Code::internal, "entries of groups that are in memory are not added to others"};
}

bool WindowOperator::keep_groups_in(StoredGroups& /*store*/, size_t /*bytes*/) {
  return false;
}

Status WindowOperator::leave(size_t /*bytes*/) {
  return {};
}

Status WindowOperator::restore_group(Micros /*pane_end*/, uint32_t /*key_group*/) {
  return {Code::damage, "aggregate '" + spec().id +
                            "': the state has entries to be added to others, which this kind of window does not make; "
                            "it is damaged or of another job"};
}

Status WindowOperator::fire(size_t rows_max, std::vector<FiredRows>& fired) {
  size_t given = 0;
  while (is_firing() && given < rows_max) {
    const size_t before = fired.size();
    if (Status status = fire_step(fired); !status) return status;
    for (size_t i = before; i < fired.size(); ++i) given += fired[i].rows->rows;
  }
  return Status::ok();
}

}  // namespace tidemark::core
