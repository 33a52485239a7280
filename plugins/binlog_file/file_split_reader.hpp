// SPDX-License-Identifier: Apache-2.0
// The reader of one core: takes turns between the splits it was handed.
//
// Invariants: a poll gives at most one batch per split and goes on with the next split where the last one stopped; a
// paused split is not read; a finished split keeps its position until it is released.
// Thread: one at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tidemark/source.hpp>
#include <vector>

#include "binlog_file/shard_reader.hpp"

namespace tidemark::binlog_file {

class FileSplitReader final : public SourceReader {
 public:
  FileSplitReader(const TableFilter& filter, std::vector<WantedColumn> wanted, ReadOptions options, Host host)
      : filter_(filter), wanted_(std::move(wanted)), options_(std::move(options)), host_(host) {}

  void add_splits(std::span<const Split> splits) override;
  void notify_no_more_splits() override { no_more_splits_ = true; }
  void release_split(uint32_t split) override;
  Status poll_next(ReaderOutput& output) override;
  void pause_or_resume_splits(std::span<const uint32_t> to_pause, std::span<const uint32_t> to_resume) override;
  std::string snapshot_state(uint32_t split) override;

 private:
  struct Assigned {
    uint32_t number;
    std::unique_ptr<ShardReader> reader;
    bool paused = false;
    bool finished = false;
    std::optional<SourceError> failure;  ///< stays: reading on would pass over something
  };

  Status read(Assigned& split, ReaderOutput& output, SteadyTime now);

  Assigned& assigned(uint32_t split);
  /// Metrics bytes_read and bytes_total over this reader's splits, now and then and at the end.
  void report_bytes(SteadyTime now, bool at_end);

  const TableFilter& filter_;
  std::vector<WantedColumn> wanted_;
  ReadOptions options_;
  Host host_;
  std::vector<Assigned> splits_;
  size_t turn_ = 0;
  bool no_more_splits_ = false;
  SteadyTime reported_{};
};

}  // namespace tidemark::binlog_file
