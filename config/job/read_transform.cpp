// SPDX-License-Identifier: Apache-2.0
//
// [transforms.<id>]. Expressions are kept as they are; the plan checks them.
#include <fmt/format.h>

#include <array>

#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

enum class TransformType : uint8_t { map };
constexpr std::array<Choice<TransformType>, 1> kTransformTypes = {{{"map", TransformType::map}}};

void read_set(const TomlEntry& entry, ReadContext& context, TransformSpec& out) {
  for (const TomlEntry& one : entry.value.entries) {
    if (!is_column_name(one.key)) {
      context.diagnostics
          .error(code::kBadName, one.key_span, fmt::format("`{}` cannot be the name of a column", one.key))
          .with_help("letters, digits and _, not starting with a digit");
    } else if (one.value.kind != Kind::text) {
      context.diagnostics
          .error(code::kWrongType, one.value.span,
                 fmt::format("column `{}` must be a text, not {}", one.key, kind_name(one.value.kind)))
          .with_help(R"(an expression in quotes, such as "amount * 2")");
    } else if (!one.value.placeholder) {
      out.set.push_back({{one.key, one.key_span, true}, {one.value.text, text_span(context.source, one.value), true}});
    }
  }
}

}  // namespace

TransformSpec read_transform(const TomlEntry& entry, ReadContext& context) {
  TransformSpec out;
  out.id = read_id(entry, "transforms", context);
  out.span = entry.value.span;
  const std::string path = "transforms." + quoted_key(entry.key);
  TableReader table(context, entry.value, TableKind::transform, path);
  (void)table.choice("type", TransformType::map, kTransformTypes);
  out.inputs = table.text_list("inputs");
  if (table.find("inputs") == nullptr) {
    table.missing("inputs",
                  fmt::format("such as inputs = [\"{}\"]", context.ids.source.empty() ? "orders" : context.ids.source));
  }
  out.where = table.text("where", "");
  if (const TomlEntry* set = table.find_table("set")) read_set(*set, context, out);
  out.drop = table.text_list("drop");
  if (!out.where.given && out.set.empty() && out.drop.empty()) {
    context.diagnostics.warning(code::kNoEffect, entry.key_span, fmt::format("transform `{}` does nothing", entry.key))
        .with_help(R"(give it where = "...", set = { name = "..." } or drop = ["..."])");
  }
  table.finish();
  return out;
}

}  // namespace tidemark::config
