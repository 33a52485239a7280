// SPDX-License-Identifier: Apache-2.0
//
// What the core knows of a source: Source (schema, splits, readers), Reader (one per core that reads it) and
// ReaderOutput (what a poll writes to), after FLIP-27, FLIP-182 and FLIP-217. plugin_host implements them over
// the C ABI; the simulator implements them over scripts. A batch belongs to one split, so per-split outputs are
// the split number. All calls on one Reader come from one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/base/time.hpp"
#include "core/batch/batch.hpp"
#include "core/batch/batch_pool.hpp"

namespace tidemark::core {

/// The host's number of a split, unique within a job, dense from 0.
using SplitId = uint32_t;

/// What poll_next found.
enum class PollStatus : uint8_t {
  more,     ///< poll again soon
  nothing,  ///< nothing to read now
  end,      ///< every split is finished and none will come
};

/// A split handed to a reader. position: bytes of an earlier snapshot, empty = from the start.
struct SplitAssignment {
  SplitId split = 0;
  std::string id;
  std::string position;
};

/// A split that a source found, with a note for people (such as the tables that matched in it).
struct FoundSplit {
  std::string id;
  std::string note;
};

/// The splits that there are now. complete: none will come later (a bounded source, or an enumerator at its end).
struct Discovery {
  std::vector<FoundSplit> splits;
  bool complete = false;
};

/// Where a poll puts what it found. Valid during poll_next, on its thread.
class ReaderOutput {
 public:
  virtual ~ReaderOutput() = default;
  /// An empty batch with `split` set; null = no credit for this split now.
  virtual std::unique_ptr<Batch> acquire(SplitId split) = 0;
  /// Takes a filled batch (also one from the pool's acquire_wait). Empty batches are taken back. One that ends in an
  /// Op::truncate row ends the split's turn: no more is said of the split in this poll, and none comes until the
  /// truncation has been carried out.
  virtual void submit(std::unique_ptr<Batch> batch) = 0;
  /// The source's own watermark: no row at or below `time` is expected any more.
  virtual void watermark(SplitId split, Micros time) = 0;
  /// Known progress: nothing before `time` is still to come.
  virtual void progress(SplitId split, Micros time) = 0;
  virtual void set_idle(SplitId split, bool idle) = 0;
  /// The source has lost the split and tries again by itself, for `reason`; until set_connected() or rows.
  virtual void set_disconnected(SplitId split, std::string_view reason) = 0;
  virtual void set_connected(SplitId split) = 0;
  /// The retryable error that this poll returns is of this split alone.
  virtual void failed(SplitId split, std::string_view reason) = 0;
  /// The split has no more rows, ever.
  virtual void finished(SplitId split) = 0;
};

class Reader {
 public:
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  virtual ~Reader() = default;

  virtual Status add_splits(std::span<const SplitAssignment> splits) = 0;
  virtual Status notify_no_more_splits() = 0;
  virtual Status release_split(SplitId split) = 0;
  /// Must not block: at most one batch per split or about one millisecond. After an error that is retryable() it is
  /// called again, from the position reached.
  virtual Result<PollStatus> poll_next(ReaderOutput& output) = 0;
  virtual Status pause_or_resume_splits(std::span<const SplitId> pause, std::span<const SplitId> resume) = 0;
  /// Position after the last submitted row of the split.
  virtual Result<std::string> snapshot_split(SplitId split) = 0;
  virtual Status notify_checkpoint_complete(uint64_t epoch) = 0;
  /// Any thread: makes a wait inside the reader return soon.
  virtual void wake_up() noexcept = 0;
};

/// Services that a reader may use from any of its threads while it lives.
struct ReaderHost {
  std::function<void()> notify;  ///< poll again
  /// Figures of a source, by name and absolute value; "bytes_read" and "bytes_total" drive the progress bar.
  std::function<void(std::string_view name, double value)> metric;
  std::shared_ptr<BatchPool> pool;
};

/// Which of its own event times a source gives its rows.
enum class SourceTime : uint8_t {
  commit,  ///< the source's own: for binlogs the commit time
  header,  ///< the header time of each row's own event; only where has_header_time()
};

/// What a reader is to deliver. Borrows.
struct Projection {
  std::span<const uint32_t> columns;  ///< indexes into the schema, in batch column order
  SourceTime time = SourceTime::commit;
  bool truncates = false;       ///< Op::truncate rows; only where gives_truncates()
  bool partial_images = false;  ///< absent bits instead of problems; only where gives_partial_images()
};

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  virtual Result<Schema> schema() = 0;
  /// All splits there are; called again while the job runs, not at once with open_reader().
  virtual Result<Discovery> discover() = 0;
  /// host.pool has the projection's layout.
  virtual Result<std::unique_ptr<Reader>> open_reader(const Projection& projection, ReaderHost host) = 0;
  /// True when pause_or_resume_splits works per split.
  virtual bool can_pause_splits() const noexcept = 0;
  /// True when every split ends by itself.
  virtual bool is_bounded() const noexcept = 0;
  virtual bool has_header_time() const noexcept { return false; }
  virtual bool gives_truncates() const noexcept { return false; }
  virtual bool gives_partial_images() const noexcept { return false; }
};

}  // namespace tidemark::core
