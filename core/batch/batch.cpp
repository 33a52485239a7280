// SPDX-License-Identifier: Apache-2.0
//
// Layout of a batch's memory: one arena for all fixed-size arrays (64-byte aligned), one growable heap for the
// bytes of variable-width columns. Nothing here runs per row.
#include "core/batch/batch.hpp"

#include <algorithm>
#include <cstring>

namespace tidemark::core {
namespace {

constexpr size_t align_up(size_t bytes) {
  return (bytes + 63) & ~size_t{63};
}

}  // namespace

Batch::Batch(std::shared_ptr<const BatchLayout> layout, uint32_t row_capacity, size_t heap_capacity)
    : layout_(std::move(layout)), row_capacity_(row_capacity), columns_(layout_->columns.size()) {
  const size_t n = row_capacity_;
  const size_t validity_bytes = align_up((n + 7) / 8);
  size_t total = align_up(n * sizeof(Micros)) + align_up(n) + align_up(n * sizeof(uint64_t)) +
                 align_up(n * sizeof(uint32_t)) + align_up(n * sizeof(Origin)) +
                 align_up(problem_capacity() * sizeof(RowProblem));
  for (const ColumnInfo& column : layout_->columns) total += align_up(n * value_width(column.type));
  validity_offset_ = total;
  if (layout_->partial) absent_.resize(layout_->delivered());
  total += validity_bytes * (columns_.size() + absent_.size());
  arena_bytes_ = total + 64;
  arena_ = std::make_unique<std::byte[]>(arena_bytes_);

  const auto address = reinterpret_cast<uintptr_t>(arena_.get());
  std::byte* at = arena_.get() + (align_up(address) - address);
  validity_offset_ += static_cast<size_t>(at - arena_.get());
  const auto take = [&at](size_t bytes) {
    std::byte* out = at;
    at += align_up(bytes);
    return out;
  };
  event_time_us = reinterpret_cast<Micros*>(take(n * sizeof(Micros)));
  op = reinterpret_cast<uint8_t*>(take(n));
  sequence = reinterpret_cast<uint64_t*>(take(n * sizeof(uint64_t)));
  origin = reinterpret_cast<uint32_t*>(take(n * sizeof(uint32_t)));
  origins = reinterpret_cast<Origin*>(take(n * sizeof(Origin)));
  own_problems_ = problems = reinterpret_cast<RowProblem*>(take(problem_capacity() * sizeof(RowProblem)));
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].values = take(n * value_width(layout_->columns[i].type));
  for (Column& column : columns_) column.validity = reinterpret_cast<uint8_t*>(take((n + 7) / 8));
  for (uint8_t*& bits : absent_) bits = reinterpret_cast<uint8_t*>(take((n + 7) / 8));

  heap_capacity_ = heap_capacity;
  heap_memory_ = std::make_unique<char[]>(std::max<size_t>(heap_capacity, 1));
  heap = heap_memory_.get();
}

bool Batch::grow_heap(uint64_t more) {
  if (heap_used + more <= heap_capacity_) return true;
  if (heap_used + more > UINT32_MAX) return false;
  const uint64_t wanted = std::min<uint64_t>(std::max(heap_used + more, heap_capacity_ * 2), UINT32_MAX);
  auto bigger = std::make_unique<char[]>(wanted);
  std::memcpy(bigger.get(), heap, heap_used);
  heap_memory_ = std::move(bigger);
  heap = heap_memory_.get();
  heap_capacity_ = wanted;
  return true;
}

std::optional<Slice> Batch::put_on_heap(std::string_view bytes) {
  if (!grow_heap(bytes.size())) return std::nullopt;
  const Slice out{static_cast<uint32_t>(heap_used), static_cast<uint32_t>(bytes.size())};
  if (!bytes.empty()) std::memcpy(heap + heap_used, bytes.data(), bytes.size());
  heap_used += bytes.size();
  return out;
}

void Batch::set_problems(std::vector<RowProblem> runs) {
  given_problems_ = std::move(runs);
  problems = given_problems_.data();
  problem_count = static_cast<uint32_t>(given_problems_.size());
}

void Batch::clear() noexcept {
  rows = 0;
  origin_count = 0;
  problems = own_problems_;
  given_problems_.clear();
  problem_count = 0;
  heap_used = 0;
  std::memset(arena_.get() + validity_offset_, 0,
              (columns_.size() + absent_.size()) * align_up((row_capacity_ + 7) / 8));
}

size_t Batch::memory_bytes() const noexcept {
  return arena_bytes_ + heap_capacity_;
}

}  // namespace tidemark::core
