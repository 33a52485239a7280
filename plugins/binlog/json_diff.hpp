// SPDX-License-Identifier: Apache-2.0
// JSON diffs of PARTIAL_UPDATE_ROWS events: a run of operations (replace, insert, remove), each with a path and, but
// for remove, a document; applied to the document of the row's before image.
// Invariants: the server's semantics, which has no wildcards and wraps no scalar into an array: a path that is not
// there, an insert of a member that is there, or an operation on the root, makes the whole result corrupt. Only the
// containers along the paths are taken apart; memory is a small multiple of the bytes given.
// Any thread; no state. Source: MySQL sql/json_diff.h and sql-common/json_path.h (descriptions of format and paths).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/byte_cursor.hpp"
#include "binlog/json_text.hpp"

namespace tidemark::binlog {

enum class JsonDiffKind : uint8_t { replace = 0, insert = 1, remove = 2 };

struct JsonDiff {
  JsonDiffKind kind = JsonDiffKind::replace;
  std::string_view path;           ///< "$.a[3]"
  std::span<const uint8_t> value;  ///< a JSON document; empty for remove
};

/// Reads the operations of one cell (without its length prefix).
class JsonDiffs {
 public:
  explicit JsonDiffs(std::span<const uint8_t> bytes) : cursor_(bytes) {}
  bool at_end() const { return cursor_.at_end(); }
  /// nullopt = damaged.
  std::optional<JsonDiff> next();

 private:
  ByteCursor cursor_;
};

/// One step of a path: a member, or an element counted from the array's start or end (0 = the last).
struct JsonPathLeg {
  bool is_member = false;
  bool from_end = false;
  uint32_t index = 0;
  std::string key;
};
/// The legs behind "$"; nullopt = not a path, or one with wildcards.
std::optional<std::vector<JsonPathLeg>> parse_json_path(std::string_view path);

/// The text of `document` (a JSON cell without its length prefix) after the operations in `diffs` (likewise).
JsonResult write_changed_json(std::span<const uint8_t> document, std::span<const uint8_t> diffs, JsonSink& sink);

/// The operations themselves as JSON: [{"op": "replace", "path": "$.a", "value": 1}, ...].
JsonResult write_json_diffs(std::span<const uint8_t> diffs, JsonSink& sink);

}  // namespace tidemark::binlog
