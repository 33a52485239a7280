// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the values of variable size: rows of a batch into multisets, kept texts, registers, buckets and sums of
// rare doubles. In append mode multisets of which only the values matter keep each once.
#include "core/window/value_update.hpp"

#include <array>

#include "core/window/accumulator_values.hpp"
#include "core/window/ordered_cell.hpp"
#include "core/window/ordered_value.hpp"
#include "core/window/owned_object.hpp"
#include "core/window/quantile_bucket.hpp"
#include "core/window/rounding.hpp"

namespace tidemark::core {
namespace {

int64_t weight_at(const UpdateInput& input, uint32_t row) {
  return input.changelog ? weight_of(input.batch->op_at(row)) : 1;
}

template <typename Multiset, typename Value>
void add_value(const ValueSlot& slot, Multiset& values, const Value& value, const UpdateInput& input, uint32_t row) {
  if (slot.counted) {
    values.add(value, weight_at(input, row));
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
      add_value(slot, object, uint64_t{to_ordered(values[row])}, input, row);
    });
  });
  drop_if_empty<NumberMultiset>(target.accumulators, slot.at);
}

/// Calls use(row, bytes) with the ordered bytes of each non-NULL value of a wide or variable-width column.
template <typename Use>
void for_each_bytes(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target, const Use& use) {
  const Column& column = input.batch->column(slot.column);
  for_each_value(column, input, target, [&](uint32_t row) {
    if (!is_wide(slot.type)) return use(row, input.batch->bytes_at(slot.column, row));
    char ordered[32];
    const uint32_t width = value_width(slot.type);
    store_ordered_wide(ordered, load_wide(slot.type, column.values, row), width);
    use(row, std::string_view(ordered, width));
  });
}

void update_bytes(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target) {
  if (slot.kind != SlotKind::bytes) {
    for_each_bytes(slot, input, target,
                   [&](uint32_t /*row*/, std::string_view value) { keep_extreme(slot, target.accumulators, value); });
    return;
  }
  for_each_bytes(slot, input, target, [&](uint32_t row, std::string_view value) {
    add_value(slot, object_or_new<ByteMultiset>(target.accumulators, slot.at), value, input, row);
  });
  drop_if_empty<ByteMultiset>(target.accumulators, slot.at);
}

void update_timed(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target) {
  std::string timed;
  for_each_value(input.batch->column(slot.column), input, target, [&](uint32_t row) {
    make_timed_value(*input.batch, slot.column, row, timed);
    if (slot.kind == SlotKind::timed) {
      object_or_new<ByteMultiset>(target.accumulators, slot.at).add(timed, weight_at(input, row));
    } else {
      keep_extreme(slot, target.accumulators, timed);
    }
  });
  if (slot.kind == SlotKind::timed) drop_if_empty<ByteMultiset>(target.accumulators, slot.at);
}

template <typename T>
void update_rare(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target) {
  const Column& column = input.batch->column(slot.column);
  const T* values = column.as<T>();
  bool any = false;  // looked for without branches first, as nearly always there is none; NULLs do no harm
  for (uint32_t i = 0; i < target.row_count; ++i) {
    any |= is_rare(static_cast<double>(values[input.rows[target.row_begin + i]]));
  }
  if (!any) return;
  for_each_value(column, input, target, [&](uint32_t row) {
    const auto value = static_cast<double>(values[row]);
    if (!is_rare(value)) return;
    object_or_new<RareDoubles>(target.accumulators, slot.at).add(value, weight_at(input, row) < 0);
  });
  drop_if_empty<RareDoubles>(target.accumulators, slot.at);
}

void update_registers(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target) {
  const auto add = [&](uint64_t hash) { object_or_new<HyperLogLog>(target.accumulators, slot.at).add(hash); };
  if (!is_narrow(slot.type)) {
    for_each_bytes(slot, input, target,
                   [&](uint32_t /*row*/, std::string_view value) { add(HyperLogLog::hash_of(value)); });
    return;
  }
  const Column& column = input.batch->column(slot.column);
  with_narrow_type(slot.type, [&]<typename T>(std::type_identity<T>) {
    const T* values = column.as<T>();
    for_each_value(column, input, target,
                   [&](uint32_t row) { add(HyperLogLog::hash_of(uint64_t{to_ordered(values[row])})); });
  });
}

constexpr auto kPowersOfTen = [] {
  std::array<double, 77> out{};
  double power = 1;
  for (double& at : out) {
    at = power;
    power *= 10;
  }
  return out;
}();

void update_buckets(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target) {
  const Column& column = input.batch->column(slot.column);
  const double divisor = kPowersOfTen[std::min<size_t>(slot.scale, kPowersOfTen.size() - 1)];
  const auto add = [&](uint32_t row, double value) {
    auto& object = object_or_new<NumberMultiset>(target.accumulators, slot.at);
    object.add(bucket_of(value / divisor), weight_at(input, row));
  };
  if (is_wide(slot.type)) {
    for_each_value(column, input, target,
                   [&](uint32_t row) { add(row, round_limbs(load_wide(slot.type, column.values, row).limb, 0)); });
  } else {
    with_narrow_type(slot.type, [&]<typename T>(std::type_identity<T>) {
      const T* values = column.as<T>();
      for_each_value(column, input, target, [&](uint32_t row) { add(row, static_cast<double>(values[row])); });
    });
  }
  drop_if_empty<NumberMultiset>(target.accumulators, slot.at);
}

void update_target(const ValueSlot& slot, const UpdateInput& input, const UpdateTarget& target) {
  switch (slot.kind) {
    case SlotKind::numbers:
      return update_numbers(slot, input, target);
    case SlotKind::timed:
    case SlotKind::first_timed:
    case SlotKind::last_timed:
      return update_timed(slot, input, target);
    case SlotKind::rare:
      return slot.type == ColumnType::float32 ? update_rare<float>(slot, input, target)
                                              : update_rare<double>(slot, input, target);
    case SlotKind::registers:
      return update_registers(slot, input, target);
    case SlotKind::buckets:
      return update_buckets(slot, input, target);
    default:
      return update_bytes(slot, input, target);
  }
}

}  // namespace

void keep_extreme(const ValueSlot& slot, std::byte* row, std::string_view value) {
  const bool smallest = slot.kind == SlotKind::min_text || slot.kind == SlotKind::first_timed;
  if (std::string* kept = object_of<std::string>(row, slot.at)) {
    if (smallest ? value < *kept : value > *kept) kept->assign(value);
    return;
  }
  object_or_new<std::string>(row, slot.at).assign(value);
}

int64_t update_values(const ValueSlot& slot, const UpdateInput& input) {
  int64_t grown = 0;
  for (const UpdateTarget& target : input.targets) {
    const size_t before = value_bytes(slot, target.accumulators);
    update_target(slot, input, target);
    grown += static_cast<int64_t>(value_bytes(slot, target.accumulators)) - static_cast<int64_t>(before);
  }
  return grown;
}

}  // namespace tidemark::core
