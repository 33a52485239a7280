// SPDX-License-Identifier: Apache-2.0
//
// Objects that accumulator rows own through a pointer. Ownership is a unique_ptr released into the row and taken back
// on destruction; a null pointer is an empty object, so that a row from which all was taken back is byte for byte a
// fresh one. Rows of one aggregate only; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "core/window/accumulator_slots.hpp"
#include "core/window/byte_multiset.hpp"
#include "core/window/exact_double.hpp"
#include "core/window/hyper_log_log.hpp"
#include "core/window/number_multiset.hpp"

namespace tidemark::core {

template <typename T>
T* object_of(const std::byte* row, uint32_t at) noexcept {
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
void destroy_object(std::byte* row, uint32_t at) noexcept {
  const std::unique_ptr<T> object(object_of<T>(row, at));
  store_part<T*>(row, static_cast<int32_t>(at), nullptr);
}

template <typename T>
void drop_if_empty(std::byte* row, uint32_t at) noexcept {
  if (const T* object = object_of<T>(row, at); object != nullptr && object->empty()) destroy_object<T>(row, at);
}

/// Calls use(type_identity<T>) with the class of the slot's object.
template <typename Use>
decltype(auto) with_object_type(SlotKind kind, Use&& use) {
  switch (kind) {
    case SlotKind::numbers:
    case SlotKind::buckets:
      return use(std::type_identity<NumberMultiset>{});
    case SlotKind::bytes:
    case SlotKind::timed:
      return use(std::type_identity<ByteMultiset>{});
    case SlotKind::rare:
      return use(std::type_identity<RareDoubles>{});
    case SlotKind::registers:
      return use(std::type_identity<HyperLogLog>{});
    default:
      return use(std::type_identity<std::string>{});
  }
}

}  // namespace tidemark::core
