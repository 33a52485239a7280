// SPDX-License-Identifier: Apache-2.0
//
// Results that show values one by one: the most frequent ones as a JSON array, and joined texts. Bounded to 1 MiB; a
// longer one is an error. Values are written as sinks write them (cell_text.hpp, json_text.hpp). Runs when panes fire.
#include <algorithm>

#include "core/batch/cell_text.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/batch/json_text.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/aggregate_types.hpp"
#include "core/window/ordered_cell.hpp"
#include "core/window/owned_object.hpp"

namespace tidemark::core {
namespace {

struct NumberCount {
  uint64_t value = 0;
  int64_t count = 0;
};
struct BytesCount {
  std::string_view value;
  int64_t count = 0;
};

/// Values with a positive count, ascending.
std::vector<NumberCount> present(const NumberMultiset& values) {
  std::vector<NumberCount> out;
  for (const auto& [value, count] : values.sorted()) {
    if (count > 0) out.push_back({value, count});
  }
  return out;
}
std::vector<BytesCount> present(const ByteMultiset& values) {
  std::vector<BytesCount> out;
  for (const auto& [value, count] : values.counts()) {
    if (count > 0) out.push_back({value, count});
  }
  return out;
}

/// Writes values as text by way of a cell of their type.
class ValueText {
 public:
  explicit ValueText(const std::shared_ptr<const BatchLayout>& layout) : cell_(layout, 1, 64) { cell_.rows = 1; }

  Status append_json(uint64_t value, std::string& out) {
    cell_.clear();
    put_ordered_number(cell_, 0, 0, value);
    append_json_cell(cell_, 0, 0, out);
    return Status::ok();
  }
  Status append_json(std::string_view value, std::string& out) {
    cell_.clear();
    Status status = put_ordered_bytes(cell_, 0, 0, value);
    if (status) append_json_cell(cell_, 0, 0, out);
    return status;
  }
  Status append_text(uint64_t value, std::string& out) {
    cell_.clear();
    put_ordered_number(cell_, 0, 0, value);
    append_cell_text(cell_, 0, 0, out);
    return Status::ok();
  }
  Status append_text(std::string_view value, std::string& out) {
    cell_.clear();
    Status status = put_ordered_bytes(cell_, 0, 0, value);
    if (status) append_cell_text(cell_, 0, 0, out);
    return status;
  }

 private:
  Batch cell_;
};

Status too_long(const AggregateColumn& column, const char* remedy) {
  return Status(Code::overflow, "column '" + column.name + "': the result of " + function_name(column.function) +
                                    " has more than " + std::to_string(kJoinedBytes) + " bytes; " + remedy);
}

template <typename Count>
Status append_top(const AggregateColumn& column, std::vector<Count> values, ValueText& text, std::string& out) {
  const size_t shown = std::min<size_t>(column.limit, values.size());
  std::partial_sort(
      values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), values.end(),
      [](const Count& a, const Count& b) { return a.count != b.count ? a.count > b.count : a.value < b.value; });
  out.push_back('[');
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) out.push_back(',');
    if (Status status = text.append_json(values[i].value, out); !status) return status;
    if (out.size() >= kJoinedBytes) return too_long(column, "ask for fewer values");
  }
  out.push_back(']');
  return Status::ok();
}

template <typename Count>
Status append_joined(const AggregateColumn& column, const std::vector<Count>& values, ValueText& text,
                     std::string& out) {
  uint64_t left = column.limit == 0 ? UINT64_MAX : column.limit;
  bool first = true;
  std::string one;
  for (const Count& value : values) {
    one.clear();
    if (Status status = text.append_text(value.value, one); !status) return status;
    uint64_t copies = std::min(left, static_cast<uint64_t>(value.count));
    left -= copies;
    if (one.empty() && column.separator.empty()) continue;  // however many there are
    for (; copies > 0; --copies) {
      if (!first) out += column.separator;
      first = false;
      out += one;
      if (out.size() > kJoinedBytes) return too_long(column, "give it a limit, or a smaller one");
    }
    if (left == 0) break;
  }
  return Status::ok();
}

/// Calls use(values) with the present values of a slot; false when there are none.
template <typename Use>
bool with_present(const ValueSlot& slot, const std::byte* row, const Use& use) {
  if (slot.kind == SlotKind::numbers) {
    const auto* object = object_of<NumberMultiset>(row, slot.at);
    if (object == nullptr || object->distinct() == 0) return false;
    use(present(*object));
    return true;
  }
  const auto* object = object_of<ByteMultiset>(row, slot.at);
  if (object == nullptr || object->distinct() == 0) return false;
  use(present(*object));
  return true;
}

}  // namespace

Status AccumulatorLayout::write_top(const Output& output, const std::byte* row, const ResultCell& to) const {
  ValueText text(output.values);
  std::string json;
  Status status;
  const bool any = with_present(value_of(output), row, [&]<typename Count>(std::vector<Count> values) {
    status = append_top(output.column, std::move(values), text, json);
  });
  return any && status ? put_ordered_bytes(to.out, to.column, to.row, json) : status;
}

Status AccumulatorLayout::write_joined(const Output& output, const std::byte* row, const ResultCell& to) const {
  ValueText text(output.values);
  std::string joined;
  Status status;
  const bool any = with_present(value_of(output), row, [&]<typename Count>(const std::vector<Count>& values) {
    status = append_joined(output.column, values, text, joined);
  });
  return any && status ? put_ordered_bytes(to.out, to.column, to.row, joined) : status;
}

}  // namespace tidemark::core
