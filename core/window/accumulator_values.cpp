// SPDX-License-Identifier: Apache-2.0
//
// What is the same for all objects behind value slots, and what results ask of them; see the header.
#include "core/window/accumulator_values.hpp"

#include "core/window/owned_object.hpp"
#include "core/window/value_update.hpp"

namespace tidemark::core {

int64_t merge_values(const ValueSlot& slot, std::byte* into, const std::byte* from) {
  const size_t before = value_bytes(slot, into);
  with_object_type(slot.kind, [&]<typename T>(std::type_identity<T>) {
    const T* other = object_of<T>(from, slot.at);
    if (other == nullptr) return;
    if constexpr (std::is_same_v<T, std::string>) {
      keep_extreme(slot, into, *other);
    } else {
      T& object = object_or_new<T>(into, slot.at);
      if constexpr (std::is_same_v<T, NumberMultiset> || std::is_same_v<T, ByteMultiset>) {
        object.merge(*other, !slot.counted);
      } else {
        object.merge(*other);
      }
      drop_if_empty<T>(into, slot.at);
    }
  });
  return static_cast<int64_t>(value_bytes(slot, into)) - static_cast<int64_t>(before);
}

void destroy_values(const ValueSlot& slot, std::byte* row) {
  with_object_type(slot.kind, [&]<typename T>(std::type_identity<T>) { destroy_object<T>(row, slot.at); });
}

size_t value_bytes(const ValueSlot& slot, const std::byte* row) {
  return with_object_type(slot.kind, [&]<typename T>(std::type_identity<T>) -> size_t {
    const T* object = object_of<T>(row, slot.at);
    if (object == nullptr) return 0;
    if constexpr (std::is_same_v<T, std::string>) {
      return sizeof *object + object->capacity();
    } else {
      return object->memory_bytes();
    }
  });
}

bool values_lack_base(const ValueSlot& slot, const std::byte* row) {
  return with_object_type(slot.kind, [&]<typename T>(std::type_identity<T>) {
    if constexpr (requires(const T& object) { object.lacks_base(); }) {
      const T* object = object_of<T>(row, slot.at);
      return object != nullptr && object->lacks_base();
    } else {
      return false;
    }
  });
}

void encode_values(const ValueSlot& slot, const std::byte* row, std::string& out) {
  ByteWriter writer(out);
  with_object_type(slot.kind, [&]<typename T>(std::type_identity<T>) {
    const T* object = object_of<T>(row, slot.at);
    writer.fixed(static_cast<uint8_t>(object != nullptr));
    if (object == nullptr) return;
    if constexpr (std::is_same_v<T, std::string>) {
      writer.text(*object);
    } else {
      object->encode(out);
    }
  });
}

bool decode_values(const ValueSlot& slot, ByteReader& in, std::byte* row) {
  const auto present = in.fixed<uint8_t>();
  if (present == 0) return in.ok();
  return with_object_type(slot.kind, [&]<typename T>(std::type_identity<T>) {
    T& object = object_or_new<T>(row, slot.at);
    if constexpr (std::is_same_v<T, std::string>) {
      object.assign(in.text());
      return in.ok();
    } else {
      return object.decode(in) && !object.empty();
    }
  });
}

int64_t distinct_values(const ValueSlot& slot, const std::byte* row) {
  return with_object_type(slot.kind, [&]<typename T>(std::type_identity<T>) -> int64_t {
    const T* object = object_of<T>(row, slot.at);
    if constexpr (requires { object->distinct(); }) {
      return object == nullptr ? 0 : object->distinct();
    } else {
      return 0;
    }
  });
}

int64_t estimated_values(const ValueSlot& slot, const std::byte* row) {
  const auto* object = object_of<HyperLogLog>(row, slot.at);
  return object == nullptr ? 0 : object->estimate();
}

std::optional<uint64_t> extreme_number(const ValueSlot& slot, const std::byte* row, bool largest) {
  const auto* object = object_of<NumberMultiset>(row, slot.at);
  if (object == nullptr) return std::nullopt;
  return largest ? object->largest() : object->smallest();
}

std::optional<std::string_view> extreme_bytes(const ValueSlot& slot, const std::byte* row, bool largest) {
  const std::string* value = nullptr;
  if (slot.kind == SlotKind::bytes || slot.kind == SlotKind::timed) {
    const auto* object = object_of<ByteMultiset>(row, slot.at);
    if (object != nullptr) value = largest ? object->largest() : object->smallest();
  } else {
    value = object_of<std::string>(row, slot.at);
  }
  return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
}

}  // namespace tidemark::core
