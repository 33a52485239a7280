// SPDX-License-Identifier: Apache-2.0
//
// Panes as SlicedOperator::restore_entry() reads them, sessions as SessionOperator::restore_entry() does, but one group
// at a time, and without the operators' timers and tables.
#include "core/inspect/entry_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/hash.hpp"
#include "core/batch/cell_text.hpp"
#include "core/window/entry_merge.hpp"

namespace tidemark::core {
namespace {

// As a job file has it: "sum(amount)", "quantile(amount; 0.9)".
std::string call_text(const AggregateColumn& column, const std::string& argument) {
  std::string text = fmt::format("{}({}", function_name(column.function), argument);
  if (column.function == AggregateFunction::quantile) text += fmt::format("; {}", column.fraction);
  if (column.limit != 0) text += fmt::format("; {}", column.limit);
  if (!column.separator.empty()) text += fmt::format("; '{}'", column.separator);
  return text + ")";
}

}  // namespace

const char* kind_name(StateEntry::Kind kind) noexcept {
  switch (kind) {
    case StateEntry::Kind::window:
      return "window";
    case StateEntry::Kind::slice:
      return "slice";
    case StateEntry::Kind::session:
      return "session";
    case StateEntry::Kind::gone:
      return "gone";
  }
  return "?";
}

EntryReader::EntryReader(AggregateSpec spec, AccumulatorLayout layout, KeyCodec codec)
    : spec_(std::move(spec)),
      layout_(std::move(layout)),
      codec_(std::move(codec)),
      session_pages_(spec_, layout_),
      session_rules_(spec_),
      layout_of_cells_(std::make_shared<BatchLayout>()),
      row_(layout_) {
  std::vector<ColumnInfo>& columns = layout_of_cells_->columns;
  columns = codec_.columns();
  for (size_t i = 0; i < std::min(columns.size(), spec_.key_names.size()); ++i) columns[i].name = spec_.key_names[i];
  columns.insert(columns.end(), layout_.output_columns().begin(), layout_.output_columns().end());
  cells_ = std::make_unique<Batch>(layout_of_cells_, 1, 0);
}

Result<std::unique_ptr<EntryReader>> EntryReader::create(AggregateSpec spec, const BatchLayout& input) {
  Result<AccumulatorLayout> layout = AccumulatorLayout::compile(spec, input);
  if (!layout) return layout.status();
  std::optional<WindowAssigner> assigner;
  if (spec.window.kind != WindowKind::session) {
    Result<WindowAssigner> made = WindowAssigner::create(spec.window);
    if (!made) return made.status().with_context("aggregate '" + spec.id + "'");
    assigner = std::move(*made);
  }
  KeyCodec codec(spec.key_columns, input);
  auto reader = std::make_unique<EntryReader>(std::move(spec), std::move(*layout), std::move(codec));
  reader->assigner_ = std::move(assigner);
  return reader;
}

Result<std::unique_ptr<EntryReader>> EntryReader::create(const JobPlan& plan, const AggregatePlan& aggregate) {
  auto reader = create(aggregate.spec, plan.input_of(aggregate));
  if (!reader) return reader;
  for (size_t i = 0; i < aggregate.spec.columns.size(); ++i) {
    ColumnInfo& column = (*reader)->layout_of_cells_->columns[(*reader)->key_count() + i];
    if (column.name.starts_with('$')) column.name = call_text(aggregate.spec.columns[i], aggregate.arguments[i]);
  }
  return reader;
}

bool EntryReader::has_shared_rows() const noexcept {
  const WindowSpec& window = spec_.window;
  return window.kind == WindowKind::cumulative ||
         (window.kind == WindowKind::sliding && window.size_us > window.slide_us);
}

Status EntryReader::damaged(Micros pane_end, const char* what) const {
  return {Code::damage,
          fmt::format("aggregate '{}', pane ending {}: a stored {} does not fit the aggregate; the state is "
                      "damaged or of another job",
                      spec_.id, format_rfc3339(pane_end), what)};
}

bool EntryReader::put_key(std::string_view key) {
  cells_->clear();
  cells_->rows = 1;
  return codec_.decode(key, *cells_, 0, 0);
}

bool EntryReader::matches(const EntryFilter& filter) const {
  return std::all_of(filter.keys.begin(), filter.keys.end(), [this](const auto& wanted) {
    const auto& [column, text] = wanted;
    if (!cells_->column(column).is_valid(0)) return !text;
    std::string value;
    append_cell_text(*cells_, column, 0, value);
    return text == value;
  });
}

// The key is in the cells already.
bool EntryReader::show(const std::byte* row, StateEntry& entry, const Visit& visit) {
  entry.cells = cells_.get();
  entry.rows = AccumulatorLayout::weight(row);
  entry.has_base = layout_.has_base(row) || layout_.is_neutral(row);
  const Status written = layout_.write_results(row, *cells_, key_count(), 0);
  entry.problem = written.message();
  return visit(entry);
}

Result<bool> EntryReader::show_slice(std::string_view key, const std::vector<std::string>& parts, StateEntry& entry,
                                     const EntryFilter& filter, const Visit& visit) {
  if (!put_key(key)) return damaged(entry.range.end, "key");
  if (!matches(filter)) return true;
  std::vector<std::string_view> values(parts.begin(), parts.end());
  Emission emission;
  if (spec_.kept_result() != KeptResult::none) {
    std::string given_row;
    const bool whole = take_emission(values.front(), emission) &&
                       (spec_.kept_result() != KeptResult::row || take_given_row(values.front(), given_row));
    if (!whole) return damaged(entry.range.end, "result");
    entry.emission = &emission;
  }
  row_.clear();
  AccumulatorRow scratch(layout_);
  if (Status decoded = merge_encoded(layout_, values, scratch.data(), row_.data()); !decoded) {
    return decoded.with_context("aggregate '" + spec_.id + "', key " + codec_.describe(key));
  }
  return show(row_.data(), entry, visit);
}

Result<bool> EntryReader::show_slices(const PageGroup& group, const EntryFilter& filter, const Visit& visit) {
  const auto slice = assigner_->slice_of(saturating_sub(group.pane_end, 1));
  if (!slice || slice->end != group.pane_end) return damaged(group.pane_end, "window");
  if (filter.window_end) {
    std::vector<Micros> ends;
    assigner_->window_ends(*slice, ends);
    if (std::find(ends.begin(), ends.end(), *filter.window_end) == ends.end()) return true;
  }
  for (const auto& [key, parts] : group.entries) {
    StateEntry entry;
    entry.kind = has_shared_rows() ? StateEntry::Kind::slice : StateEntry::Kind::window;
    entry.range = *slice;
    entry.key_group = group.key_group;
    auto more = show_slice(key, parts, entry, filter, visit);
    if (!more || !*more) return more;
  }
  return true;
}

Status EntryReader::take_pieces(const PageGroup& group, const EntryFilter& filter, KeysOfGroup& keys) {
  for (const auto& [name, parts] : group.entries) {
    if (parts.size() != 1) return damaged(group.pane_end, "session");
    const auto id = SessionPages::parse(name);
    if (!id || !put_key(id->key)) return damaged(group.pane_end, "key");
    if (!matches(filter)) continue;
    const auto at = keys.try_emplace(std::string(id->key), hash_bytes(id->key), id->key).first;
    at->second.stale = true;
    if (Status taken = session_pages_.restore(at->second, group.pane_end, *id, {name, parts.front(), false}); !taken) {
      return taken.with_context(
          fmt::format("aggregate '{}', sessions ending up to {}", spec_.id, format_rfc3339(group.pane_end)));
    }
  }
  return {};
}

Result<bool> EntryReader::show_key(KeySessions& key, const EntryFilter& filter, const Visit& visit) {
  key.settle(session_rules_, kNoTime);
  const auto is_wanted = [&](const SessionRecord& record) {
    return !filter.window_end || *filter.window_end == record.window.end;
  };
  const auto entry_of = [&](StateEntry::Kind kind, const SessionRecord& record) {
    StateEntry entry;
    entry.kind = kind;
    entry.range = record.window;
    entry.key_group = key.key_group();
    entry.emission = spec_.kept_result() == KeptResult::none ? nullptr : &record.emission;
    return entry;
  };
  for (const SessionRecord& record : key.sessions) {
    if (!is_wanted(record)) continue;
    row_.clear();
    const auto session = key.set.session_from(key.set.find(record.window.start), session_rules_.max_size);
    for (size_t at = session.first; at < session.past; ++at) {
      layout_.merge(row_.data(), key.set.pieces()[at].content.accumulators.data());
    }
    if (!put_key(key.key)) return damaged(record.window.end, "key");
    StateEntry entry = entry_of(StateEntry::Kind::session, record);
    if (!show(row_.data(), entry, visit)) return false;
  }
  for (const SessionRecord& record : key.gone) {
    if (!is_wanted(record)) continue;
    if (!put_key(key.key)) return damaged(record.window.end, "key");
    StateEntry entry = entry_of(StateEntry::Kind::gone, record);
    entry.cells = cells_.get();
    if (!visit(entry)) return false;
  }
  return true;
}

Result<bool> EntryReader::show_sessions(KeysOfGroup& keys, const EntryFilter& filter, const Visit& visit) {
  for (auto& [name, key] : keys) {
    auto more = show_key(key, filter, visit);
    if (!more || !*more) return more;
  }
  keys.clear();
  return true;
}

Status EntryReader::visit_sessions(EpochStore& store, const EntryFilter& filter, const Visit& visit) {
  KeysOfGroup keys;
  uint32_t key_group = 0;
  bool more = true;
  Status read = visit_page_groups_by_key(store, spec_.operator_id, [&](PageGroup& group) -> Result<bool> {
    if (group.key_group != key_group) {
      key_group = group.key_group;
      auto shown = show_sessions(keys, filter, visit);
      if (!shown) return shown;
      if (more = *shown; !more) return false;
    }
    if (Status taken = take_pieces(group, filter, keys); !taken) return taken;
    return true;
  });
  if (!read || !more) return read;
  return show_sessions(keys, filter, visit).status();
}

Status EntryReader::visit(EpochStore& store, const EntryFilter& filter, const Visit& visit) {
  if (!assigner_) return visit_sessions(store, filter, visit);
  return visit_page_groups(store, spec_.operator_id, has_shared_rows() ? std::nullopt : filter.window_end,
                           [&](PageGroup& group) { return show_slices(group, filter, visit); });
}

}  // namespace tidemark::core
