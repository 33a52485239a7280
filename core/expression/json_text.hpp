// SPDX-License-Identifier: Apache-2.0
//
// JSON values as texts: whether they are JSON, paths into them, and what they hold. Values are found where they
// stand, without a tree and without recursion, so that depth costs nothing. Texts that are no JSON give nothing;
// those that were not validated may give anything, but are read within their bounds.
// Of members with one name the last counts, as in MySQL. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/expression/text_arena.hpp"

namespace tidemark::core {

/// $.name, $."quoted name", $[0], in any order.
struct JsonPath {
  struct Leg {
    bool is_index = false;
    uint32_t index = 0;
    std::string name;
  };
  std::vector<Leg> legs;
};

struct JsonPathError {
  size_t offset = 0;  ///< in the path
  std::string text;
  std::string help;
};
std::variant<JsonPath, JsonPathError> parse_json_path(std::string_view path);

bool is_json(std::string_view text) noexcept;

/// The value's text in `json`; empty where there is none. $[0] of what is no array is the value itself.
std::optional<std::string_view> find_json(std::string_view json, const JsonPath& path);

enum class JsonType : uint8_t { object, array, string, integer, unsigned_integer, floating, boolean, null };
/// Of a value without blanks around it; empty when it is none.
std::optional<JsonType> json_type_of(std::string_view value) noexcept;
/// "OBJECT", "UNSIGNED INTEGER", ... as JSON_TYPE prints it.
std::string_view json_type_name(JsonType type) noexcept;

/// Without blanks around it.
std::string_view trim_json(std::string_view json) noexcept;

/// What a string in quotes says; shown where it stands, or made in the arena. Empty when it is malformed.
std::optional<std::string_view> unquote_json(std::string_view quoted, TextArena& arena);

/// Members of an object, elements of an array, 1 for other values.
int64_t count_json(std::string_view value) noexcept;

}  // namespace tidemark::core
