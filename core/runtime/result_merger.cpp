// SPDX-License-Identifier: Apache-2.0
//
// K-way merge of sorted results by key bytes, window end by window end. Workers own disjoint keys, so no two rows of
// one firing tie; rows of one worker that re-fire a window keep their order.
#include "core/runtime/result_merger.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>

#include "core/base/bytes.hpp"
#include "core/batch/batch_codec.hpp"

namespace tidemark::core {

void ResultMerger::add(uint32_t worker, FiredRows rows) {
  auto fired = std::make_shared<const FiredRows>(std::move(rows));
  if (fired->immediate) {
    immediate_.push_back(std::move(fired));
  } else {
    waiting_rows_[worker] += fired->rows->rows;
    add_from(worker, fired, 0);
  }
}

void ResultMerger::add_from(uint32_t worker, const std::shared_ptr<const FiredRows>& fired, uint32_t first_row) {
  for (uint32_t begin = first_row; begin < fired->rows->rows;) {
    uint32_t end = begin + 1;
    while (end < fired->rows->rows && fired->end_at(end) == fired->end_at(begin)) ++end;
    const Micros window_end = fired->end_at(begin);
    const bool again = worker != kRestored && has_passed(worker, window_end);
    const Micros place = again ? saturating_add(passed_[worker], 1) : window_end;
    waiting_[place].push_back({fired, begin, end, worker, arrived_++, again});
    begin = end;
  }
}

void ResultMerger::pass(uint32_t worker, Micros watermark) {
  passed_[worker] = std::max(passed_[worker], watermark);
}

bool ResultMerger::is_silent(uint32_t worker, Micros window_end, const Window& window) const {
  return !has_passed(worker, window_end) &&
         std::none_of(window.begin(), window.end(), [worker](const Part& part) { return part.worker == worker; });
}

bool ResultMerger::is_awaited(uint32_t worker) const {
  return !waiting_.empty() && is_silent(worker, waiting_.begin()->first, waiting_.begin()->second);
}

Status ResultMerger::drain(const Write& write) {
  for (; !immediate_.empty(); immediate_.pop_front()) {
    const Batch& rows = *immediate_.front()->rows;
    for (uint32_t row = 0; row < rows.rows; ++row) {
      if (Status written = write(rows, row); !written) return written;
    }
  }
  while (!waiting_.empty()) {
    auto& [end, window] = *waiting_.begin();
    if (Status merged = merge(end, window, write); !merged) return merged;
    if (!window.empty()) break;
    waiting_.erase(waiting_.begin());
  }
  return {};
}

// Stops before a row where a worker could still say something that stands before it.
Status ResultMerger::merge(Micros window_end, Window& window, const Write& write) {
  std::vector<uint32_t> parts_of(passed_.size(), 0);  // that wait, by worker
  for (const Part& part : window) {
    if (part.worker != kRestored) ++parts_of[part.worker];
  }
  const auto is_blocked = [&] {
    for (uint32_t worker = 0; worker < parts_of.size(); ++worker) {
      if (parts_of[worker] == 0 && !has_passed(worker, window_end)) return true;
    }
    return false;
  };
  bool blocked = is_blocked();
  if (blocked) return {};
  const auto later = [&window](size_t a, size_t b) { return window[a].place() > window[b].place(); };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> heads(later);
  for (size_t i = 0; i < window.size(); ++i) heads.push(i);
  Status status;
  while (!heads.empty() && !blocked && status) {
    const size_t at = heads.top();
    heads.pop();
    Part& part = window[at];
    status = write(*part.fired->rows, part.begin);
    if (part.worker != kRestored) --waiting_rows_[part.worker];
    if (++part.begin < part.end) {
      heads.push(at);
    } else if (part.worker != kRestored && --parts_of[part.worker] == 0) {
      blocked = is_blocked();
    }
  }
  std::erase_if(window, [](const Part& part) { return part.begin == part.end; });
  return status;
}

std::vector<std::pair<std::shared_ptr<const FiredRows>, uint32_t>> ResultMerger::what_waits() const {
  std::vector<std::pair<std::shared_ptr<const FiredRows>, uint32_t>> out;
  std::set<const FiredRows*> seen;
  for (const auto& fired : immediate_) out.emplace_back(fired, 0);
  for (const auto& [end, parts] : waiting_) {
    for (const Part& part : parts) {
      if (seen.insert(part.fired.get()).second) out.emplace_back(part.fired, part.begin);
    }
  }
  return out;
}

size_t ResultMerger::waiting_batches() const {
  return what_waits().size();
}

std::string ResultMerger::encode() const {
  const auto parts = what_waits();
  std::string out;
  ByteWriter writer(out);
  writer.varint(parts.size());
  for (const auto& [fired, first_row] : parts) {
    writer.fixed(fired->window_start);
    writer.fixed(fired->window_end);
    writer.fixed(static_cast<uint8_t>((fired->immediate ? 1 : 0) | (fired->window_ends.empty() ? 0 : 2)));
    writer.fixed(first_row);
    writer.text(fired->keys);
    writer.varint(fired->key_ends.size());
    for (const uint32_t key_end : fired->key_ends) writer.fixed(key_end);
    for (size_t row = 0; row < fired->window_ends.size(); ++row) {
      writer.fixed(fired->window_starts[row]);
      writer.fixed(fired->window_ends[row]);
    }
    std::string rows;
    encode_batch(*fired->rows, rows);
    writer.text(rows);
  }
  return out;
}

Status ResultMerger::restore(std::string_view bytes, const std::shared_ptr<const BatchLayout>& layout) {
  ByteReader reader(bytes);
  const uint64_t parts = reader.varint();
  for (uint64_t i = 0; i < parts && reader.ok(); ++i) {
    FiredRows part;
    part.operator_id = operator_id_;
    part.window_start = reader.fixed<Micros>();
    part.window_end = reader.fixed<Micros>();
    const auto flags = reader.fixed<uint8_t>();
    part.immediate = (flags & 1) != 0;
    const auto first_row = reader.fixed<uint32_t>();
    part.keys = std::string(reader.text());
    const uint64_t rows = reader.varint();
    for (uint64_t row = 0; row < rows && reader.ok(); ++row) part.key_ends.push_back(reader.fixed<uint32_t>());
    for (uint64_t row = 0; (flags & 2) != 0 && row < rows && reader.ok(); ++row) {
      part.window_starts.push_back(reader.fixed<Micros>());
      part.window_ends.push_back(reader.fixed<Micros>());
    }
    auto batch = decode_batch(reader.text(), layout);
    if (!batch) return batch.status();
    part.rows = std::move(*batch);
    if (part.rows->rows != rows) break;
    auto fired = std::make_shared<const FiredRows>(std::move(part));
    if (fired->immediate) {
      immediate_.push_back(std::move(fired));
    } else {
      add_from(kRestored, fired, first_row);
    }
  }
  if (!reader.ok() || !reader.at_end()) return {Code::damage, "stored results are damaged"};
  return {};
}

}  // namespace tidemark::core
