// SPDX-License-Identifier: Apache-2.0
//
// A PlanDescription as text, JSON, DOT (Graphviz) and Mermaid, and the columns of one component alone. Names and notes
// come from databases and job files: control characters of theirs are shown as escapes, and what means something in a
// format is escaped there. Pure functions; all results end with a line end.
#pragma once

#include <optional>
#include <string>

#include "core/observe/plan_description.hpp"

namespace tidemark::core {

std::string plan_text(const PlanDescription& plan);
std::string plan_json(const PlanDescription& plan);
std::string plan_dot(const PlanDescription& plan);
std::string plan_mermaid(const PlanDescription& plan);

/// The columns and types that a source, a transform or an aggregate gives.
struct ComponentSchema {
  std::string id;
  std::string kind;  ///< "source", "transform", "aggregate"
  std::vector<DescribedRows> rows;
  std::string unknown;  ///< why there are none
};

/// Nothing when the plan has no such component.
std::optional<ComponentSchema> find_schema(const PlanDescription& plan, const std::string& id);
std::string schema_text(const ComponentSchema& schema);
std::string schema_json(const ComponentSchema& schema);

/// With control characters but line ends as escapes (\x1b).
std::string without_controls(const std::string& text);

}  // namespace tidemark::core
