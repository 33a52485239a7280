// SPDX-License-Identifier: Apache-2.0
//
// PluginReader: a plugin's reader as the core's Reader. A batch that the plugin submits is checked before anyone
// sees it; the first violation is kept, fails every later poll, and names plugin and split.
// Threads: one at a time for the Reader calls; the host's services (tidemark_host) from any thread until the
// destructor returns. wake_up() from any thread.
#pragma once

#include <tidemark/abi.h>

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ingest/reader.hpp"
#include "core/plugin_host/lent_batches.hpp"
#include "core/plugin_host/plugin_loader.hpp"

namespace tidemark::core {

class PluginReader final : public Reader {
 public:
  /// Only for create().
  PluginReader(std::shared_ptr<const LoadedPlugin> plugin, ReaderHost host);
  /// Opens a reader of the plugin's `source`, which outlives it.
  static Result<std::unique_ptr<Reader>> create(std::shared_ptr<const LoadedPlugin> plugin, void* source,
                                                const Projection& projection, ReaderHost host);
  ~PluginReader() override;

  Status add_splits(std::span<const SplitAssignment> splits) override;
  Status notify_no_more_splits() override;
  Status release_split(SplitId split) override;
  Result<PollStatus> poll_next(ReaderOutput& output) override;
  Status pause_or_resume_splits(std::span<const SplitId> pause, std::span<const SplitId> resume) override;
  Result<std::string> snapshot_split(SplitId split) override;
  Status notify_checkpoint_complete(uint64_t epoch) override;
  void wake_up() noexcept override;

 private:
  /// What is known of a split that this reader was handed.
  struct SplitState {
    std::string id;
    bool any_rows = false;
    uint64_t last_sequence = 0;
    bool finished = false;
    uint64_t truncated_poll = 0;  ///< the last poll in which a TRUNCATE of it came
  };

  void fill_host_table();
  void fill_output_table();
  static PluginReader& of(void* self) noexcept { return *static_cast<PluginReader*>(self); }

  tidemark_batch* acquire(uint32_t split) noexcept;
  void submit(tidemark_batch* view) noexcept;
  /// The split, if it may still speak; else a violation is kept.
  SplitState* speaking_split(uint32_t split, const char* what) noexcept;
  void violate(Status status);
  std::string split_context(SplitId split) const;
  /// OK for TIDEMARK_OK; else the error with plugin and split before it. `split`: where the record names none.
  Status status_of(int32_t code, const tidemark_error& error, SplitId split = UINT32_MAX) const;

  std::shared_ptr<const LoadedPlugin> plugin_;
  std::string prefix_;
  ReaderHost services_;
  LentBatches lent_;
  tidemark_host host_{};
  tidemark_output output_{};
  void* reader_ = nullptr;
  ReaderOutput* target_ = nullptr;  // during poll_next
  std::unordered_map<SplitId, SplitState> splits_;
  Status violation_;
  uint64_t polls_ = 1;
  bool wants_truncates_ = false;
};

}  // namespace tidemark::core
