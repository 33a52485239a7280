// SPDX-License-Identifier: Apache-2.0
//
// The full layer: Source, SplitEnumerator and SourceReader with the names and contracts of FLIP-27 (sources),
// FLIP-182 and FLIP-217 (pausing of splits). A source finds splits; readers, one per core, are handed splits and
// polled. Nothing here blocks: poll_next returns after one batch per split or about a millisecond.
// Threads: all calls on one reader come from one thread at a time, and so do the calls on one source; readers of
// one source may run on different threads. wake_up() alone comes from any thread. Threads that an author starts
// use Host only and are joined in the reader's destructor.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/host.hpp>
#include <tidemark/options.hpp>
#include <tidemark/schema.hpp>
#include <tidemark/split_output.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark {
inline namespace v1 {

/// A split as a reader gets it.
struct Split {
  std::string id;          ///< as discover() named it
  std::string position{};  ///< what snapshot_state() or position() gave; empty = from the start
  uint32_t number = 0;     ///< the host's number, for all later calls
};

/// A split as discover() finds it; the note is for people, such as the tables that matched.
struct FoundSplit {
  std::string id;
  std::string note{};
};

/// Where a poll puts what it found; valid during poll_next, on its thread.
class ReaderOutput {
 public:
  explicit ReaderOutput(const Layout& layout) noexcept : layout_(&layout) {}

  /// The output of one split for this call: take rows with append(), then let it go out of scope.
  SplitOutput create_output_for_split(uint32_t split) {
    return {*output_, *layout_, split, next_sequences_.try_emplace(split, uint64_t{1}).first->second};
  }
  /// The split has no more rows, ever.
  void release_output_for_split(uint32_t split) {
    next_sequences_.erase(split);
    output_->finished(output_->self, split);
  }
  /// These six are said as SplitOutput's of the same names; an emit_watermark counts with `strategy = "source"` alone.
  void emit_watermark(uint32_t split, int64_t time_us) { output_->watermark(output_->self, split, time_us); }
  void progress(uint32_t split, int64_t time_us) { output_->progress(output_->self, split, time_us); }
  void mark_idle(uint32_t split) { output_->set_idle(output_->self, split, 1); }
  void mark_active(uint32_t split) { output_->set_idle(output_->self, split, 0); }

  void set_disconnected(uint32_t split, std::string_view reason) {
    detail::say_connection(*output_, split, false, reason);
  }
  void set_connected(uint32_t split) { detail::say_connection(*output_, split, true, {}); }

  const Layout& layout() const noexcept { return *layout_; }
  /// The host's table, for batches that a thread of one's own filled (tidemark_host.acquire_async).
  const tidemark_output& raw() const noexcept { return *output_; }
  /// The header's and tests': which table the next calls go to.
  void bind(const tidemark_output& output) noexcept { output_ = &output; }

 private:
  const tidemark_output* output_ = nullptr;
  const Layout* layout_;
  std::unordered_map<uint32_t, uint64_t> next_sequences_;
};

/// Reads splits on one core.
class SourceReader {
 public:
  SourceReader() = default;
  SourceReader(const SourceReader&) = delete;
  SourceReader& operator=(const SourceReader&) = delete;
  virtual ~SourceReader() = default;

  /// Once, before any other call.
  virtual void start() {}
  virtual void add_splits(std::span<const Split> splits) = 0;
  /// No add_splits() will follow; once the splits end, poll_next returns Status::end.
  virtual void notify_no_more_splits() {}
  /// Forget the split: it moves to another reader.
  virtual void release_split(uint32_t split) = 0;
  /// Writes what there is to read. Rows submitted here count as read: snapshot_state() covers them.
  virtual Status poll_next(ReaderOutput& output) = 0;
  /// Paused splits are not read until resumed; they stay assigned (FLIP-217).
  virtual void pause_or_resume_splits(std::span<const uint32_t> to_pause, std::span<const uint32_t> to_resume) = 0;
  /// The split's position after the last row submitted. Any bytes; reading on from it repeats and skips nothing.
  virtual std::string snapshot_state(uint32_t split) = 0;
  /// The epoch that took the last snapshot is durable.
  virtual void notify_checkpoint_complete(uint64_t epoch) { static_cast<void>(epoch); }
  /// False: poll_next would give nothing now; Host::notify() will be called when that changes.
  virtual bool is_available() const { return true; }
  /// From any thread: makes a wait inside poll_next return soon.
  virtual void wake_up() noexcept {}
};

/// Finds splits; asked again while the job runs, so that new ones are found.
class SplitEnumerator {
 public:
  SplitEnumerator() = default;
  SplitEnumerator(const SplitEnumerator&) = delete;
  SplitEnumerator& operator=(const SplitEnumerator&) = delete;
  virtual ~SplitEnumerator() = default;

  /// All splits there are now, in a stable order; ids that were given before are known.
  virtual std::vector<FoundSplit> discover() = 0;
  /// Asked after discover(): true when no splits will come after those (signalNoMoreSplits of FLIP-27). Sources with
  /// TIDEMARK_BOUNDED are not asked.
  virtual bool no_more_splits() const { return false; }
};

/// What SplitOutput's event times are to be. header: asked for only of a source with TIDEMARK_HAS_HEADER_TIME.
enum class EventTime : uint32_t { commit = TIDEMARK_COMMIT_TIME, header = TIDEMARK_HEADER_TIME };

/// What a reader is opened with. Layout and host live as long as the reader.
struct ReaderContext {
  const Layout& layout;
  Host host;
  EventTime event_time = EventTime::commit;
};

/// A source: its own enumerator, and the maker of readers. Constructed from `const Options&` or from
/// `const Options&, Host`.
class Source : public SplitEnumerator {
 public:
  /// The columns of the rows, known before the first reader opens.
  virtual Schema schema() = 0;
  virtual std::unique_ptr<SourceReader> open_reader(const ReaderContext& context) = 0;
  /// TIDEMARK_CAN_PAUSE_SPLITS | TIDEMARK_BOUNDED | ..., with these options.
  virtual uint64_t features() const = 0;
};

}  // namespace v1
}  // namespace tidemark
