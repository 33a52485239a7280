// SPDX-License-Identifier: Apache-2.0
// MySQL's binary JSON: values as views into the document's bytes, read one at a time.
// Invariants: no view leaves its container; whatever is read is charged to a budget of the document's own size, since
// in a right document no two values share bytes: so a damaged one, whose entries point many times at one value, costs
// no more than its size. What is not right is an empty result, never a guess.
// Plain values; any thread. Source: MySQL sql/json_binary.h, "Binary format" (description of the format).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

/// Containers inside one another, as the servers allow them.
inline constexpr uint32_t kJsonDepthMax = 100;

enum class JsonType : uint8_t {
  small_object = 0,
  large_object = 1,
  small_array = 2,
  large_array = 3,
  literal = 4,
  int16 = 5,
  uint16 = 6,
  int32 = 7,
  uint32 = 8,
  int64 = 9,
  uint64 = 10,
  double_ = 11,
  string = 12,
  opaque = 15
};

/// A value that was not looked at yet: its type and its bytes, which may go on to the end of its container.
struct JsonSlot {
  const uint8_t* at = nullptr;
  uint32_t size = 0;
  JsonType type = JsonType::literal;

  bool is_object() const { return type == JsonType::small_object || type == JsonType::large_object; }
  bool is_array() const { return type == JsonType::small_array || type == JsonType::large_array; }
};

namespace json_detail {

inline constexpr uint32_t kTypeBytes = 1;
inline constexpr uint32_t kKeyLengthBytes = 2;

inline bool known_type(uint8_t type) {
  return type <= static_cast<uint8_t>(JsonType::string) || type == static_cast<uint8_t>(JsonType::opaque);
}

// Bytes of values that have a width of their own; 0 = others.
inline uint32_t fixed_bytes(JsonType type) {
  switch (type) {
    case JsonType::literal:
      return 1;
    case JsonType::int16:
    case JsonType::uint16:
      return 2;
    case JsonType::int32:
    case JsonType::uint32:
      return 4;
    case JsonType::int64:
    case JsonType::uint64:
    case JsonType::double_:
      return 8;
    default:
      return 0;
  }
}

// Lies in the entry itself instead of behind an offset.
inline bool inlined(JsonType type, bool large) {
  const uint32_t bytes = fixed_bytes(type);
  return bytes != 0 && bytes <= (large ? 4u : 2u);
}

}  // namespace json_detail

/// What may still be read.
class JsonBudget {
 public:
  explicit JsonBudget(uint64_t bytes) : left_(bytes) {}
  [[nodiscard]] bool take(uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  uint64_t left_;
};

/// The document's root. A document of length 0 is JSON null (INSERT IGNORE writes it).
std::optional<JsonSlot> json_root(std::span<const uint8_t> document, JsonBudget& budget);

/// An opened object or array.
class JsonContainer {
 public:
  /// Charges the header and entries.
  static std::optional<JsonContainer> open(const JsonSlot& slot, JsonBudget& budget);

  uint32_t count() const { return count_; }
  bool is_object() const { return object_; }
  /// The key of member `index`; charges its bytes.
  std::optional<std::string_view> key(uint32_t index, JsonBudget& budget) const;
  std::optional<JsonSlot> value(uint32_t index) const;

 private:
  const uint8_t* at_ = nullptr;
  uint32_t bytes_ = 0;  // of the whole container
  uint32_t count_ = 0;
  uint32_t entries_ = 0;  // where the value entries start
  bool object_ = false;
  bool large_ = false;
};

inline std::optional<std::string_view> JsonContainer::key(uint32_t index, JsonBudget& budget) const {
  const uint32_t width = large_ ? 4 : 2;
  const uint8_t* entry = at_ + size_t{2} * width + size_t{index} * (width + json_detail::kKeyLengthBytes);
  const auto offset = static_cast<uint32_t>(load_le(entry, width));
  const auto length = static_cast<uint32_t>(load_le(entry + width, json_detail::kKeyLengthBytes));
  if (offset > bytes_ || length > bytes_ - offset || !budget.take(length)) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(at_ + offset), length);
}

inline std::optional<JsonSlot> JsonContainer::value(uint32_t index) const {
  const uint32_t width = large_ ? 4 : 2;
  const uint32_t entry = entries_ + index * (json_detail::kTypeBytes + width);
  const uint8_t code = at_[entry];
  if (!json_detail::known_type(code)) return std::nullopt;
  const auto type = static_cast<JsonType>(code);
  const uint8_t* const value = at_ + entry + json_detail::kTypeBytes;
  if (json_detail::inlined(type, large_)) return JsonSlot{value, width, type};
  const auto offset = static_cast<uint32_t>(load_le(value, width));
  // Values lie behind all entries.
  if (offset < entries_ + count_ * (json_detail::kTypeBytes + width) || offset > bytes_) return std::nullopt;
  return JsonSlot{at_ + offset, bytes_ - offset, type};
}

enum class JsonKind : uint8_t { null, false_, true_, integer, unsigned_, number, string, opaque };

struct JsonScalar {
  JsonKind kind = JsonKind::null;
  uint8_t field_type = 0;  ///< opaque: the column type code
  int64_t integer = 0;
  uint64_t bits = 0;
  double number = 0;
  std::string_view bytes;  ///< string, opaque
};

/// Reads a slot that is no container; charges its bytes, unless they lie in the container's entry.
std::optional<JsonScalar> read_json_scalar(const JsonSlot& slot, JsonBudget& budget);

}  // namespace tidemark::binlog
