// SPDX-License-Identifier: Apache-2.0
//
// Expressions are compiled twice: against the planner's numbers, to learn types and what is read, and at the end
// against the batches that will be there.
#include "core/plan/row_planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.hpp"
#include "core/expression/column_writer.hpp"
#include "core/expression/tokenizer.hpp"

namespace tidemark::core {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// A name in backticks, or as it stands.
std::string_view bare_name(std::string_view text) {
  const bool quoted = text.size() > 2 && text.front() == '`' && text.back() == '`';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

RowPlanner::RowPlanner(const Schema& schema, Of of)
    : delivered_(static_cast<uint32_t>(schema.columns.size())), source_scope_(schema.columns), infos_(schema.columns) {
  if (of == Of::results) return;
  constexpr std::pair<const char*, RowPlace> kPlaces[] = {
      {"shard", RowPlace::shard}, {"database", RowPlace::database}, {"table", RowPlace::table}};
  for (const auto& [name, place] : kPlaces) add_place(std::string("$") + name, place);
  for (const auto& [name, place] : kPlaces) {  // a column of the table goes first
    if (schema.find(name) < 0) add_place(name, place);
  }
}

void RowPlanner::add_place(std::string name, RowPlace place) {
  ColumnInfo info;
  info.name = std::move(name);
  info.type = ColumnType::text;
  infos_.push_back(info);
  source_scope_.push_back(std::move(info));
  computed_.push_back({place, 0, {}});
}

size_t RowPlanner::remember(const Scope& scope) {
  const auto found = std::find(scopes_.begin(), scopes_.end(), scope);
  if (found != scopes_.end()) return static_cast<size_t>(found - scopes_.begin());
  scopes_.push_back(scope);
  return scopes_.size() - 1;
}

OrExpressionError<uint32_t> RowPlanner::column(std::string_view text, const Scope& scope) {
  const std::string_view name = bare_name(trimmed(text));
  for (uint32_t i = 0; i < scope.size(); ++i) {
    if (!name.empty() && scope[i].name == name) return i;
  }
  const size_t in = remember(scope);
  for (uint32_t i = 0; i < computed_.size(); ++i) {
    const auto* other = std::get_if<std::string>(&computed_[i].from);
    if (other != nullptr && *other == text && computed_[i].scope == in) return delivered_ + i;
  }
  auto compiled = Expression::compile(text, scope, ExpressionUse::value);
  if (auto* error = std::get_if<ExpressionError>(&compiled)) return std::move(*error);
  const Expression& expression = std::get<Expression>(compiled);
  infos_.push_back(column_for(expression.type(), {}));
  computed_.push_back({std::string(text), in, expression.columns()});
  return static_cast<uint32_t>(infos_.size() - 1);
}

OrExpressionError<uint32_t> RowPlanner::masked(uint32_t column, std::string_view condition, const Scope& scope) {
  const size_t in = remember(scope);
  const Mask mask{column, std::string(condition)};
  for (uint32_t i = 0; i < computed_.size(); ++i) {
    const auto* other = std::get_if<Mask>(&computed_[i].from);
    if (other != nullptr && *other == mask && computed_[i].scope == in) return delivered_ + i;
  }
  auto compiled = Expression::compile(condition, scope, ExpressionUse::condition);
  if (auto* error = std::get_if<ExpressionError>(&compiled)) return std::move(*error);
  std::vector<uint32_t> reads = std::get<Expression>(compiled).columns();
  reads.push_back(column);
  infos_.push_back(infos_[column]);
  infos_.back().name.clear();
  computed_.push_back({mask, in, std::move(reads)});
  return static_cast<uint32_t>(infos_.size() - 1);
}

OrExpressionError<uint32_t> RowPlanner::condition(std::string_view text, const Scope& scope) {
  auto compiled = Expression::compile(text, scope, ExpressionUse::condition);
  if (auto* error = std::get_if<ExpressionError>(&compiled)) return std::move(*error);
  conditions_.push_back({std::string(text), remember(scope), std::get<Expression>(compiled).columns()});
  return static_cast<uint32_t>(conditions_.size() - 1);
}

std::vector<ColumnInfo> RowPlanner::shown(const Scope& scope) const {
  std::vector<ColumnInfo> out;
  for (uint32_t i = 0; i < scope.size(); ++i) {
    const bool is_place = !is_delivered(i) && std::holds_alternative<RowPlace>(computed(i).from);
    if (!is_place && !scope[i].name.empty()) out.push_back(scope[i]);
  }
  return out;
}

Scope RowPlanner::bind(Scope scope, const std::string& name, uint32_t column) {
  hide(scope, name);
  const bool named = column < scope.size() && !scope[column].name.empty();
  if (named) {
    ColumnInfo copy = infos_[column];
    copy.name.clear();
    infos_.push_back(std::move(copy));
    computed_.push_back({CopyOfColumn{column}, 0, {column}});
    column = static_cast<uint32_t>(infos_.size() - 1);
  }
  while (scope.size() < infos_.size()) {  // computed since: seen by nobody yet
    scope.push_back(infos_[scope.size()]);
    scope.back().name.clear();
  }
  scope[column].name = name;
  return scope;
}

bool RowPlanner::hide(Scope& scope, const std::string& name) {
  const auto found = std::find_if(scope.begin(), scope.end(), [&](const ColumnInfo& one) { return one.name == name; });
  if (found == scope.end()) return false;
  found->name.clear();
  return true;
}

void RowPlanner::use(uint32_t column) {
  used_.resize(infos_.size());
  if (used_[column]) return;
  used_[column] = true;
  if (is_delivered(column)) return;
  for (const uint32_t read : computed(column).reads) use(read);
}

void RowPlanner::use_condition(uint32_t condition) {
  for (const uint32_t read : conditions_[condition].reads) use(read);
}

void RowPlanner::collect_computed(const std::vector<uint32_t>& columns, std::vector<uint32_t>& out) const {
  for (const uint32_t column : columns) {
    if (is_delivered(column) || std::find(out.begin(), out.end(), column) != out.end()) continue;
    out.push_back(column);
    collect_computed(computed(column).reads, out);
  }
}

std::vector<uint32_t> RowPlanner::computed_behind(uint32_t column) const {
  std::vector<uint32_t> out;
  collect_computed({column}, out);
  return out;
}

std::vector<uint32_t> RowPlanner::computed_behind_condition(uint32_t condition) const {
  std::vector<uint32_t> out;
  collect_computed(conditions_[condition].reads, out);
  return out;
}

std::string RowPlanner::describe_text(const std::string& text, size_t scope, const std::vector<uint32_t>& reads) const {
  std::string out = canonical_expression(text);
  const char* between = " of ";
  for (const uint32_t read : reads) {
    const std::string meaning = describe(read);
    const std::string& name = scopes_[scope][read].name;
    out += between;
    out += is_delivered(read) && infos_[read].name == name ? meaning : fmt::format("{} = ({})", name, meaning);
    between = ", ";
  }
  return out;
}

std::string RowPlanner::describe(uint32_t column) const {
  if (is_delivered(column)) return infos_[column].name + " " + type_text(infos_[column]);
  const Computed& one = computed(column);
  if (const auto* text = std::get_if<std::string>(&one.from)) return describe_text(*text, one.scope, one.reads);
  if (const auto* copy = std::get_if<CopyOfColumn>(&one.from)) return describe(copy->column);
  if (const auto* mask = std::get_if<Mask>(&one.from)) {
    return describe(mask->column) + " filtered by " +
           describe_text(mask->condition, one.scope, {one.reads.begin(), one.reads.end() - 1});
  }
  const std::string& name = source_scope_[column].name;  // of a place
  return name.starts_with('$') ? name : "$" + name;
}

std::string RowPlanner::describe_condition(uint32_t condition) const {
  return describe_text(conditions_[condition].text, conditions_[condition].scope, conditions_[condition].reads);
}

size_t RowPlanner::delivered_count() const {
  return static_cast<size_t>(
      std::count(used_.begin(), used_.begin() + std::min<std::ptrdiff_t>(delivered_, std::ssize(used_)), true));
}

RowPlanner::Finished RowPlanner::finish(
    size_t first_slot, const std::vector<std::pair<std::optional<uint32_t>, ColumnInfo>>& slots) const {
  Finished out;
  std::vector<ColumnInfo>& columns = out.layout.columns;
  for (uint32_t i = 0; i < used_.size() && i < delivered_; ++i) {
    if (!used_[i]) continue;
    out.place[i] = static_cast<uint32_t>(columns.size());
    out.projection.push_back(i);
    columns.push_back(infos_[i]);
  }
  const size_t delivered = columns.size();
  ColumnInfo unused;
  unused.type = ColumnType::boolean;
  unused.name = "$unused";
  columns.resize(std::max(columns.size(), first_slot), unused);
  for (const auto& [column, info] : slots) {
    const auto at = static_cast<uint32_t>(columns.size());
    columns.push_back(info);
    if (column && !is_delivered(*column)) out.place.emplace(*column, at);
  }
  for (uint32_t i = delivered_; i < used_.size(); ++i) {
    if (!used_[i] || out.place.contains(i)) continue;
    out.place[i] = static_cast<uint32_t>(columns.size());
    columns.push_back(infos_[i]);
    if (columns.back().name.empty()) columns.back().name = "$" + std::to_string(i);
  }
  out.layout.computed = static_cast<uint32_t>(columns.size() - delivered);
  for (uint32_t i = delivered_; i < used_.size(); ++i) {  // what is read has a smaller number
    if (!used_[i]) continue;
    if (const auto* place = std::get_if<RowPlace>(&computed(i).from)) {
      out.computed.push_back({out.place[i], *place});
    } else if (const auto* copy = std::get_if<CopyOfColumn>(&computed(i).from)) {
      out.computed.push_back({out.place[i], CopyOfColumn{out.place[copy->column]}});
    } else if (const auto* mask = std::get_if<Mask>(&computed(i).from)) {
      out.computed.push_back(
          {out.place[i], MaskedColumn{out.place[mask->column],
                                      compile_in(out, mask->condition, computed(i).scope, ExpressionUse::condition)}});
    } else {
      out.computed.push_back({out.place[i], compile_for(out, i)});
    }
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto& column = slots[i].first;
    const auto at = static_cast<uint32_t>(std::max(delivered, first_slot) + i);
    if (column && out.place[*column] != at) out.computed.push_back({at, CopyOfColumn{out.place[*column]}});
  }
  return out;
}

Expression RowPlanner::compile_in(const Finished& finished, std::string_view text, size_t scope,
                                  ExpressionUse use) const {
  std::vector<ColumnInfo> columns = finished.layout.columns;
  for (ColumnInfo& column : columns) column.name.clear();
  for (const auto& [from, to] : finished.place) {
    if (from < scopes_[scope].size()) columns[to].name = scopes_[scope][from].name;
  }
  auto compiled = Expression::compile(text, columns, use);
  TIDEMARK_CHECK(std::holds_alternative<Expression>(compiled));  // it compiled before, on the same types
  return std::get<Expression>(std::move(compiled));
}

Expression RowPlanner::compile_for(const Finished& finished, uint32_t column) const {
  const Computed& wanted = computed(column);
  return compile_in(finished, std::get<std::string>(wanted.from), wanted.scope, ExpressionUse::value);
}

Expression RowPlanner::condition_for(const Finished& finished, uint32_t condition) const {
  const Condition& wanted = conditions_[condition];
  return compile_in(finished, wanted.text, wanted.scope, ExpressionUse::condition);
}

}  // namespace tidemark::core
