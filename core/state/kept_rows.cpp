// SPDX-License-Identifier: Apache-2.0
//
// A row is a key of Family::rows and all its delivered columns, both in the encoding of group keys, its event time
// behind them where it is kept. Changes that no durable epoch holds yet are in changes_; among them a removal hides
// what the store has.
#include "core/state/kept_rows.hpp"

#include <cstring>
#include <numeric>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/state/keys.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kChangeBytes = 160;                // of an entry, beside its texts
constexpr size_t kTimeBytes = sizeof(Micros);       // behind a row
constexpr size_t kTakeOutBytes = size_t{1} << 20U;  // of rows in one batch of deletes
constexpr const char* kRemedy = "set binlog_row_image=FULL on the source (sessions can override it)";

std::vector<uint32_t> first_columns(uint32_t count) {
  std::vector<uint32_t> out(count);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

const char* kind_name(Op op) {
  return op == Op::insert          ? "the row image of an INSERT"
         : op == Op::remove        ? "the row image of a DELETE"
         : op == Op::update_before ? "the before image of an UPDATE"
                                   : "the after image of an UPDATE";
}

// Within one batch a text needs no second copy in the heap.
void repeat_cell(Batch& batch, size_t column, uint32_t from, uint32_t to) {
  Column& cells = batch.mutable_columns()[column];
  if (!cells.is_valid(from)) return;
  const uint32_t width = value_width(batch.layout().columns[column].type);
  auto* const values = static_cast<char*>(cells.values);
  std::memcpy(values + size_t{to} * width, values + size_t{from} * width, width);
  cells.set_valid(to);
}

}  // namespace

KeptRows::KeptRows(EpochStore& store, Place place, std::shared_ptr<const BatchLayout> layout,
                   const std::vector<uint32_t>& key)
    : store_(store),
      place_(std::move(place)),
      layout_(std::move(layout)),
      key_columns_(key),
      key_codec_(key, *layout_),
      row_codec_(first_columns(layout_->delivered()), *layout_),
      scratch_(layout_, 1, 0) {}

Status KeptRows::take(Batch& batch) {
  prefixes_.assign(batch.origin_count, {});
  no_origin_prefix_.clear();
  problems_.clear();
  last_text_.clear();
  added_problems_ = false;
  const std::span<const RowProblem> known = batch.row_problems();
  size_t next_known = 0;
  for (uint32_t row = 0; row < batch.rows;) {
    if (next_known < known.size() && known[next_known].row == row) {
      problems_.push_back(known[next_known++]);
      last_text_.clear();
      row += problems_.back().rows;
      continue;
    }
    const bool pair = batch.op_at(row) == Op::update_before;
    if (Status taken = pair ? take_update(batch, row) : take_row(batch, row); !taken) return taken;
    row += pair ? 2 : 1;
  }
  if (added_problems_) batch.set_problems(problems_);
  return {};
}

Status KeptRows::take_row(Batch& batch, uint32_t row) {
  const Op op = batch.op_at(row);
  if (op != Op::insert && op != Op::remove) return {};
  if (op == Op::insert && has_absent(batch, row)) {
    add_problem(batch, row, 1, ProblemReason::missing_column,
                absent_names(batch, row, false) + kind_name(op) + "; the default that it has there is not in the log");
    return {};
  }
  auto complete_now = complete(batch, row, row, 1);
  if (!complete_now) return complete_now.status();
  if (!*complete_now || !find_key(batch, row, row, 1)) return {};
  auto kept = get(key_);
  if (!kept) return kept.status();
  if (op == Op::insert && *kept) {
    add_problem(batch, row, 1, ProblemReason::undecodable,
                "a row is inserted whose key another row has, which was not deleted: its table was replaced by another "
                "(RENAME, or a restored copy); read the files from behind that with a new state path");
  } else if (op == Op::insert) {
    put(batch, row, row, 1);
  } else if (*kept) {
    if (auto shown = show_as_counted(batch, row, **kept, row, 1); !shown || !*shown) return shown.status();
    change(key_, std::nullopt);
  } else if (place_.takes_unknown) {
    change(key_, std::nullopt);
  } else {
    add_unknown(batch, row, 1);
  }
  return {};
}

Status KeptRows::take_update(Batch& batch, uint32_t row) {
  auto complete_now = complete(batch, row, row, 2);
  if (!complete_now) return complete_now.status();
  if (!*complete_now) return {};
  for (size_t column = 0; column < batch.absent().size(); ++column) {
    if (batch.is_absent(column, row + 1)) repeat_cell(batch, column, row, row + 1);
  }
  if (!find_key(batch, row, row, 2)) return {};
  const std::string before = key_;
  auto kept = get(key_);
  if (!kept) return kept.status();
  if (*kept) {
    if (auto shown = show_as_counted(batch, row, **kept, row, 2); !shown || !*shown) return shown.status();
  } else if (!place_.takes_unknown) {
    add_unknown(batch, row, 2);
    return {};
  }
  if (!find_key(batch, row + 1, row, 2)) return {};
  if (put(batch, row + 1, row, 2) && key_ != before) change(before, std::nullopt);
  return {};
}

Result<bool> KeptRows::complete(Batch& batch, uint32_t row, uint32_t first, uint32_t rows) {
  if (!has_absent(batch, row)) return true;
  if (const std::string names = absent_names(batch, row, true); !names.empty()) {
    add_problem(batch, first, rows, ProblemReason::missing_column,
                names + kind_name(batch.op_at(row)) + ", though the row's key is of it");
    return false;
  }
  if (!find_key(batch, row, first, rows)) return false;
  auto kept = get(key_);
  if (!kept) return kept.status();
  if (!*kept) {
    add_problem(batch, first, rows, ProblemReason::missing_column,
                absent_names(batch, row, false) + kind_name(batch.op_at(row)) +
                    ", and no row is kept for its key: the job began after it was written, or it was set aside");
    return false;
  }
  if (Status decoded = decode_kept(**kept); !decoded) return decoded;
  for (size_t column = 0; column < batch.absent().size(); ++column) {
    if (batch.is_absent(column, row) &&
        !copy_cell(scratch_, static_cast<uint32_t>(column), 0, batch, static_cast<uint32_t>(column), row)) {
      add_problem(batch, first, rows, ProblemReason::undecodable, "the texts of a batch take more than 4 GiB");
      return false;
    }
  }
  return true;
}

Status KeptRows::decode_kept(std::string_view kept) {
  scratch_.clear();
  const bool is_whole = !place_.keeps_times || kept.size() >= kTimeBytes;
  return is_whole && row_codec_.decode(row_in(kept), scratch_, 0, 0) ? Status() : damaged_row();
}

Status KeptRows::damaged_row() const {
  return Status(Code::damage, "a kept row of split " + place_.split +
                                  " is damaged; restore the state path from a copy, or start over with an empty one")
      .with_context("source " + place_.source);
}

std::string_view KeptRows::row_in(std::string_view kept) const {
  return place_.keeps_times && kept.size() >= kTimeBytes ? kept.substr(0, kept.size() - kTimeBytes) : kept;
}

Micros KeptRows::time_in(std::string_view kept) {
  return kept.size() < kTimeBytes ? kNoTime : read_ordered_i64(kept.substr(kept.size() - kTimeBytes));
}

// The image differs where a change in between was set aside: taking it back would take away what was never added.
Result<bool> KeptRows::show_as_counted(Batch& batch, uint32_t row, std::string_view kept, uint32_t first,
                                       uint32_t rows) {
  if (place_.keeps_times) batch.event_time_us[row] = time_in(kept);
  if (row_codec_.encode(batch, {&row, 1}, encoded_) && encoded_.at(0) == row_in(kept)) return true;
  if (Status decoded = decode_kept(kept); !decoded) return decoded;
  for (uint32_t column = 0; column < layout_->delivered(); ++column) {
    if (!scratch_.column(column).is_valid(0)) {
      clear_value(batch, column, row);
    } else if (!copy_cell(scratch_, column, 0, batch, column, row)) {
      add_problem(batch, first, rows, ProblemReason::undecodable, "the texts of a batch take more than 4 GiB");
      return false;
    }
  }
  return true;
}

// Taking it back would take from others what was never added, and adding its new half would count a part of its life.
void KeptRows::add_unknown(Batch& batch, uint32_t first, uint32_t rows) {
  add_problem(batch, first, rows, ProblemReason::no_base,
              "a row is changed that was never counted: the job began after it was written, or it was set aside");
}

bool KeptRows::has_absent(const Batch& batch, uint32_t row) const {
  unsigned any = 0;
  for (const uint8_t* bits : batch.absent()) any |= static_cast<unsigned>(bits[row >> 3]) >> (row & 7) & 1U;
  return any != 0;
}

// "column a of shop.orders is needed but absent from "; empty when there is none.
std::string KeptRows::absent_names(const Batch& batch, uint32_t row, bool of_key) const {
  std::string names;
  size_t count = 0;
  const auto add = [&](uint32_t column) {
    if (!batch.is_absent(column, row)) return;
    names += (count++ == 0 ? "" : ", ") + layout_->columns[column].name;
  };
  if (of_key) {
    for (const uint32_t column : key_columns_) add(column);
  } else {
    for (uint32_t column = 0; column < batch.absent().size(); ++column) add(column);
  }
  if (count == 0) return {};
  const Origin* origin = batch.origin_of(row);
  std::string out = (count == 1 ? "column " : "columns ") + names;
  if (origin != nullptr) {
    out += " of " + std::string(batch.bytes_of(origin->database)) + "." + std::string(batch.bytes_of(origin->table));
  }
  return out + (count == 1 ? " is" : " are") + " needed but absent from ";
}

bool KeptRows::find_key(Batch& batch, uint32_t row, uint32_t first, uint32_t rows) {
  for (const uint32_t column : key_columns_) {
    if (batch.column(column).is_valid(row)) continue;
    add_problem(
        batch, first, rows, ProblemReason::undecodable,
        "column " + layout_->columns[column].name +
            " of the row's key has no value here (a date that no calendar has?), so that the row cannot be told "
            "from others");
    return false;
  }
  if (!key_codec_.encode(batch, {&row, 1}, encoded_)) {
    add_problem(batch, first, rows, ProblemReason::undecodable, "the row's key is longer than 256 MiB");
    return false;
  }
  key_.assign(prefix_of(batch, row));
  key_ += encoded_.at(0);
  return true;
}

Result<std::optional<std::string>> KeptRows::get(const std::string& key) const {
  if (const auto found = changes_.find(key); found != changes_.end()) return found->second.value;
  return store_.get(Family::rows, key);
}

bool KeptRows::put(Batch& batch, uint32_t row, uint32_t first, uint32_t rows) {
  if (!row_codec_.encode(batch, {&row, 1}, encoded_)) {
    add_problem(batch, first, rows, ProblemReason::undecodable, "the row has a text of more than 256 MiB");
    return false;
  }
  std::string kept(encoded_.at(0));
  if (place_.keeps_times) append_ordered_i64(kept, batch.event_time_us[row]);
  change(key_, std::move(kept));
  return true;
}

void KeptRows::change(const std::string& key, std::optional<std::string> value) {
  const auto [at, fresh] = changes_.try_emplace(key);
  if (fresh) bytes_ += kChangeBytes + key.size();
  if (at->second.value) bytes_ -= at->second.value->size();
  if (value) bytes_ += value->size();
  at->second = {std::move(value), 0};
}

const std::string& KeptRows::prefix_of(const Batch& batch, uint32_t row) {
  const Origin* origin = batch.origin_of(row);
  std::string& prefix = origin == nullptr ? no_origin_prefix_ : prefixes_[batch.origin[row]];
  if (!prefix.empty()) return prefix;
  const std::string_view database = origin == nullptr ? std::string_view() : batch.bytes_of(origin->database);
  const std::string_view table = origin == nullptr ? std::string_view() : batch.bytes_of(origin->table);
  return prefix = rows_prefix(place_.source, place_.split, database, table);
}

void KeptRows::add_problem(Batch& batch, uint32_t first, uint32_t rows, ProblemReason reason, const std::string& what) {
  std::string text;
  if (const Origin* origin = batch.origin_of(first); origin != nullptr && origin->file.size > 0) {
    text = std::string(batch.bytes_of(origin->file)) + ":" + std::to_string(origin->position) + ": ";
  }
  text += what;
  if (reason == ProblemReason::missing_column) text += std::string("; ") + kRemedy;
  added_problems_ = true;
  if (!problems_.empty()) {
    RowProblem& last = problems_.back();
    if (last.row + last.rows == first && last.reason == reason && last_text_ == text) {
      last.rows += rows;
      return;
    }
  }
  problems_.push_back({first, rows, reason, 0, batch.put_on_heap(text).value_or(Slice{})});
  last_text_ = std::move(text);
}

std::string KeptRows::prefix_of(const Truncation& truncation) const {
  if (!truncation.table.empty()) {
    return rows_prefix(place_.source, place_.split, truncation.database, truncation.table);
  }
  return truncation.database.empty() ? rows_prefix(place_.source, place_.split)
                                     : rows_prefix(place_.source, place_.split, truncation.database);
}

Result<bool> KeptRows::take_out(const Truncation& truncation, Batch& out) {
  const std::string prefix = prefix_of(truncation);
  if (!cursor_.starts_with(prefix)) cursor_ = prefix;
  std::vector<LiveRow> rows;
  auto more = collect(prefix, out.row_capacity(), rows);
  if (!more) return more.status();
  if (Status filled = fill(truncation, rows, out); !filled) return filled;
  for (const LiveRow& row : rows) change(row.key, std::nullopt);
  cursor_ = *more ? rows.back().key + '\0' : std::string();
  return *more;
}

// The rows with the prefix from cursor_ on, in the order of their keys, of store and changes together.
Result<bool> KeptRows::collect(const std::string& prefix, uint32_t rows_max, std::vector<LiveRow>& out) {
  auto mine = changes_.lower_bound(cursor_);
  size_t bytes = 0;
  const auto is_full = [&] { return out.size() == rows_max || bytes >= kTakeOutBytes; };
  const auto add = [&](std::string_view key, std::string_view value) {
    out.push_back({std::string(key), std::string(value)});
    bytes += value.size();
  };
  // Changes before `end`, an empty one being behind all keys; false: out is full.
  const auto add_changes = [&](std::string_view end) {
    for (; mine != changes_.end() && mine->first.starts_with(prefix) && (end.empty() || mine->first < end); ++mine) {
      if (!mine->second.value) continue;
      if (is_full()) return false;
      add(mine->first, *mine->second.value);
    }
    return true;
  };
  bool more = false;
  Status scanned = store_.scan_from(Family::rows, prefix, cursor_, [&](std::string_view key, std::string_view value) {
    more = !add_changes(key);
    if (more) return false;
    if (mine != changes_.end() && mine->first == key) return true;  // it is among the changes
    more = is_full();
    if (!more) add(key, value);
    return !more;
  });
  if (!scanned) return scanned;
  return more || !add_changes({});
}

Status KeptRows::fill(const Truncation& truncation, const std::vector<LiveRow>& rows, Batch& out) {
  const size_t names_at = rows_prefix(place_.source, place_.split).size();
  std::string_view names;  // database and table of the last row, with their lengths
  const auto gtid = out.put_on_heap(truncation.gtid), file = out.put_on_heap(truncation.file);
  for (const LiveRow& row : rows) {
    const auto take_name = [&row](size_t& at) {
      const size_t size = read_ordered_u64(std::string_view(row.key).substr(at, 4));
      const std::string_view name = std::string_view(row.key).substr(at + 4, size);
      at += 4 + name.size();
      return name;
    };
    const uint32_t at = out.rows;
    if (!row_codec_.decode(row_in(row.value), out, 0, at)) return damaged_row();
    if (names.empty() || !std::string_view(row.key).substr(names_at).starts_with(names)) {
      size_t end = names_at;
      const auto database = out.put_on_heap(take_name(end)), table = out.put_on_heap(take_name(end));
      names = std::string_view(row.key).substr(names_at, end - names_at);
      out.origins[out.origin_count++] = {gtid.value_or(Slice{}),   file.value_or(Slice{}), database.value_or(Slice{}),
                                         table.value_or(Slice{}),  truncation.position,    truncation.schema_version,
                                         truncation.commit_time_us};
    }
    out.origin[at] = out.origin_count - 1;
    out.op[at] = static_cast<uint8_t>(Op::remove);
    out.sequence[at] = truncation.sequence;
    out.event_time_us[at] = place_.keeps_times ? time_in(row.value) : truncation.event_time_us;
    ++out.rows;
  }
  return {};
}

void KeptRows::seal(uint64_t epoch, EpochWrites& writes) {
  for (auto& [key, change] : changes_) {
    if (change.epoch != 0) continue;
    change.epoch = epoch;
    if (change.value) {
      writes.put(Family::rows, key, *change.value);
    } else {
      writes.remove(Family::rows, key);
    }
  }
}

void KeptRows::committed(uint64_t epoch) {
  for (auto at = changes_.begin(); at != changes_.end();) {
    const Change& change = at->second;
    if (change.epoch == 0 || change.epoch > epoch) {
      ++at;
      continue;
    }
    bytes_ -= kChangeBytes + at->first.size() + (change.value ? change.value->size() : 0);
    at = changes_.erase(at);
  }
}

}  // namespace tidemark::core
