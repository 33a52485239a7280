// SPDX-License-Identifier: Apache-2.0
//
// For programs: the same facts and sentences; what is not known is null.
#include "core/observe/json_values.hpp"
#include "core/observe/plan_rendering.hpp"

namespace tidemark::core {
namespace {

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json columns_json(const std::vector<DescribedColumn>& columns) {
  Json out = Json::array();
  for (const DescribedColumn& column : columns) {
    Json one = {{"name", column.name}, {"type", text_or_null(column.type)}};
    one["nullable"] = column.type.empty() ? Json(nullptr) : Json(column.nullable);
    if (!column.expression.empty()) one["expression"] = column.expression;
    if (!column.note.empty()) one["note"] = column.note;
    out.push_back(std::move(one));
  }
  return out;
}

Json rows_json(const std::vector<DescribedRows>& all) {
  Json out = Json::array();
  for (const DescribedRows& rows : all) {
    out.push_back({{"source", text_or_null(rows.source)}, {"columns", columns_json(rows.columns)}});
  }
  return out;
}

Json source_json(const SourceDescription& source) {
  Json splits = nullptr;
  if (source.splits) {
    splits = Json::array();
    for (const FoundSplit& split : *source.splits) splits.push_back({{"name", split.id}, {"note", split.note}});
  }
  return {{"id", source.id},
          {"plugin", source.plugin},
          {"mode", source.mode},
          {"shards", std::move(splits)},
          {"columns", source.schema.empty() ? Json(nullptr) : Json(source.schema.size())},
          {"decoded", source.delivered ? columns_json(*source.delivered) : Json(nullptr)},
          {"kept_rows", source.kept},
          {"event_time", source.event_time},
          {"strategy", source.strategy},
          {"watermark", source.watermark},
          {"unknown", source.unknown}};
}

Json transform_json(const TransformDescription& transform) {
  return {{"id", transform.id},
          {"inputs", transform.inputs},
          {"where", text_or_null(transform.where)},
          {"computed", columns_json(transform.set)},
          {"drop", transform.drop},
          {"gives", transform.rows.empty() ? Json(nullptr) : rows_json(transform.rows)},
          {"unknown", text_or_null(transform.unknown)}};
}

Json state_json(const StateEstimate& state) {
  const auto million = state.million_groups_bytes();
  return {{"bytes_per_group", state.group_bytes},
          {"key_bytes", state.key_bytes},
          {"per", state.pieces_name},
          {"open", state.pieces ? Json(*state.pieces) : Json(nullptr)},
          {"million_groups_bytes", million ? Json(*million) : Json(nullptr)},
          {"notes", state.words}};
}

Json kept_json(const std::vector<KeptAggregate>& all) {
  Json out = Json::array();
  for (const KeptAggregate& kept : all) {
    out.push_back({{"call", kept.call},
                   {"type", kept.type},
                   {"column", text_or_null(kept.name)},
                   {"keeps", text_or_null(kept.growth)}});
  }
  return out;
}

Json aggregate_json(const AggregateDescription& aggregate) {
  return {{"id", aggregate.id},
          {"inputs", aggregate.inputs},
          {"where", text_or_null(aggregate.where)},
          {"window", aggregate.window},
          {"keys", columns_json(aggregate.keys)},
          {"columns", columns_json(aggregate.columns)},
          {"having", text_or_null(aggregate.having)},
          {"results_come", aggregate.results},
          {"results_are_final", aggregate.final_results},
          {"late_rows", aggregate.late},
          {"gives", aggregate.output.empty() ? Json(nullptr) : columns_json(aggregate.output)},
          {"kept", kept_json(aggregate.kept)},
          {"state", aggregate.state ? state_json(*aggregate.state) : Json(nullptr)},
          {"unknown", text_or_null(aggregate.unknown)}};
}

Json sink_json(const SinkDescription& sink) {
  return {{"id", sink.id},
          {"input", sink.input},
          {"target", sink.target},
          {"format", sink.format},
          {"columns", sink.columns.empty() ? Json(nullptr) : Json(sink.columns)},
          {"corrections", text_or_null(sink.corrections)}};
}

template <typename T, typename F>
Json list_json(const std::vector<T>& list, const F& one_json) {
  Json out = Json::array();
  for (const T& one : list) out.push_back(one_json(one));
  return out;
}

// Names from databases need not be UTF-8.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string plan_json(const PlanDescription& plan) {
  return dump({{"job", plan.job},
               {"time_zone", plan.time_zone},
               {"workers", plan.workers},
               {"memory_bytes", plan.memory_bytes},
               {"sources", list_json(plan.sources, source_json)},
               {"transforms", list_json(plan.transforms, transform_json)},
               {"aggregates", list_json(plan.aggregates, aggregate_json)},
               {"sinks", list_json(plan.sinks, sink_json)}});
}

std::string schema_json(const ComponentSchema& schema) {
  return dump({{"id", schema.id},
               {"kind", schema.kind},
               {"gives", schema.rows.empty() ? Json(nullptr) : rows_json(schema.rows)},
               {"unknown", text_or_null(schema.unknown)}});
}

}  // namespace tidemark::core
