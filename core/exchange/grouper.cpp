// SPDX-License-Identifier: Apache-2.0
//
// Grouping in passes over arrays: rows that count, pane ends, key bytes, group numbers, then a counting sort of
// the rows into each worker's groups. Scratch arrays are kept, so that a batch allocates only what it sends.
#include "core/exchange/grouper.hpp"

#include <algorithm>
#include <optional>

#include "core/exchange/group_table.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/window_assigner.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kMeasuredBatches = 16;

/// Groups per row over the last batches: decides whether adding up before the exchange pays.
class ReductionMeter {
 public:
  void add(uint32_t groups, uint32_t rows) noexcept {
    Sample& slot = samples_[next_++ % kMeasuredBatches];
    groups_ -= slot.groups;
    groups_ += groups;
    rows_ -= slot.rows;
    rows_ += rows;
    slot = Sample{groups, rows};
  }
  bool pays() const noexcept { return groups_ * 2 <= rows_; }

 private:
  struct Sample {
    uint32_t groups = 0;
    uint32_t rows = 0;
  };
  std::array<Sample, kMeasuredBatches> samples_;
  size_t next_ = 0;
  uint64_t groups_ = 0;
  uint64_t rows_ = 0;
};

class BatchGrouper final : public Grouper {
 public:
  BatchGrouper(AggregateSpec spec, AccumulatorLayout layout, KeyCodec codec, std::optional<WindowAssigner> assigner,
               KeyGroupOwners owners, uint32_t workers)
      : spec_(std::move(spec)),
        layout_(std::move(layout)),
        codec_(std::move(codec)),
        assigner_(std::move(assigner)),
        owners_(owners),
        parts_(workers) {}

  Status group(const BatchRef& batch, std::span<const uint32_t> skip, Micros wall_us,
               std::vector<std::vector<GroupedRows>>& out, GroupingCounts& counts) override;

 private:
  /// What one worker gets of the batch in hand.
  struct Part {
    uint32_t groups = 0;
    uint32_t rows = 0;
    uint32_t key_bytes = 0;
    GroupedRows* out = nullptr;
  };

  void select_rows(const Batch& batch, std::span<const uint32_t> skip, GroupingCounts& counts);
  void assign_panes(const Batch& batch, Micros wall_us, GroupingCounts& counts);
  void assign_groups();
  void open_parts(const BatchRef& batch, std::vector<std::vector<GroupedRows>>& out);
  void place_groups();
  void add_up(const Batch& batch);

  AggregateSpec spec_;
  AccumulatorLayout layout_;
  KeyCodec codec_;
  std::optional<WindowAssigner> assigner_;  // none: sessions
  KeyGroupOwners owners_;
  ReductionMeter meter_;

  // Scratch of one batch; index = position in selected_, unless said otherwise.
  std::vector<uint32_t> selected_;  // row numbers
  std::vector<Micros> pane_ends_;
  EncodedKeys keys_;
  GroupTable table_;
  std::vector<uint32_t> group_of_;
  std::vector<uint32_t*> cursors_;  // per group: where its next row goes
  std::vector<Part> parts_;         // per worker
  std::vector<UpdateTarget> targets_;
};

void BatchGrouper::select_rows(const Batch& batch, std::span<const uint32_t> skip, GroupingCounts& counts) {
  selected_.clear();
  selected_.reserve(batch.rows);
  const bool inserts_only = !spec_.changelog;
  size_t skipped = 0;
  for (uint32_t row = 0; row < batch.rows; ++row) {
    if (skipped < skip.size() && skip[skipped] == row) {
      ++skipped;
    } else if (inserts_only && batch.op_at(row) != Op::insert) {
      ++counts.filtered;
    } else {
      selected_.push_back(row);
    }
  }
}

// Leaves rows in no window out. Neighbours mostly share a slice, so the assigner is rarely asked.
void BatchGrouper::assign_panes(const Batch& batch, Micros wall_us, GroupingCounts& counts) {
  pane_ends_.clear();
  if (!assigner_) {
    pane_ends_.resize(selected_.size(), kEndOfTime);
    return;
  }
  size_t kept = 0;
  TimeRange slice{kEndOfTime, kNoTime};  // holds nothing
  for (const uint32_t row : selected_) {
    const Micros time = spec_.window.processing_time ? wall_us : batch.event_time_us[row];
    TIDEMARK_DCHECK(time != kNoTime);
    if (time < slice.start || time >= slice.end) {
      const std::optional<TimeRange> found = assigner_->slice_of(time);
      slice = found.value_or(TimeRange{kEndOfTime, kNoTime});
      if (!found) {
        ++counts.filtered;
        ++counts.no_window;
        continue;
      }
    }
    selected_[kept++] = row;
    pane_ends_.push_back(slice.end);
  }
  selected_.resize(kept);
}

void BatchGrouper::assign_groups() {
  const size_t n = selected_.size();
  group_of_.resize(n);
  table_.start_batch();
  for (size_t i = 0; i < n; ++i) {
    const std::string_view key = keys_.at(i);
    group_of_[i] = table_.add_row(hash_bytes(key), pane_ends_[i], key);
  }
}

void BatchGrouper::open_parts(const BatchRef& batch, std::vector<std::vector<GroupedRows>>& out) {
  std::fill(parts_.begin(), parts_.end(), Part{});
  for (const GroupTable::Group& group : table_.groups()) {
    Part& part = parts_[owners_[key_group_of(group.hash)]];
    ++part.groups;
    part.rows += group.rows;
    part.key_bytes += static_cast<uint32_t>(group.key.size());
  }
  if (out.size() < parts_.size()) out.resize(parts_.size());
  for (size_t worker = 0; worker < parts_.size(); ++worker) {
    Part& part = parts_[worker];
    if (part.groups == 0) continue;
    GroupedRows& grouped = out[worker].emplace_back();
    grouped.operator_id = spec_.operator_id;
    grouped.batch = batch;
    grouped.keys.reserve(part.key_bytes);
    grouped.groups.reserve(part.groups);
    grouped.rows.resize(part.rows);
    part.out = &grouped;
    part.rows = 0;  // from here on: rows placed
  }
}

void BatchGrouper::place_groups() {
  cursors_.clear();
  for (const GroupTable::Group& group : table_.groups()) {
    Part& part = parts_[owners_[key_group_of(group.hash)]];
    RowGroup placed;
    placed.hash = group.hash;
    placed.pane_end = group.pane_end;
    placed.key_offset = static_cast<uint32_t>(part.out->keys.size());
    placed.key_size = static_cast<uint32_t>(group.key.size());
    placed.row_begin = part.rows;
    placed.row_count = group.rows;
    part.out->keys.append(group.key);
    part.out->groups.push_back(placed);
    cursors_.push_back(part.out->rows.data() + part.rows);
    part.rows += group.rows;
  }
  for (size_t i = 0; i < selected_.size(); ++i) *cursors_[group_of_[i]]++ = selected_[i];
}

void BatchGrouper::add_up(const Batch& batch) {
  const size_t width = layout_.width();
  for (const Part& part : parts_) {
    if (part.out == nullptr) continue;
    GroupedRows& grouped = *part.out;
    grouped.partials.resize(grouped.groups.size() * width);
    targets_.clear();
    for (size_t i = 0; i < grouped.groups.size(); ++i) {
      std::byte* row = grouped.partials.data() + i * width;
      layout_.init(row);
      targets_.push_back(UpdateTarget{row, grouped.groups[i].row_begin, grouped.groups[i].row_count});
    }
    layout_.update(batch, targets_, grouped.rows.data());
  }
}

Status BatchGrouper::group(const BatchRef& batch, std::span<const uint32_t> skip, Micros wall_us,
                           std::vector<std::vector<GroupedRows>>& out, GroupingCounts& counts) {
  select_rows(*batch, skip, counts);
  assign_panes(*batch, wall_us, counts);
  counts.grouped += selected_.size();
  if (selected_.empty()) return Status::ok();
  if (!codec_.encode(*batch, selected_, keys_)) {
    return Status(Code::data,
                  "aggregate '" + spec_.id + "': the group keys of a batch of split " + std::to_string(batch->split) +
                      " are too long (one text over 256 MiB, or 4 GiB together); group by a shorter column");
  }
  assign_groups();
  open_parts(batch, out);
  place_groups();
  meter_.add(static_cast<uint32_t>(table_.groups().size()), static_cast<uint32_t>(selected_.size()));
  if (assigner_ && layout_.fixed_size() && meter_.pays()) add_up(*batch);
  return Status::ok();
}

}  // namespace

KeyGroupOwners even_owners(uint32_t workers) {
  KeyGroupOwners owners{};
  for (uint32_t group = 0; group < kKeyGroups; ++group) {
    owners[group] = static_cast<uint16_t>(group * workers / kKeyGroups);
  }
  return owners;
}

Result<std::unique_ptr<Grouper>> Grouper::create(AggregateSpec spec, const std::shared_ptr<const BatchLayout>& input,
                                                 KeyGroupOwners owners, uint32_t workers) {
  for (const uint32_t column : spec.key_columns) {
    if (column >= input->columns.size()) {
      return Status(Code::config,
                    "aggregate '" + spec.id + "': there is no key column number " + std::to_string(column));
    }
  }
  const auto beyond =
      std::find_if(owners.begin(), owners.end(), [workers](uint16_t owner) { return owner >= workers; });
  if (beyond != owners.end()) {
    return Status(Code::config, "aggregate '" + spec.id + "': no worker owns some key group");
  }
  std::optional<WindowAssigner> assigner;
  if (spec.window.kind != WindowKind::session) {
    Result<WindowAssigner> made = WindowAssigner::create(spec.window);
    if (!made) return made.status().with_context("aggregate '" + spec.id + "'");
    assigner = std::move(*made);
  }
  Result<AccumulatorLayout> layout = AccumulatorLayout::compile(spec, *input);
  if (!layout) return layout.status();
  KeyCodec codec(spec.key_columns, *input);
  return std::unique_ptr<Grouper>(std::make_unique<BatchGrouper>(std::move(spec), std::move(*layout), std::move(codec),
                                                                 std::move(assigner), owners, workers));
}

}  // namespace tidemark::core
