// SPDX-License-Identifier: Apache-2.0
//
// Values are shown where they stand in their document; only strings with escapes are made anew.
#include "core/expression/json_kernels.hpp"

#include "core/expression/json_text.hpp"
#include "core/expression/row_loops.hpp"

namespace tidemark::core {
namespace {

using Text = std::string_view;

bool is_usable(const Step& step, Text json) {
  return step.parameter.integer != 0 || is_json(json);
}
const JsonPath& path_of(const Step& step) {
  return *static_cast<const JsonPath*>(step.parameter.object.get());
}

template <typename Out>
Fate settle(const std::optional<Out>& value, Out& out) {
  out = value.value_or(Out());
  return null_if(!value);
}

}  // namespace

void json_extract_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text)>(frame, step, [&step](Text a, Text& out) {
    return settle(is_usable(step, a) ? find_json(a, path_of(step)) : std::nullopt, out);
  });
}

void json_value_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text)>(frame, step, [&](Text a, Text& out) {
    out = {};
    const auto value = is_usable(step, a) ? find_json(a, path_of(step)) : std::nullopt;
    const auto type = value ? json_type_of(*value) : std::nullopt;
    if (!type || *type == JsonType::null || *type == JsonType::object || *type == JsonType::array) return Fate::null;
    if (*type == JsonType::string) return settle(unquote_json(*value, *frame.texts), out);
    out = *value;
    return Fate::value;
  });
}

void json_unquote_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text)>(frame, step, [&](Text a, Text& out) {
    out = a;
    if (a.size() < 2 || a.front() != '"' || a.back() != '"') return Fate::value;
    return settle(is_usable(step, a) ? unquote_json(a, *frame.texts) : std::nullopt, out);
  });
}

void json_type_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text)>(frame, step, [&step](Text a, Text& out) {
    const auto type = is_usable(step, a) ? json_type_of(trim_json(a)) : std::nullopt;
    out = type ? json_type_name(*type) : Text();
    return null_if(!type);
  });
}

void json_length_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(Text)>(frame, step, [&step](Text a, int64_t& out) {
    const bool usable = is_usable(step, a);
    out = usable ? count_json(a) : 0;
    return null_if(!usable);
  });
}

void json_valid_kernel(const Frame& frame, const Step& step) {
  test_rows<Text>(frame, step, [](Text a) { return is_json(a); });
}

}  // namespace tidemark::core
