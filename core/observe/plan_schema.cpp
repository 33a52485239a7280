// SPDX-License-Identifier: Apache-2.0
//
// One component's columns out of a description.
#include "core/observe/plan_rendering.hpp"

namespace tidemark::core {
namespace {

ComponentSchema schema_of(const SourceDescription& source) {
  ComponentSchema out{source.id, "source", {}, {}};
  if (!source.schema.empty()) out.rows.push_back({{}, source.schema});
  if (source.schema.empty() && !source.unknown.empty()) out.unknown = source.unknown.front();
  return out;
}

ComponentSchema schema_of(const TransformDescription& transform) {
  return {transform.id, "transform", transform.rows, transform.unknown};
}

ComponentSchema schema_of(const AggregateDescription& aggregate) {
  ComponentSchema out{aggregate.id, "aggregate", {}, aggregate.unknown};
  if (!aggregate.output.empty()) out.rows.push_back({{}, aggregate.output});
  return out;
}

template <typename T>
bool find_in(const std::vector<T>& list, const std::string& id, std::optional<ComponentSchema>& out) {
  for (const T& one : list) {
    if (one.id == id) out = schema_of(one);
  }
  return out.has_value();
}

}  // namespace

std::optional<ComponentSchema> find_schema(const PlanDescription& plan, const std::string& id) {
  std::optional<ComponentSchema> out;
  if (!find_in(plan.sources, id, out) && !find_in(plan.transforms, id, out)) find_in(plan.aggregates, id, out);
  return out;
}

}  // namespace tidemark::core
