// SPDX-License-Identifier: Apache-2.0
//
// SplitOutput: where the rows of one split go (FLIP-27's per-split output). It acquires a batch of the host's
// memory when it is first asked for room, never before; its destructor submits what was filled. Without credit, or
// once moved from, it has no room, so that `while (out.has_room() && ...)` needs no further test. A row is written
// with append(...).set(...).
// Used on one thread; must not outlive the call it was made in.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/decimal.hpp>
#include <tidemark/errors.hpp>
#include <tidemark/schema.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tidemark {
inline namespace v1 {

/// Row kinds. update_before and update_after of one update are appended one right after the other.
enum class Op : uint8_t {
  insert = TIDEMARK_INSERT,
  remove = TIDEMARK_DELETE,
  update_before = TIDEMARK_UPDATE_BEFORE,
  update_after = TIDEMARK_UPDATE_AFTER,
  unread = TIDEMARK_UNREAD,  ///< a change of which no row could be made: append(), then set_aside(1, ...)
};                           // (TIDEMARK_TRUNCATE: SplitOutput::truncate())

/// Why rows are set aside.
enum class Problem : uint32_t {
  missing_column = TIDEMARK_MISSING_COLUMN,
  undecodable = TIDEMARK_UNDECODABLE,
  statement = TIDEMARK_STATEMENT,
};

inline constexpr int64_t kNoTime = TIDEMARK_NO_TIME;
inline constexpr uint32_t kNoOrigin = UINT32_MAX;

namespace detail {

/// Tells the host that the split was lost or is back; hosts before ABI minor 2 cannot be told.
inline void say_connection(const tidemark_output& output, uint32_t split, bool connected, std::string_view reason) {
  constexpr size_t kEnd = offsetof(tidemark_output, connection) + sizeof output.connection;
  if (output.struct_size < kEnd || output.connection == nullptr) return;
  output.connection(output.self, split, connected ? 1 : 0, {reason.data(), reason.size()});
}

}  // namespace detail

/// Where rows come from; empty texts = unknown.
struct Origin {
  std::string_view gtid{};
  std::string_view file{};
  std::string_view database{};
  std::string_view table{};
  uint64_t position = 0;
  uint64_t schema_version = 0;
  int64_t commit_time_us = kNoTime;
};

class SplitOutput;

/// The row that append() began. Columns go by their index in the schema; those that are not set are NULL, those
/// that the job does not use are skipped. A value that does not fit its column is a SourceError (data), and the
/// row is taken back (with its update_before, if it is an update_after).
class Row {
 public:
  /// Whole numbers: into integer, float, bool (0 or 1), decimal (as that number), date (days), time, timestamp
  /// and datetime (microseconds) columns.
  template <std::integral T>
  Row& set(uint32_t column, T value);
  /// Into float columns.
  Row& set(uint32_t column, double value);
  /// Into text, bytes and json columns; into decimal columns as digits ("-12.50").
  Row& set(uint32_t column, std::string_view value);
  /// Into decimal columns: units of 10^-scale.
  Row& set(uint32_t column, Unscaled value);
  /// Into date columns; into timestamp and datetime columns as that day's midnight.
  Row& set(uint32_t column, std::chrono::sys_days value);
  /// Into timestamp and datetime columns.
  Row& set(uint32_t column, std::chrono::sys_time<std::chrono::microseconds> value);
  /// Into time columns.
  Row& set(uint32_t column, std::chrono::microseconds value);
  Row& set(uint32_t column, std::nullopt_t);
  template <typename T>
  Row& set(uint32_t column, const std::optional<T>& value) {
    return value ? set(column, *value) : set(column, std::nullopt);
  }
  /// Into decimal columns: units of 10^-scale, little-endian two's complement of the column's width.
  Row& set_decimal_bytes(uint32_t column, std::span<const std::byte> value);

  /// Index in the batch.
  uint32_t index() const noexcept { return row_; }

 private:
  friend class SplitOutput;
  Row(SplitOutput* output, uint32_t row) noexcept : output_(output), row_(row) {}

  const Layout::Slot* slot_of(uint32_t column);
  void refuse(uint32_t column, std::string_view cause, std::string_view value = {});
  template <typename T>
  void store(const Layout::Slot& slot, T value) noexcept;
  template <typename T, typename V>
  void store_in_range(uint32_t column, const Layout::Slot& slot, V value);
  template <typename V>
  void store_number(uint32_t column, const Layout::Slot& slot, V value);
  void store_decimal(uint32_t column, const Layout::Slot& slot, bool negative, uint128 magnitude);
  void store_wide(const Layout::Slot& slot, bool negative, detail::Wide magnitude) noexcept;

  SplitOutput* output_;  // null: there was no room, or the row was taken back
  uint32_t row_;
};

class SplitOutput {
 public:
  /// When the first batch is acquired. with_first_row: for callers that may block between has_room() and append();
  /// has_room() then promises an empty batch's room and append() acquires, so `acquire` must wait for credit.
  enum class Acquire : uint8_t { when_asked_for_room, with_first_row };

  /// For the layers above and for threads of an author's own; authors get theirs from
  /// ReaderOutput::create_output_for_split() or fetch(). `next_sequence` goes on with each row.
  SplitOutput(const tidemark_output& output, const Layout& layout, uint32_t split, uint64_t& next_sequence,
              Acquire acquire = Acquire::when_asked_for_room) noexcept
      : output_(&output),
        layout_(&layout),
        next_sequence_(&next_sequence),
        split_(split),
        may_promise_(acquire == Acquire::with_first_row) {}
  SplitOutput(SplitOutput&& other) noexcept
      : output_(other.output_),
        layout_(other.layout_),
        next_sequence_(other.next_sequence_),
        batch_(std::exchange(other.batch_, nullptr)),
        split_(other.split_),
        origin_(std::exchange(other.origin_, kNoOrigin)),
        rows_(other.rows_),
        closed_(std::exchange(other.closed_, true)),
        finished_(other.finished_),
        truncated_(other.truncated_),
        lacks_credit_(other.lacks_credit_),
        may_promise_(other.may_promise_) {}
  SplitOutput(const SplitOutput&) = delete;
  SplitOutput& operator=(const SplitOutput&) = delete;
  SplitOutput& operator=(SplitOutput&&) = delete;
  ~SplitOutput() { submit(); }

  uint32_t split() const noexcept { return split_; }
  const Layout& layout() const noexcept { return *layout_; }
  /// Rows appended through this output, submitted or not.
  uint64_t row_count() const noexcept { return rows_; }
  bool is_finished() const noexcept { return finished_; }
  /// truncate() was called: the split's turn is over.
  bool is_truncated() const noexcept { return truncated_; }
  /// A batch was wanted and there was no credit for it: there is no room for the rest of this call.
  bool lacks_credit() const noexcept { return lacks_credit_; }

  /// True while `rows` more rows with `bytes` bytes of text in all fit. One output takes one batch's worth of
  /// rows; return from the call when it is full. Ask with rows = 2 before an update's two rows.
  bool has_room(uint64_t bytes = 0, uint32_t rows = 1) {
    if (may_promise_ && !closed_ && rows <= kRowsPromised && bytes <= kHeapBytesWanted) return true;
    if (!open() || batch_->rows + rows > batch_->row_capacity || rows_ + rows > batch_->row_capacity) return false;
    if (batch_->origin_count >= batch_->origin_capacity) return false;
    if (batch_->problem_capacity > 0 && batch_->problem_count >= batch_->problem_capacity) return false;
    if (batch_->heap_used + bytes <= batch_->heap_capacity) return true;
    if (batch_->rows > 0 && batch_->heap_used + bytes > kHeapBytesWanted) return false;
    return output_->grow_heap(output_->self, batch_, bytes) == TIDEMARK_OK;
  }

  /// Begins a row; has_room() must have been true. event_time_us: the source's own event time, kNoTime = none.
  Row append(Op op, int64_t event_time_us = kNoTime) { return append_kind(static_cast<uint8_t>(op), event_time_us); }

  /// Rows appended from here on come from `origin`, until the batch is submitted: set it again for the next one.
  void set_origin(const Origin& origin) {
    if (!open()) return;
    const auto gtid = put_bytes(origin.gtid), file = put_bytes(origin.file), database = put_bytes(origin.database),
               table = put_bytes(origin.table);
    if (batch_->origin_count == batch_->origin_capacity || !gtid || !file || !database || !table) {
      fail(SourceError("no room for an origin in the batch", {}, "ask has_room() first").kind(ErrorKind::internal));
      return;
    }
    origin_ = batch_->origin_count++;
    batch_->origins[origin_] = {
        *gtid, *file, *database, *table, origin.position, origin.schema_version, origin.commit_time_us};
  }

  /// All rows that the table of `origin` had are gone without rows that say so; without a table, those of all tables of
  /// its database. has_room() must have been true. Passed over where the job does not ask for it
  /// (Layout::wants_truncates()). Else it ends the split's turn: the rows are submitted, there is no room after it, and
  /// nothing more can be said of the split in this call (the easy layer tells an end with the next one).
  void truncate(const Origin& origin, int64_t event_time_us = kNoTime) {
    if (!layout_->wants_truncates()) return;
    set_origin(origin);
    const Row row = append_kind(TIDEMARK_TRUNCATE, event_time_us);
    if (row.output_ == nullptr) return;
    submit();
    closed_ = truncated_ = true;
  }

  /// The row's image does not hold this column of the schema (which is not NULL there): the host completes it. Only
  /// where Layout::wants_partial_images(); in place of set().
  void set_absent(const Row& row, uint32_t column) noexcept {
    const uint32_t at = layout_->slot(column).batch_column;
    if (at == Layout::kAbsent || row.output_ == nullptr) return;
    uint8_t& bits = batch_->absent[at][row.row_ >> 3];
    bits = static_cast<uint8_t>(bits | (1u << (row.row_ & 7)));
  }

  /// The last `rows` rows appended are not to be counted as they are; both of an update together. What happens to them
  /// is the job's to say (on_bad_event). `text`: cause, object and place. False: the batch has no room for it; take
  /// the rows to a batch of their own.
  bool set_aside(uint32_t rows, Problem reason, std::string_view text) {
    if (batch_ == nullptr || rows == 0 || rows > batch_->rows) return false;
    const uint32_t first = batch_->rows - rows;
    if (batch_->problem_count > 0) {
      tidemark_problem& last = batch_->problems[batch_->problem_count - 1];
      const std::string_view last_text(batch_->heap + last.text.offset, last.text.size);
      if (last.row + last.rows == first && last.reason == static_cast<uint32_t>(reason) && last_text == text) {
        last.rows += rows;
        return true;
      }
    }
    if (batch_->problem_count == batch_->problem_capacity) return false;
    const auto slice = put_bytes(text);
    if (!slice) return false;
    batch_->problems[batch_->problem_count++] = {first, rows, static_cast<uint32_t>(reason), 0, *slice};
    return true;
  }

  /// Copies bytes into the batch's heap, growing it; batch() must not be null. Empty: the batch cannot take them;
  /// submit() and go on with a new one.
  std::optional<tidemark_slice> put_bytes(std::string_view bytes) {
    if (bytes.empty()) return tidemark_slice{0, 0};
    if (!grow_heap(bytes.size())) return std::nullopt;
    std::memcpy(batch_->heap + batch_->heap_used, bytes.data(), bytes.size());
    const tidemark_slice slice{static_cast<uint32_t>(batch_->heap_used), static_cast<uint32_t>(bytes.size())};
    batch_->heap_used += bytes.size();
    return slice;
  }

  /// The sequence number of the next row: strictly increasing per split, stable across restarts. The easy layer
  /// keeps it; in the full layer set it after add_splits().
  uint64_t next_sequence() const noexcept { return *next_sequence_; }
  void set_next_sequence(uint64_t next) noexcept { *next_sequence_ = next; }

  /// The batch itself, for writers of whole columns; null without credit. They fill event_time_us, op, sequence
  /// and origin too, and count rows.
  tidemark_batch* batch() noexcept { return open() ? batch_ : nullptr; }
  /// Room for `bytes` more in the batch's heap, which may move; false: submit and go on with a new batch.
  bool grow_heap(uint64_t bytes) {
    return open() && (batch_->heap_used + bytes <= batch_->heap_capacity ||
                      output_->grow_heap(output_->self, batch_, bytes) == TIDEMARK_OK);
  }

  /// Hands the rows over now. A new batch is acquired when it is needed.
  void submit() noexcept {
    origin_ = kNoOrigin;
    if (batch_ != nullptr) output_->submit(output_->self, std::exchange(batch_, nullptr));
  }

  /// No row with an event time <= time_us is expected any more. Rows so far are submitted before it. Counts in jobs
  /// that set `strategy = "source"` in the source's watermark table; with other strategies it is passed over.
  void emit_watermark(int64_t time_us) {
    if (turn_is_over()) return;
    submit_rows();
    output_->watermark(output_->self, split_, time_us);
  }
  /// Known progress: nothing before time_us is still to come. Counts with every strategy.
  void progress(int64_t time_us) {
    if (turn_is_over()) return;
    submit_rows();
    output_->progress(output_->self, split_, time_us);
  }
  /// The source itself knows that the split is idle; it holds no watermark back until mark_active() or a row.
  void mark_idle() {
    if (turn_is_over()) return;
    submit_rows();
    output_->set_idle(output_->self, split_, 1);
  }
  void mark_active() {
    if (turn_is_over()) return;
    submit_rows();
    output_->set_idle(output_->self, split_, 0);
  }
  /// The source has lost the split and tries again by itself; why, in words. The split holds the watermark back
  /// until set_connected() or rows, progress or a watermark; no silence counts as idle before that.
  void set_disconnected(std::string_view reason) {
    if (turn_is_over()) return;
    submit_rows();
    detail::say_connection(*output_, split_, false, reason);
  }
  void set_connected() {
    if (turn_is_over()) return;
    submit_rows();
    detail::say_connection(*output_, split_, true, {});
  }
  /// The split has no more rows, ever.
  void finish() {
    if (turn_is_over()) return;
    submit();
    closed_ = true;
    if (!std::exchange(finished_, true)) output_->finished(output_->self, split_);
  }

 private:
  friend class Row;
  Row append_kind(uint8_t kind, int64_t event_time_us) {
    if (!open() || batch_->rows == batch_->row_capacity) {
      fail(SourceError("a row was appended without room", {}, "ask has_room() first").kind(ErrorKind::internal));
      return {nullptr, 0};
    }
    const uint32_t row = batch_->rows++;
    batch_->op[row] = kind;
    batch_->event_time_us[row] = event_time_us;
    batch_->sequence[row] = (*next_sequence_)++;
    batch_->origin[row] = origin_;
    ++rows_;
    return {this, row};
  }

  static constexpr uint64_t kHeapBytesWanted = 1 << 20;
  static constexpr uint32_t kRowsPromised = 2;  // an update's two rows; any empty batch takes them

  bool turn_is_over() const {
    if (truncated_) {
      fail(SourceError("something was said of the split after truncate()", {}, "say it in the next call")
               .kind(ErrorKind::internal));
    }
    return truncated_;
  }
  bool open() noexcept {
    may_promise_ = false;
    if (batch_ != nullptr || closed_) return batch_ != nullptr;
    batch_ = output_->acquire(output_->self, split_);
    lacks_credit_ = closed_ = batch_ == nullptr;  // no credit: ends this call's loop for good
    return batch_ != nullptr;
  }
  void submit_rows() noexcept {
    if (batch_ != nullptr && batch_->rows > 0) submit();
  }
  static void clear_bit(uint8_t* bits, uint32_t row) noexcept {
    bits[row >> 3] = static_cast<uint8_t>(bits[row >> 3] & ~(1u << (row & 7)));
  }
  /// Takes back the last row, and its update_before if it is an update_after.
  void drop_last_row() noexcept {
    uint32_t count = 1;
    if (batch_->op[batch_->rows - 1] == TIDEMARK_UPDATE_AFTER && batch_->rows > 1) count = 2;
    for (; count > 0; --count) {
      const uint32_t row = --batch_->rows;
      for (uint32_t i = 0; i < batch_->column_count; ++i) {
        clear_bit(batch_->columns[i].validity, row);
        if (batch_->absent != nullptr) clear_bit(batch_->absent[i], row);
      }
      --*next_sequence_;
      --rows_;
    }
    while (batch_->problem_count > 0) {
      tidemark_problem& last = batch_->problems[batch_->problem_count - 1];
      if (last.row < batch_->rows) {
        last.rows = std::min(last.rows, batch_->rows - last.row);
        break;
      }
      --batch_->problem_count;
    }
  }

  const tidemark_output* output_;
  const Layout* layout_;
  uint64_t* next_sequence_;
  tidemark_batch* batch_ = nullptr;
  uint32_t split_;
  uint32_t origin_ = kNoOrigin;
  uint64_t rows_ = 0;
  bool closed_ = false;
  bool finished_ = false;
  bool truncated_ = false;
  bool lacks_credit_ = false;
  bool may_promise_;  // with_first_row, and nothing was acquired yet
};

inline const Layout::Slot* Row::slot_of(uint32_t column) {
  if (output_ == nullptr) return nullptr;
  const Layout& layout = output_->layout();
  if (column >= layout.schema_column_count()) {
    output_->drop_last_row();
    output_ = nullptr;
    fail(SourceError("the schema has no such column", std::to_string(column)).kind(ErrorKind::internal));
    return nullptr;
  }
  const Layout::Slot& slot = layout.slot(column);
  return slot.batch_column == Layout::kAbsent ? nullptr : &slot;
}

inline void Row::refuse(uint32_t column, std::string_view cause, std::string_view value) {
  const std::string name = output_->layout().name(column);
  output_->drop_last_row();
  output_ = nullptr;
  fail(SourceError("column '" + name + "' " + std::string(cause), value).kind(ErrorKind::data));
}

template <typename T>
void Row::store(const Layout::Slot& slot, T value) noexcept {
  tidemark_column& column = output_->batch_->columns[slot.batch_column];
  std::memcpy(static_cast<char*>(column.values) + size_t{row_} * sizeof(T), &value, sizeof(T));
  uint8_t& bits = column.validity[row_ >> 3];
  bits = static_cast<uint8_t>(bits | (1u << (row_ & 7)));
}

template <typename T, typename V>
void Row::store_in_range(uint32_t column, const Layout::Slot& slot, V value) {
  if (std::in_range<T>(value)) return store(slot, static_cast<T>(value));
  refuse(column, "cannot hold the number", std::to_string(value));
}

template <typename V>
void Row::store_number(uint32_t column, const Layout::Slot& slot, V value) {
  switch (slot.type) {
    case Type::boolean:
      if (value != 0 && value != 1) return refuse(column, "holds only 0 and 1, not", std::to_string(value));
      return store(slot, static_cast<uint8_t>(value));
    case Type::int8:
      return store_in_range<int8_t>(column, slot, value);
    case Type::int16:
      return store_in_range<int16_t>(column, slot, value);
    case Type::int32:
    case Type::date:
      return store_in_range<int32_t>(column, slot, value);
    case Type::int64:
    case Type::time:
    case Type::timestamp:
    case Type::datetime:
      return store_in_range<int64_t>(column, slot, value);
    case Type::uint8:
      return store_in_range<uint8_t>(column, slot, value);
    case Type::uint16:
      return store_in_range<uint16_t>(column, slot, value);
    case Type::uint32:
      return store_in_range<uint32_t>(column, slot, value);
    case Type::uint64:
      return store_in_range<uint64_t>(column, slot, value);
    case Type::float32:
      return store(slot, static_cast<float>(value));
    case Type::float64:
      return store(slot, static_cast<double>(value));
    case Type::decimal64:
    case Type::decimal128:
    case Type::decimal256: {
      const auto parsed = detail::parse_decimal(std::to_string(value), slot.scale);
      if (parsed.digits > slot.precision) return refuse(column, "cannot hold the number", std::to_string(value));
      return store_wide(slot, parsed.negative, parsed.magnitude);
    }
    case Type::text:
    case Type::bytes:
    case Type::json:
      return refuse(column, "holds no numbers, such as", std::to_string(value));
  }
}

template <std::integral T>
Row& Row::set(uint32_t column, T value) {
  if (const Layout::Slot* slot = slot_of(column)) {
    if constexpr (std::is_signed_v<T>) {
      store_number(column, *slot, static_cast<int64_t>(value));
    } else {
      store_number(column, *slot, static_cast<uint64_t>(value));
    }
  }
  return *this;
}

inline Row& Row::set(uint32_t column, double value) {
  const Layout::Slot* slot = slot_of(column);
  if (slot == nullptr) return *this;
  if (slot->type == Type::float64) {
    store(*slot, value);
  } else if (slot->type == Type::float32) {
    if (std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
      refuse(column, "cannot hold the number", std::to_string(value));
    } else {
      store(*slot, static_cast<float>(value));
    }
  } else {
    refuse(column, "holds no floating-point numbers, such as", std::to_string(value));
  }
  return *this;
}

inline Row& Row::set(uint32_t column, std::string_view value) {
  const Layout::Slot* slot = slot_of(column);
  if (slot == nullptr) return *this;
  if (is_variable_width(slot->type)) {
    const auto slice = output_->put_bytes(value);
    if (slice) {
      store(*slot, *slice);
    } else {
      refuse(column, "is too long for a batch", value.substr(0, 40));
    }
  } else if (is_decimal(slot->type)) {
    const auto parsed = detail::parse_decimal(value, slot->scale);
    if (!parsed.ok || parsed.digits > slot->precision) {
      refuse(column, "cannot hold the number", value);
    } else {
      store_wide(*slot, parsed.negative, parsed.magnitude);
    }
  } else {
    refuse(column, "holds no text, such as", value);
  }
  return *this;
}

inline Row& Row::set(uint32_t column, Unscaled value) {
  const Layout::Slot* slot = slot_of(column);
  if (slot == nullptr) return *this;
  if (!is_decimal(slot->type)) {
    refuse(column, "is not a decimal");
    return *this;
  }
  const bool negative = value.value < 0;
  store_decimal(column, *slot, negative,
                negative ? uint128{0} - static_cast<uint128>(value.value) : static_cast<uint128>(value.value));
  return *this;
}

inline Row& Row::set(uint32_t column, std::chrono::sys_days value) {
  const Layout::Slot* slot = slot_of(column);
  if (slot == nullptr) return *this;
  if (slot->type != Type::date) return set(column, std::chrono::sys_time<std::chrono::microseconds>(value));
  store_in_range<int32_t>(column, *slot, int64_t{value.time_since_epoch().count()});
  return *this;
}

inline Row& Row::set(uint32_t column, std::chrono::sys_time<std::chrono::microseconds> value) {
  const Layout::Slot* slot = slot_of(column);
  if (slot == nullptr) return *this;
  if (slot->type == Type::timestamp || slot->type == Type::datetime) {
    store(*slot, int64_t{value.time_since_epoch().count()});
  } else {
    refuse(column, "holds no points in time");
  }
  return *this;
}

inline Row& Row::set(uint32_t column, std::chrono::microseconds value) {
  const Layout::Slot* slot = slot_of(column);
  if (slot == nullptr) return *this;
  if (slot->type == Type::time) {
    store(*slot, int64_t{value.count()});
  } else {
    refuse(column, "holds no lengths of time");
  }
  return *this;
}

inline Row& Row::set(uint32_t column, std::nullopt_t) {
  const Layout::Slot* slot = slot_of(column);
  if (slot == nullptr) return *this;
  if (!slot->nullable) {
    refuse(column, "is declared without NULL");
    return *this;
  }
  uint8_t& bits = output_->batch_->columns[slot->batch_column].validity[row_ >> 3];
  bits = static_cast<uint8_t>(bits & ~(1u << (row_ & 7)));
  return *this;
}

inline Row& Row::set_decimal_bytes(uint32_t column, std::span<const std::byte> value) {
  const Layout::Slot* slot = slot_of(column);
  if (slot == nullptr) return *this;
  const size_t width = slot->type == Type::decimal64 ? 8 : slot->type == Type::decimal128 ? 16 : 32;
  if (!is_decimal(slot->type) || value.size() != width) {
    refuse(column, "is not a decimal of that width");
    return *this;
  }
  detail::Wide bits;
  std::memcpy(bits.limbs.data(), value.data(), width);
  store_wide(*slot, false, bits);
  return *this;
}

inline void Row::store_decimal(uint32_t column, const Layout::Slot& slot, bool negative, uint128 magnitude) {
  if (slot.precision < detail::kPowersOfTen.size() && magnitude >= detail::kPowersOfTen[slot.precision]) {
    return refuse(column, "cannot hold so many digits");
  }
  if (slot.type == Type::decimal64) {
    const auto value = static_cast<int64_t>(magnitude);
    return store(slot, negative ? -value : value);
  }
  store_wide(slot, negative, detail::Wide::of(magnitude));
}

inline void Row::store_wide(const Layout::Slot& slot, bool negative, detail::Wide magnitude) noexcept {
  if (negative) magnitude.negate();
  if (slot.type == Type::decimal64) {
    store(slot, magnitude.limbs[0]);
  } else if (slot.type == Type::decimal128) {
    store(slot, std::array<uint64_t, 2>{magnitude.limbs[0], magnitude.limbs[1]});
  } else {
    store(slot, magnitude.limbs);
  }
}

}  // namespace v1
}  // namespace tidemark
