// SPDX-License-Identifier: Apache-2.0
//
// The way of the rows as a graph: sources, transforms, aggregates, sinks. Nodes are named by numbers, so that ids need
// no escaping; labels are lines of text.
#include <fmt/format.h>

#include <map>
#include <string_view>

#include "core/observe/plan_rendering.hpp"

namespace tidemark::core {
namespace {

enum class NodeKind : uint8_t { source, transform, aggregate, sink };

struct Node {
  NodeKind kind;
  std::vector<std::string> label;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<std::pair<size_t, size_t>> edges;
};

std::string names(const std::vector<DescribedColumn>& columns) {
  std::string out;
  for (const DescribedColumn& column : columns) out += (out.empty() ? "" : ", ") + column.name;
  return out;
}

std::vector<std::string> label_of(const SourceDescription& source) {
  std::vector<std::string> out = {"source " + source.id, fmt::format("{}, {}", source.plugin, source.mode)};
  if (source.splits) {
    out.push_back(fmt::format("{} {}", source.splits->size(), source.splits->size() == 1 ? "shard" : "shards"));
  }
  if (source.delivered) {
    out.push_back(fmt::format("decoded: {} of {} columns", source.delivered->size(), source.schema.size()));
    out.push_back(names(*source.delivered));
  }
  out.push_back("watermark: " + source.strategy);
  if (!source.unknown.empty()) out.emplace_back("not all is known");
  return out;
}

std::vector<std::string> label_of(const TransformDescription& transform) {
  std::vector<std::string> out = {"transform " + transform.id};
  if (!transform.where.empty()) out.push_back("where " + transform.where);
  for (const DescribedColumn& column : transform.set) out.push_back(column.name + " = " + column.expression);
  return out;
}

std::vector<std::string> label_of(const AggregateDescription& aggregate) {
  std::vector<std::string> out = {"aggregate " + aggregate.id};
  if (!aggregate.where.empty()) out.push_back("where " + aggregate.where);
  out.push_back(aggregate.window);
  if (!aggregate.keys.empty()) out.push_back("by " + names(aggregate.keys));
  for (const DescribedColumn& column : aggregate.columns) out.push_back(column.name + " = " + column.expression);
  if (!aggregate.having.empty()) out.push_back("having " + aggregate.having);
  return out;
}

std::vector<std::string> label_of(const SinkDescription& sink) {
  return {"sink " + sink.id, sink.target, sink.format};
}

// Ids are unique over all components.
class GraphBuilder {
 public:
  template <typename T>
  void add(NodeKind kind, const T& component, const std::vector<std::string>& inputs) {
    numbers_.emplace(component.id, graph_.nodes.size());
    for (const std::string& input : inputs) wanted_.emplace_back(input, graph_.nodes.size());
    graph_.nodes.push_back({kind, label_of(component)});
  }
  Graph finish() {
    for (const auto& [from, to] : wanted_) {
      if (const auto found = numbers_.find(from); found != numbers_.end()) graph_.edges.emplace_back(found->second, to);
    }
    return std::move(graph_);
  }

 private:
  Graph graph_;
  std::map<std::string, size_t> numbers_;
  std::vector<std::pair<std::string, size_t>> wanted_;
};

Graph graph_of(const PlanDescription& plan) {
  GraphBuilder builder;
  for (const auto& source : plan.sources) builder.add(NodeKind::source, source, {});
  for (const auto& transform : plan.transforms) builder.add(NodeKind::transform, transform, transform.inputs);
  for (const auto& aggregate : plan.aggregates) builder.add(NodeKind::aggregate, aggregate, aggregate.inputs);
  for (const auto& sink : plan.sinks) builder.add(NodeKind::sink, sink, {sink.input});
  return builder.finish();
}

// Lines of one label, each closed by `line_end`; characters as `escape` gives them.
template <typename Escape>
std::string label_text(const std::vector<std::string>& lines, std::string_view line_end, const Escape& escape) {
  std::string out;
  for (const std::string& line : lines) {
    for (const char c : without_controls(line)) out += c == '\n' ? std::string(line_end) : escape(c);
    out += line_end;
  }
  return out;
}

std::string dot_escape(char c) {
  return c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
}

// Mermaid reads markup, quotes and entities (#...;) in labels; what could be any of them goes as an entity.
std::string mermaid_escape(char c) {
  constexpr std::string_view kSpecial = "\"#&;<>`\\*_~$";
  if (kSpecial.find(c) == std::string_view::npos) return std::string(1, c);
  return fmt::format("#{};", static_cast<int>(c));
}

const char* dot_shape(NodeKind kind) {
  switch (kind) {
    case NodeKind::source:
      return "cylinder";
    case NodeKind::transform:
      return "box";
    case NodeKind::aggregate:
      return "box3d";
    case NodeKind::sink:
      return "note";
  }
  return "box";
}

// The brackets of a node's shape.
std::pair<const char*, const char*> mermaid_shape(NodeKind kind) {
  switch (kind) {
    case NodeKind::source:
      return {"[(", ")]"};
    case NodeKind::transform:
      return {"[", "]"};
    case NodeKind::aggregate:
      return {"[[", "]]"};
    case NodeKind::sink:
      return {"([", "])"};
  }
  return {"[", "]"};
}

}  // namespace

std::string plan_dot(const PlanDescription& plan) {
  const Graph graph = graph_of(plan);
  std::string out = fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n",
                                label_text({plan.job}, "", dot_escape));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    out += fmt::format("  n{} [shape={}, label=\"{}\"];\n", i, dot_shape(graph.nodes[i].kind),
                       label_text(graph.nodes[i].label, "\\l", dot_escape));
  }
  for (const auto& [from, to] : graph.edges) out += fmt::format("  n{} -> n{};\n", from, to);
  return out + "}\n";
}

std::string plan_mermaid(const PlanDescription& plan) {
  const Graph graph = graph_of(plan);
  std::string out = "flowchart LR\n";
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto [open, close] = mermaid_shape(graph.nodes[i].kind);
    out += fmt::format("  n{}{}\"{}\"{}\n", i, open, label_text(graph.nodes[i].label, "<br/>", mermaid_escape), close);
  }
  for (const auto& [from, to] : graph.edges) out += fmt::format("  n{} --> n{}\n", from, to);
  return out;
}

}  // namespace tidemark::core
