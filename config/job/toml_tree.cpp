// SPDX-License-Identifier: Apache-2.0
//
// toml++ to TomlNode. The one place where exceptions of toml++ may occur; none leaves it.
#include "config/job/toml_tree.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

#include "config/job/key_depth.hpp"
#include "config/job/syntax_hints.hpp"
#include "core/base/check.hpp"

namespace tidemark::config {
namespace {

core::Micros days_us(const toml::date& date) {
  return core::days_from_civil(date.year, date.month, date.day) * (86'400 * core::kMicrosPerSecond);
}

core::Micros clock_us(const toml::time& time) {
  const auto seconds = (int64_t{time.hour} * 60 + time.minute) * 60 + time.second;
  return seconds * core::kMicrosPerSecond + time.nanosecond / 1000;
}

TomlTime time_of(const toml::node& from) {
  if (const auto* date = from.as_date()) return {true, false, false, days_us(date->get())};
  if (const auto* time = from.as_time()) return {false, true, false, clock_us(time->get())};
  TomlTime out;
  const auto* both = from.as_date_time();
  if (both == nullptr) return out;
  const toml::date_time& value = both->get();
  out = {true, true, value.offset.has_value(), days_us(value.date) + clock_us(value.time)};
  if (value.offset) out.us -= value.offset->minutes * (60 * core::kMicrosPerSecond);
  return out;
}

class Converter {
 public:
  Converter(uint32_t file, const Environment& environment, bool allow_missing_env, Diagnostics& diagnostics)
      : file_(file),
        environment_(environment),
        allow_missing_env_(allow_missing_env),
        diagnostics_(diagnostics),
        source_(*diagnostics.file(file)) {}

  TomlNode convert(const toml::node& from) const {
    TomlNode out;
    out.span = span_of(from.source());
    switch (from.type()) {
      case toml::node_type::table:
        convert_table(*from.as_table(), out);
        break;
      case toml::node_type::array:
        out.kind = TomlNode::Kind::list;
        for (const toml::node& item : *from.as_array()) out.items.push_back(convert(item));
        break;
      case toml::node_type::string:
        convert_text(from.as_string()->get(), out);
        break;
      case toml::node_type::integer:
        out.kind = TomlNode::Kind::integer;
        out.integer = from.as_integer()->get();
        break;
      case toml::node_type::floating_point:
        out.kind = TomlNode::Kind::floating;
        break;
      case toml::node_type::boolean:
        out.kind = TomlNode::Kind::boolean;
        out.boolean = from.as_boolean()->get();
        break;
      default:
        out.kind = TomlNode::Kind::time;
        out.time = time_of(from);
    }
    if (out.text.empty() && out.kind != TomlNode::Kind::text && out.kind != TomlNode::Kind::table) {
      const std::string_view line = source_.line(out.span.line);
      const size_t begin = byte_of_code_point(line, out.span.column - 1);
      out.text = line.substr(begin, byte_of_code_point(line, out.span.column - 1 + out.span.length) - begin);
    }
    return out;
  }

 private:
  Span span_of(const toml::source_region& region) const {
    const size_t line_length = count_code_points(source_.line(region.begin.line));
    const uint32_t end = region.end.line == region.begin.line ? static_cast<uint32_t>(region.end.column)
                                                              : static_cast<uint32_t>(line_length + 1);
    const auto begin = static_cast<uint32_t>(region.begin.column);
    return {file_, static_cast<uint32_t>(region.begin.line), begin, std::max(begin + 1, end) - begin};
  }

  void convert_table(const toml::table& from, TomlNode& out) const {
    out.kind = TomlNode::Kind::table;
    for (const auto& [key, value] : from) {
      out.entries.push_back({std::string(key.str()), span_of(key.source()), convert(value)});
    }
    std::sort(out.entries.begin(), out.entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
      return std::tie(a.key_span.line, a.key_span.column) < std::tie(b.key_span.line, b.key_span.column);
    });
  }

  void convert_text(const std::string& value, TomlNode& out) const {
    out.kind = TomlNode::Kind::text;
    Substituted replaced = substitute(value, environment_, allow_missing_env_);
    for (const SubstitutionProblem& problem : replaced.problems) {
      diagnostics_
          .error(problem.unset ? code::kUnsetVariable : code::kBadSubstitution,
                 span_inside_string(source_, out.span, problem.offset, problem.length), problem.text)
          .with_help(problem.help);
    }
    // After a problem the value stands in as a placeholder, so that it is not reported twice.
    out.placeholder = replaced.placeholder || !replaced.problems.empty();
    out.substituted = replaced.changed;
    out.from_environment = replaced.whole;
    out.text = std::move(replaced.text);
  }

  uint32_t file_;
  const Environment& environment_;
  bool allow_missing_env_;
  Diagnostics& diagnostics_;
  const SourceText& source_;
};

}  // namespace

std::string_view kind_name(TomlNode::Kind kind) noexcept {
  switch (kind) {
    case TomlNode::Kind::text:
      return "a text";
    case TomlNode::Kind::integer:
      return "an integer";
    case TomlNode::Kind::floating:
      return "a decimal number";
    case TomlNode::Kind::boolean:
      return "true or false";
    case TomlNode::Kind::time:
      return "a date or time";
    case TomlNode::Kind::list:
      return "a list";
    case TomlNode::Kind::table:
      return "a table";
  }
  return "something else";
}

Span text_span(const SourceText& source, const TomlNode& node) {
  if (node.kind != TomlNode::Kind::text || node.text.empty() || node.substituted) return node.span;
  return span_inside_string(source, node.span, 0, node.text.size());
}

std::optional<TomlNode> parse_toml(uint32_t file, const Environment& environment, bool allow_missing_env,
                                   Diagnostics& diagnostics) {
  const SourceText* source = diagnostics.file(file);
  TIDEMARK_CHECK(source != nullptr);
  if (const std::optional<size_t> deep = find_too_deep_key(source->text()); deep) {
    diagnostics.error(code::kSyntax, source->span_at(file, *deep), "a key of too many parts")
        .with_help(fmt::format("at most {}", kKeyPartsMax));
    return std::nullopt;
  }
  try {
    const toml::table root = toml::parse(std::string_view(source->text()), std::string_view(source->name()));
    return Converter(file, environment, allow_missing_env, diagnostics).convert(root);
  } catch (const toml::parse_error& error) {
    explain_syntax_error(file, static_cast<uint32_t>(error.source().begin.line),
                         static_cast<uint32_t>(error.source().begin.column), std::string(error.description()),
                         diagnostics);
    return std::nullopt;
  }
}

}  // namespace tidemark::config
