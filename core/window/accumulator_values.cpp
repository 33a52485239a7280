// SPDX-License-Identifier: Apache-2.0
//
// Objects behind value slots. Ownership is a unique_ptr released into the row and taken back on destruction.
#include "core/window/accumulator_values.hpp"

#include <memory>

#include "core/window/byte_multiset.hpp"
#include "core/window/number_multiset.hpp"
#include "core/window/ordered_value.hpp"

namespace tidemark::core {
namespace {

template <typename T>
T* object_of(const std::byte* row, uint32_t at) {
  return load_part<T*>(row, static_cast<int32_t>(at));
}

template <typename T>
T& object_or_new(std::byte* row, uint32_t at) {
  T* object = object_of<T>(row, at);
  if (object == nullptr) {
    object = std::make_unique<T>().release();
    store_part(row, static_cast<int32_t>(at), object);
  }
  return *object;
}

template <typename T>
void destroy_object(std::byte* row, uint32_t at) {
  const std::unique_ptr<T> object(object_of<T>(row, at));
  store_part<T*>(row, static_cast<int32_t>(at), nullptr);
}

template <typename T>
void drop_if_empty(std::byte* row, uint32_t at) {
  if (const T* object = object_of<T>(row, at); object != nullptr && object->empty()) destroy_object<T>(row, at);
}

/// Calls use(type_identity<T>) with the class of the slot's object.
template <typename Use>
decltype(auto) with_object_type(ValueKind kind, Use&& use) {
  switch (kind) {
    case ValueKind::numbers:
      return use(std::type_identity<NumberMultiset>{});
    case ValueKind::bytes:
      return use(std::type_identity<ByteMultiset>{});
    default:
      return use(std::type_identity<std::string>{});
  }
}

void keep_extreme(const ValueSlot& slot, std::byte* row, std::string_view value) {
  if (std::string* kept = object_of<std::string>(row, slot.at)) {
    if (slot.kind == ValueKind::min_text ? value < *kept : value > *kept) kept->assign(value);
    return;
  }
  object_or_new<std::string>(row, slot.at).assign(value);
}

template <typename Multiset, typename Value>
void add_value(Multiset& values, const Value& value, const UpdateInput& input, uint32_t row) {
  if (input.changelog) {
    values.add(value, weight_of(input.batch->op_at(row)));
  } else {
    values.add_to_set(value);
  }
}

/// Calls use(row) for each non-NULL row of the target.
template <typename Use>
void for_each_value(const Column& column, const UpdateInput& input, const UpdateTarget& target, const Use& use) {
  for (uint32_t i = 0; i < target.row_count; ++i) {
    const uint32_t row = input.rows[target.row_begin + i];
    if (column.is_valid(row)) use(row);
  }
}

void update_numbers(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target) {
  const Column& column = input.batch->column(slot.column);
  with_narrow_type(slot.type, [&]<typename T>(std::type_identity<T>) {
    const T* values = column.as<T>();
    for_each_value(column, input, target, [&](uint32_t row) {
      auto& object = object_or_new<NumberMultiset>(target.accumulators, slot.at);
      add_value(object, uint64_t{to_ordered(values[row])}, input, row);
    });
  });
  drop_if_empty<NumberMultiset>(target.accumulators, slot.at);
}

void update_bytes(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target) {
  const Column& column = input.batch->column(slot.column);
  for_each_value(column, input, target, [&](uint32_t row) {
    std::string_view value;
    char ordered[32];
    if (is_wide(slot.type)) {
      const uint32_t width = value_width(slot.type);
      store_ordered_wide(ordered, load_wide(slot.type, column.values, row), width);
      value = {ordered, width};
    } else {
      value = input.batch->bytes_at(slot.column, row);
    }
    if (slot.kind == ValueKind::bytes) {
      add_value(object_or_new<ByteMultiset>(target.accumulators, slot.at), value, input, row);
    } else {
      keep_extreme(slot, target.accumulators, value);
    }
  });
  if (slot.kind == ValueKind::bytes) drop_if_empty<ByteMultiset>(target.accumulators, slot.at);
}

int64_t growth(size_t before, size_t after) {
  return static_cast<int64_t>(after) - static_cast<int64_t>(before);
}

}  // namespace

int64_t update_values(const ValueSlot& slot, const UpdateInput& input) {
  int64_t grown = 0;
  for (const UpdateTarget& target : input.targets) {
    const size_t before = value_bytes(slot, target.accumulators);
    if (slot.kind == ValueKind::numbers) {
      update_numbers(slot, input, target);
    } else {
      update_bytes(slot, input, target);
    }
    grown += growth(before, value_bytes(slot, target.accumulators));
  }
  return grown;
}

int64_t merge_values(const ValueSlot& slot, std::byte* into, const std::byte* from, bool changelog) {
  const size_t before = value_bytes(slot, into);
  with_object_type(slot.kind, [&]<typename T>(std::type_identity<T>) {
    const T* other = object_of<T>(from, slot.at);
    if (other == nullptr) return;
    if constexpr (std::is_same_v<T, std::string>) {
      keep_extreme(slot, into, *other);
    } else {
      object_or_new<T>(into, slot.at).merge(*other, !changelog);
      drop_if_empty<T>(into, slot.at);
    }
  });
  return growth(before, value_bytes(slot, into));
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
      return object.decode(in);
    }
  });
}

int64_t distinct_values(const ValueSlot& slot, const std::byte* row) {
  if (slot.kind == ValueKind::numbers) {
    const auto* object = object_of<NumberMultiset>(row, slot.at);
    return object == nullptr ? 0 : object->distinct();
  }
  const auto* object = object_of<ByteMultiset>(row, slot.at);
  return object == nullptr ? 0 : object->distinct();
}

std::optional<uint64_t> extreme_number(const ValueSlot& slot, const std::byte* row, bool largest) {
  const auto* object = object_of<NumberMultiset>(row, slot.at);
  if (object == nullptr) return std::nullopt;
  return largest ? object->largest() : object->smallest();
}

std::optional<std::string_view> extreme_bytes(const ValueSlot& slot, const std::byte* row, bool largest) {
  const std::string* value = nullptr;
  if (slot.kind == ValueKind::bytes) {
    const auto* object = object_of<ByteMultiset>(row, slot.at);
    if (object != nullptr) value = largest ? object->largest() : object->smallest();
  } else {
    value = object_of<std::string>(row, slot.at);
  }
  return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
}

}  // namespace tidemark::core
