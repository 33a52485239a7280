// SPDX-License-Identifier: Apache-2.0
//
// K-way merge of sorted results by key bytes, window by window. Workers own disjoint keys, so no two rows of one
// firing tie; rows of one worker that re-fire a window keep their order.
#include "core/runtime/result_merger.hpp"

#include <algorithm>
#include <queue>

#include "core/base/bytes.hpp"
#include "core/batch/batch_codec.hpp"

namespace tidemark::core {
namespace {

struct Cursor {
  const FiredRows* rows;
  uint32_t at;
  size_t order;  // of arrival, breaks ties

  std::string_view key() const { return rows->key_at(at); }
};

struct Later {
  bool operator()(const Cursor& a, const Cursor& b) const {
    const int order = a.key().compare(b.key());
    return order != 0 ? order > 0 : a.order > b.order;
  }
};

Status merge_window(const std::vector<FiredRows>& parts,
                    const std::function<Status(const Batch& rows, uint32_t row)>& write) {
  std::priority_queue<Cursor, std::vector<Cursor>, Later> heads;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].rows->rows > 0) heads.push({&parts[i], 0, i});
  }
  while (!heads.empty()) {
    Cursor head = heads.top();
    heads.pop();
    if (Status written = write(*head.rows->rows, head.at); !written) return written;
    if (++head.at < head.rows->rows->rows) heads.push(head);
  }
  return {};
}

}  // namespace

void ResultMerger::add(FiredRows rows) {
  waiting_[rows.window_end].push_back(std::move(rows));
}

void ResultMerger::pass(uint32_t worker, Micros watermark) {
  passed_[worker] = std::max(passed_[worker], watermark);
}

Status ResultMerger::drain(const std::function<Status(const Batch& rows, uint32_t row)>& write) {
  while (!waiting_.empty() && saturating_sub(waiting_.begin()->first, 1) <= complete()) {
    if (Status merged = merge_window(waiting_.begin()->second, write); !merged) return merged;
    waiting_.erase(waiting_.begin());
  }
  return {};
}

size_t ResultMerger::waiting_batches() const {
  size_t count = 0;
  for (const auto& [end, parts] : waiting_) count += parts.size();
  return count;
}

std::string ResultMerger::encode() const {
  std::string out;
  ByteWriter writer(out);
  writer.varint(waiting_batches());
  for (const auto& [end, parts] : waiting_) {
    for (const FiredRows& part : parts) {
      writer.fixed(part.window_start);
      writer.fixed(part.window_end);
      writer.text(part.keys);
      writer.varint(part.key_ends.size());
      for (const uint32_t key_end : part.key_ends) writer.fixed(key_end);
      std::string rows;
      encode_batch(*part.rows, rows);
      writer.text(rows);
    }
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
    part.keys = std::string(reader.text());
    const uint64_t rows = reader.varint();
    for (uint64_t row = 0; row < rows && reader.ok(); ++row) part.key_ends.push_back(reader.fixed<uint32_t>());
    auto batch = decode_batch(reader.text(), layout);
    if (!batch) return batch.status();
    part.rows = std::move(*batch);
    if (part.rows->rows != rows) break;
    add(std::move(part));
  }
  if (!reader.ok() || !reader.at_end()) return {Code::state, "stored results are damaged"};
  return {};
}

}  // namespace tidemark::core
