// SPDX-License-Identifier: Apache-2.0
//
// A fingerprint is pieces between ", " and "; " outside of parentheses and quotes. A piece that begins with the words
// of a field begins that field; others go on with the one before.
#include "core/plan/plan_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tidemark::core {
namespace {

struct Field {
  std::string_view name;
  std::string value;
};

/// How a piece begins, the field of the job file that it is of, and whether the beginning is no part of the value.
struct Beginning {
  std::string_view words;
  std::string_view field;
  bool is_label;
};
constexpr Beginning kBeginnings[] = {{"lateness ", "allowed_lateness", true},
                                     {"mode ", "mode", true},
                                     {"results may be corrected", "emit", false},
                                     {"purged by results", "emit.purge", false},
                                     {"results kept", "inputs of other aggregates", false},
                                     {"of results of ", "inputs", true},
                                     {"where ", "where", true},
                                     {"keys ", "key_by", true},
                                     {"columns ", "columns", true},
                                     {"having ", "having", true},
                                     {"read as ", "results read by other aggregates", true},
                                     {"event time ", "event time", true},
                                     {"keeps rows by ", "kept rows", true},
                                     {"applies truncates", "on_truncate", false},
                                     {"completes images", "on_partial_image", false}};

std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (depth == 0 && (c == ',' || c == ';') && i + 1 < text.size() && text[i + 1] == ' ') {
      out.push_back(text.substr(begin, i - begin));
      begin = i + 2;
    }
  }
  out.push_back(text.substr(std::min(begin, text.size())));
  return out;
}

// The first piece is the window of an aggregate, the plugin of a source, the target of a sink.
std::vector<Field> fields_of(std::string_view text) {
  std::vector<Field> out;
  for (std::string_view piece : pieces_of(text)) {
    const auto* found = std::find_if(std::begin(kBeginnings), std::end(kBeginnings),
                                     [piece](const Beginning& one) { return piece.starts_with(one.words); });
    if (found != std::end(kBeginnings)) {
      if (found->is_label) piece.remove_prefix(found->words.size());
      out.push_back({found->field, std::string(piece)});
    } else if (out.empty()) {
      out.push_back({piece.find(" window") != std::string_view::npos ? "window" : "type", std::string(piece)});
    } else {
      out.back().value += ", ";
      out.back().value += piece;
    }
  }
  return out;
}

std::string value_in(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [name](const Field& one) { return one.name == name; });
  return found == fields.end() ? "not there" : fmt::format("\"{}\"", found->value);
}

}  // namespace

std::string describe_change(std::string_view before, std::string_view now) {
  const std::vector<Field> old_fields = fields_of(before);
  const std::vector<Field> new_fields = fields_of(now);
  std::vector<std::string_view> names;
  for (const auto* fields : {&old_fields, &new_fields}) {
    for (const Field& field : *fields) {
      if (std::find(names.begin(), names.end(), field.name) == names.end()) names.push_back(field.name);
    }
  }
  std::string out;
  for (const std::string_view name : names) {
    const std::string old_value = value_in(old_fields, name);
    const std::string new_value = value_in(new_fields, name);
    if (old_value == new_value) continue;
    out += fmt::format("{}{} was {}, it is {}", out.empty() ? "" : "; ", name, old_value, new_value);
  }
  return out.empty() ? fmt::format("it was \"{}\", it is \"{}\"", before, now) : out;
}

}  // namespace tidemark::core
