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

struct ResultMerger::Cursor {
  const FiredRows* fired;
  uint32_t at;
  uint32_t end;
  size_t order;  // of arrival, breaks ties

  auto place() const { return std::tuple(fired->key_at(at), fired->start_at(at), order); }
};

Status ResultMerger::merge_window(const std::vector<Part>& parts, const Write& write) {
  const auto later = [](const Cursor& a, const Cursor& b) { return a.place() > b.place(); };
  std::priority_queue<Cursor, std::vector<Cursor>, decltype(later)> heads(later);
  for (size_t i = 0; i < parts.size(); ++i) heads.push({parts[i].fired.get(), parts[i].begin, parts[i].end, i});
  while (!heads.empty()) {
    Cursor head = heads.top();
    heads.pop();
    if (Status written = write(*head.fired->rows, head.at); !written) return written;
    if (++head.at < head.end) heads.push(head);
  }
  return {};
}

void ResultMerger::add(FiredRows rows) {
  auto fired = std::make_shared<const FiredRows>(std::move(rows));
  if (fired->immediate) {
    immediate_.push_back(std::move(fired));
  } else {
    add_from(std::move(fired), 0);
  }
}

void ResultMerger::add_from(std::shared_ptr<const FiredRows> fired, uint32_t first_row) {
  for (uint32_t begin = first_row; begin < fired->rows->rows;) {
    uint32_t end = begin + 1;
    while (end < fired->rows->rows && fired->end_at(end) == fired->end_at(begin)) ++end;
    waiting_[fired->end_at(begin)].push_back({fired, begin, end});
    begin = end;
  }
}

void ResultMerger::pass(uint32_t worker, Micros watermark) {
  passed_[worker] = std::max(passed_[worker], watermark);
}

Status ResultMerger::drain(const std::function<Status(const Batch& rows, uint32_t row)>& write) {
  for (; !immediate_.empty(); immediate_.pop_front()) {
    const Batch& rows = *immediate_.front()->rows;
    for (uint32_t row = 0; row < rows.rows; ++row) {
      if (Status written = write(rows, row); !written) return written;
    }
  }
  while (!waiting_.empty() && saturating_sub(waiting_.begin()->first, 1) <= complete()) {
    if (Status merged = merge_window(waiting_.begin()->second, write); !merged) return merged;
    waiting_.erase(waiting_.begin());
  }
  return {};
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
    if (part.immediate) {
      add(std::move(part));
    } else {
      add_from(std::make_shared<const FiredRows>(std::move(part)), first_row);
    }
  }
  if (!reader.ok() || !reader.at_end()) return {Code::state, "stored results are damaged"};
  return {};
}

}  // namespace tidemark::core
