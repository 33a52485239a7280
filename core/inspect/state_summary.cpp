// SPDX-License-Identifier: Apache-2.0
//
// Scans of the families, one after the other. Of a running job all of them see the epoch that was there when the store
// was opened.
#include "core/inspect/state_summary.hpp"

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/sink/mysql_progress.hpp"
#include "core/sink/sink_progress.hpp"
#include "core/state/keys.hpp"
#include "core/window/window_times.hpp"

namespace tidemark::core {
namespace {

constexpr std::string_view kWaiting = "waiting results of ";  // ids of sinks hold no spaces

// Pages as their keys and sizes tell, not decoded.
Status read_panes(EpochStore& store, AggregateSummary& out) {
  const auto epoch = committed_epoch(store);
  if (!epoch) return epoch.status();
  std::optional<uint32_t> last_group;
  Status status;
  Status scanned = store.scan(
      Family::panes, operator_prefix(out.record.operator_id), [&](std::string_view key, std::string_view page) {
        const auto at = decode_page_key(key);
        if (!at) {
          status = Status(Code::state, "aggregate " + out.record.aggregate +
                                           ": a page has a key that this program does not know; use the program that "
                                           "wrote the state");
          return false;
        }
        if (at->run.epoch > *epoch) return true;
        if (out.panes.empty() || out.panes.back().end != at->pane_end) {
          out.panes.push_back({at->pane_end, 0, {}, {}, {}, fire_time(at->pane_end) <= out.record.fired});
          last_group.reset();
        }
        PaneSummary& pane = out.panes.back();
        pane.key_groups += last_group != at->key_group ? 1 : 0;
        last_group = at->key_group;
        const PageKind kind = at->run.kind;
        (kind == PageKind::base ? pane.base : kind == PageKind::delta ? pane.delta : pane.addend).add({1, page.size()});
        return true;
      });
  return scanned ? status : scanned;
}

Result<SinkSummary> read_sink(std::string_view key, std::string_view value) {
  SinkSummary out;
  out.name = key;
  out.stored_bytes = value.size();
  if (key.starts_with(kWaiting)) return out;
  if (value.starts_with(kMysqlProgressFormat)) {
    const auto progress = decode_mysql_progress(value);
    if (!progress) return progress.status().with_context("sink " + out.name);
    out.kind = "mysql";
    out.rows = progress->rows;
    out.epoch = progress->epoch;
    return out;
  }
  if (is_roll_progress(value)) {
    const auto parts = decode_roll_progress(value);
    if (!parts) return parts.status().with_context("sink " + out.name);
    out.kind = "rolled file, part " + std::to_string(parts->part);
    out.rows = parts->rows;
    out.file_bytes = parts->bytes;
    return out;
  }
  const auto progress = decode_sink_progress(value);
  if (!progress) return progress.status().with_context("sink " + out.name);
  out.kind = progress->bytes > 0 ? "file" : "file or stdout";
  out.rows = progress->rows;
  out.file_bytes = progress->bytes;
  return out;
}

// What `read` makes of every entry of a family.
template <typename T, typename Read>
Result<std::vector<T>> read_all(EpochStore& store, Family family, std::string_view prefix, const Read& read) {
  std::vector<T> out;
  Status status;
  Status scanned = store.scan(family, prefix, [&](std::string_view key, std::string_view value) {
    Result<T> one = read(key, value);
    status = one.status();
    if (one) out.push_back(std::move(*one));
    return status.is_ok();
  });
  if (!scanned || !status) return scanned ? status : scanned;
  return out;
}

Result<AggregateSize> measure_pages(EpochStore& store, const OperatorRecord& record) {
  AggregateSize out;
  out.aggregate = record.aggregate;
  std::optional<Micros> pane;
  Status visited = visit_page_groups(store, record.operator_id, std::nullopt, [&](PageGroup& group) -> Result<bool> {
    out.panes += pane != group.pane_end ? 1 : 0;
    pane = group.pane_end;
    ++out.page_groups;
    out.entries += group.entries.size();
    out.base.add(group.base);
    out.delta.add(group.delta);
    out.addend.add(group.addend);
    return true;
  });
  if (!visited) return visited.with_context("aggregate " + record.aggregate);
  return out;
}

// Files of a running job may go while they are looked at: those are not counted.
Result<std::map<std::string, FileTotals>> measure_files(const std::filesystem::path& folder) {
  std::map<std::string, FileTotals> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const bool is_file = at->is_regular_file(gone);
    const uint64_t bytes = is_file ? at->file_size(gone) : 0;
    if (!is_file || gone) continue;
    const std::string ending = at->path().extension().string();
    FileTotals& of = out[ending == ".sst" ? "tables" : ending == ".log" ? "write-ahead logs" : "other"];
    ++of.files;
    of.bytes += bytes;
  }
  if (!error) return out;
  return Status(Code::io,
                folder.string() + " cannot be listed: " + error.message() + "; check the folder's permissions");
}

}  // namespace

Result<EpochRecord> read_epoch(EpochStore& store) {
  auto stored = store.get(Family::meta, kMetaEpoch);
  if (!stored) return stored.status();
  if (!*stored) return Status(Code::state, "the job has not completed an epoch yet; its state says nothing");
  return decode_epoch_record(**stored);
}

Result<std::vector<SplitSummary>> read_splits(EpochStore& store) {
  std::vector<SplitSummary> out;
  for (const bool is_left_out : {false, true}) {
    auto records = read_all<SplitRecord>(
        store, is_left_out ? Family::meta : Family::sources, is_left_out ? kMetaLeftOut : std::string_view(),
        [](std::string_view, std::string_view value) { return decode_split_record(value); });
    if (!records) return records.status();
    for (SplitRecord& record : *records) out.push_back({std::move(record), is_left_out});
  }
  std::sort(out.begin(), out.end(), [](const SplitSummary& a, const SplitSummary& b) {
    return std::tie(a.record.source, a.record.split) < std::tie(b.record.source, b.record.split);
  });
  return out;
}

Result<std::vector<OperatorRecord>> read_operators(EpochStore& store) {
  return read_all<OperatorRecord>(store, Family::meta, kMetaOperators, [](std::string_view, std::string_view value) {
    return decode_operator_record(value);
  });
}

Result<StateSummary> summarise(EpochStore& store) {
  StateSummary out;
  auto epoch = read_epoch(store);
  if (!epoch) return epoch.status();
  out.epoch = *epoch;
  auto job = store.get(Family::meta, kMetaJob);
  if (!job) return job.status();
  if (*job) {
    auto record = decode_job_record(**job);
    if (!record) return record.status();
    out.job = std::move(record->job);
  }
  auto splits = read_splits(store);
  if (!splits) return splits.status();
  out.splits = std::move(*splits);
  auto operators = read_operators(store);
  if (!operators) return operators.status();
  for (OperatorRecord& record : *operators) {
    out.aggregates.push_back({std::move(record), {}});
    if (Status read = read_panes(store, out.aggregates.back()); !read) return read;
  }
  Status added;
  Status scanned = store.scan(Family::late, "", [&](std::string_view key, std::string_view value) {
    added = out.late.add(key, value);
    return added.is_ok();
  });
  if (!scanned || !added) return scanned ? added : scanned;
  auto sinks = read_all<SinkSummary>(store, Family::sinks, "", read_sink);
  if (!sinks) return sinks.status();
  out.sinks = std::move(*sinks);
  return out;
}

Result<StateSize> measure(EpochStore& store, const std::filesystem::path& folder) {
  StateSize out;
  for (size_t i = 0; i < kFamilies; ++i) {
    FamilySize size{static_cast<Family>(i), 0, 0};
    Status scanned = store.scan(size.family, "", [&](std::string_view key, std::string_view value) {
      ++size.entries;
      size.bytes += key.size() + value.size();
      return true;
    });
    if (!scanned) return scanned;
    out.families.push_back(size);
  }
  auto operators = read_operators(store);
  if (!operators) return operators.status();
  for (const OperatorRecord& record : *operators) {
    auto size = measure_pages(store, record);
    if (!size) return size.status();
    out.aggregates.push_back(std::move(*size));
  }
  auto files = measure_files(folder);
  if (!files) return files.status();
  out.files = std::move(*files);
  return out;
}

}  // namespace tidemark::core
