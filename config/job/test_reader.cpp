// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "config/job/test_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/job/nearest_name.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

// Digits as everybody spells them: without underscores, plus signs and other bases.
std::string plain_number(const TomlNode& node) {
  if (node.kind == Kind::integer) return std::to_string(node.integer);
  std::string out = node.text;
  std::erase(out, '_');
  if (out.starts_with('+')) out.erase(0, 1);
  return out;
}

}  // namespace

std::optional<TestValue> read_test_value(const std::string& name, const TomlNode& node, ReadContext& context) {
  TestValue out;
  out.span = node.span;
  switch (node.kind) {
    case Kind::text:
      out.kind = TestValue::Kind::text;
      out.text = node.text;
      return out;
    case Kind::integer:
      out.kind = TestValue::Kind::integer;
      out.text = plain_number(node);
      return out;
    case Kind::floating:
      out.kind = TestValue::Kind::decimal;
      out.text = plain_number(node);
      return out;
    case Kind::boolean:
      out.kind = TestValue::Kind::boolean;
      out.boolean = node.boolean;
      out.text = node.boolean ? "true" : "false";
      return out;
    case Kind::time:
      out.kind = TestValue::Kind::time;
      out.time = node.time;
      out.text = node.text;
      return out;
    case Kind::table:
      if (node.entries.empty()) return out;
      break;
    case Kind::list:
      break;
  }
  context.diagnostics
      .error(code::kWrongType, node.span,
             fmt::format("`{}` must be a value of a column, not {}", name, kind_name(node.kind)))
      .with_help("a text, number, date, time, true or false; {} is NULL");
  return std::nullopt;
}

std::vector<TestCell> read_test_cells(const TomlNode& row, std::span<const std::string_view> reserved,
                                      ReadContext& context) {
  std::vector<TestCell> out;
  for (const TomlEntry& entry : row.entries) {
    if (std::find(reserved.begin(), reserved.end(), entry.key) != reserved.end()) continue;
    std::string name = entry.key;
    if (name.size() > 2 && name.front() == '`' && name.back() == '`') name = name.substr(1, name.size() - 2);
    auto value = read_test_value(name, entry.value, context);
    if (value) out.push_back({{std::move(name), entry.key_span, true}, *std::move(value)});
  }
  return out;
}

std::vector<const TomlNode*> read_table_list(const TomlEntry& entry, const std::string& example, ReadContext& context) {
  std::vector<const TomlNode*> out;
  const auto refuse = [&](const TomlNode& node, std::string_view what) {
    context.diagnostics
        .error(code::kWrongType, node.span, fmt::format("`{}` {}, not {}", entry.key, what, kind_name(node.kind)))
        .with_help(example);
  };
  if (entry.value.kind != Kind::list) {
    refuse(entry.value, "must be a list of tables");
    return out;
  }
  for (const TomlNode& item : entry.value.items) {
    if (item.kind == Kind::table) {
      out.push_back(&item);
    } else {
      refuse(item, "is a list of tables");
    }
  }
  return out;
}

void require_name(const Spanned<std::string>& name, std::string_view what, std::span<const std::string> known,
                  ReadContext& context) {
  if (!name.given || std::find(known.begin(), known.end(), name.value) != known.end()) return;
  context.diagnostics.error(code::kUnknownReference, name.span, fmt::format("there is no {} `{}`", what, name.value))
      .with_help(suggest_name(name.value, known));
}

}  // namespace tidemark::config
