// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: one at a time.
#include "binlog_file/file_split_reader.hpp"

#include <algorithm>
#include <chrono>

namespace tidemark::binlog_file {
namespace {
constexpr auto kPollTime = std::chrono::milliseconds(1);
constexpr auto kReportEvery = std::chrono::milliseconds(100);
}  // namespace

void FileSplitReader::add_splits(std::span<const Split> splits) {
  for (const Split& split : splits) {
    splits_.push_back(
        {split.number, std::make_unique<ShardReader>(split, options_, filter_, wanted_, host_), false, false, {}});
  }
}

FileSplitReader::Assigned& FileSplitReader::assigned(uint32_t split) {
  const auto found = std::find_if(splits_.begin(), splits_.end(), [&](const Assigned& a) { return a.number == split; });
  if (found == splits_.end()) {
    fail(SourceError("this reader was not given the split", std::to_string(split)).kind(ErrorKind::internal));
  }
  return *found;
}

void FileSplitReader::release_split(uint32_t split) {
  std::erase_if(splits_, [&](const Assigned& a) { return a.number == split; });
  turn_ = 0;
}

/// A failed split gives the same error again, whatever the host does with it, unless trying again may help.
Status FileSplitReader::read(Assigned& split, ReaderOutput& output, SteadyTime now) {
  if (split.failure) fail(*split.failure);
  try {
    return split.reader->read(output, now);
  } catch (const SourceError& error) {
    SourceError failure = SourceError(error).split(split.number);
    if (!failure.is_retryable()) split.failure = failure;
    throw failure;
  }
}

Status FileSplitReader::poll_next(ReaderOutput& output) {
  const SteadyTime begin = std::chrono::steady_clock::now();
  SteadyTime now = begin;
  bool more = false;
  for (size_t turns = splits_.size(); turns > 0 && now - begin < kPollTime; --turns) {
    Assigned& split = splits_[turn_];
    turn_ = (turn_ + 1) % splits_.size();
    if (split.finished || split.paused) continue;
    const Status status = read(split, output, now);
    if (status == Status::end) {
      split.finished = true;
      output.release_output_for_split(split.number);
    }
    more = more || status != Status::nothing;
    now = std::chrono::steady_clock::now();
  }
  const bool all_finished = std::all_of(splits_.begin(), splits_.end(), [](const Assigned& a) { return a.finished; });
  report_bytes(now, all_finished);
  if (no_more_splits_ && all_finished) return Status::end;
  return more || now - begin >= kPollTime ? Status::more : Status::nothing;
}

void FileSplitReader::report_bytes(SteadyTime now, bool at_end) {
  if (splits_.empty() || (!at_end && now - reported_ < kReportEvery)) return;
  reported_ = now;
  uint64_t read = 0, total = 0;
  for (const Assigned& split : splits_) {
    read += split.reader->bytes_read();
    total += split.reader->bytes_total();
  }
  host_.metric("bytes_read", static_cast<double>(read));
  host_.metric("bytes_total", static_cast<double>(std::max(read, total)));
}

void FileSplitReader::pause_or_resume_splits(std::span<const uint32_t> to_pause, std::span<const uint32_t> to_resume) {
  for (const uint32_t split : to_pause) assigned(split).paused = true;
  for (const uint32_t split : to_resume) assigned(split).paused = false;
}

std::string FileSplitReader::snapshot_state(uint32_t split) {
  return assigned(split).reader->position();
}

}  // namespace tidemark::binlog_file
