// SPDX-License-Identifier: Apache-2.0
//
// The tables of host functions are captureless lambdas over `self`. None of them throws: memory that runs out
// inside them ends the process, as anywhere in core.
#include "core/plugin_host/plugin_reader.hpp"

#include <utility>

#include "core/base/log.hpp"
#include "core/plugin_host/abi_error.hpp"
#include "core/plugin_host/batch_check.hpp"
#include "core/plugin_host/host_table.hpp"

namespace tidemark::core {

PluginReader::PluginReader(std::shared_ptr<const LoadedPlugin> plugin, ReaderHost host)
    : plugin_(std::move(plugin)), prefix_("plugin " + plugin_->info.name), services_(std::move(host)) {
  fill_host_table();
  fill_output_table();
}

void PluginReader::fill_host_table() {
  host_.struct_size = sizeof host_;
  host_.abi_minor = TIDEMARK_ABI_MINOR;
  host_.self = this;
  host_.notify = [](void* self) noexcept {
    if (of(self).services_.notify) of(self).services_.notify();
  };
  host_.acquire_async = [](void* self, uint32_t split, uint32_t wait_us) noexcept -> tidemark_batch* {
    auto batch = of(self).services_.pool->acquire_wait(wait_us);
    return batch == nullptr ? nullptr : of(self).lent_.lend(std::move(batch), split);
  };
  host_.grow_heap_async = [](void* self, tidemark_batch* view, uint64_t bytes) noexcept {
    return of(self).lent_.grow_heap(view, bytes);
  };
  host_.release_async = [](void* self, tidemark_batch* view) noexcept {
    if (auto loan = of(self).lent_.take_back(view)) of(self).services_.pool->recycle(std::move(loan->batch));
  };
  host_.log = [](void* self, int32_t level, tidemark_str message) noexcept {
    log_for_plugin(of(self).prefix_, level, message);
  };
  host_.metric = [](void* self, tidemark_str name, double value) noexcept {
    if (of(self).services_.metric) of(self).services_.metric({name.data, name.size}, value);
  };
}

void PluginReader::fill_output_table() {
  output_.struct_size = sizeof output_;
  output_.self = this;
  output_.acquire = [](void* self, uint32_t split) noexcept { return of(self).acquire(split); };
  output_.submit = [](void* self, tidemark_batch* view) noexcept { of(self).submit(view); };
  output_.grow_heap = [](void* self, tidemark_batch* view, uint64_t bytes) noexcept {
    return of(self).lent_.grow_heap(view, bytes);
  };
  output_.watermark = [](void* self, uint32_t split, int64_t time_us) noexcept {
    if (of(self).speaking_split(split, "a watermark")) of(self).target_->watermark(split, time_us);
  };
  output_.progress = [](void* self, uint32_t split, int64_t time_us) noexcept {
    if (of(self).speaking_split(split, "progress")) of(self).target_->progress(split, time_us);
  };
  output_.set_idle = [](void* self, uint32_t split, uint32_t idle) noexcept {
    if (of(self).speaking_split(split, "idleness")) of(self).target_->set_idle(split, idle != 0);
  };
  output_.connection = [](void* self, uint32_t split, uint32_t connected, tidemark_str reason) noexcept {
    if (of(self).speaking_split(split, "its connection") == nullptr) return;
    if (connected != 0) return of(self).target_->set_connected(split);
    of(self).target_->set_disconnected(split, short_text(reason, "the source has lost it"));
  };
  output_.finished = [](void* self, uint32_t split) noexcept {
    SplitState* const state = of(self).speaking_split(split, "its end");
    if (state == nullptr) return;
    state->finished = true;
    of(self).target_->finished(split);
  };
}

Result<std::unique_ptr<Reader>> PluginReader::create(std::shared_ptr<const LoadedPlugin> plugin, void* source,
                                                     const Projection& projection, ReaderHost host) {
  auto out = std::make_unique<PluginReader>(std::move(plugin), std::move(host));
  const uint32_t time = projection.time == SourceTime::header ? TIDEMARK_HEADER_TIME : TIDEMARK_COMMIT_TIME;
  const uint32_t wants = (projection.truncates ? uint32_t{TIDEMARK_WANTS_TRUNCATES} : 0) |
                         (projection.partial_images ? uint32_t{TIDEMARK_WANTS_PARTIAL_IMAGES} : 0);
  const tidemark_projection wanted{sizeof(tidemark_projection), static_cast<uint32_t>(projection.columns.size()),
                                   projection.columns.data(), time, wants};
  out->wants_truncates_ = projection.truncates;
  tidemark_error error = make_abi_error();
  out->reader_ = out->plugin_->api.open_reader(source, &out->host_, &wanted, &error);
  if (out->reader_ == nullptr) return out->status_of(error.code == 0 ? TIDEMARK_E_INTERNAL : error.code, error);
  return std::unique_ptr<Reader>(std::move(out));
}

PluginReader::~PluginReader() {
  if (reader_ != nullptr) plugin_->api.close_reader(reader_);
  if (lent_.size() > 0) {
    log_warn(prefix_ + ": " + std::to_string(lent_.size()) + " batches were not given back when its reader closed");
  }
}

Status PluginReader::add_splits(std::span<const SplitAssignment> splits) {
  std::vector<tidemark_split> given;
  for (const SplitAssignment& split : splits) {
    given.push_back({sizeof(tidemark_split), split.split, abi_str(split.id), abi_str(split.position)});
    splits_[split.split] = {.id = split.id};
  }
  tidemark_error error = make_abi_error();
  const int32_t code = plugin_->api.add_splits(reader_, given.data(), given.size(), &error);
  return status_of(code, error, splits.size() == 1 ? splits.front().split : UINT32_MAX);
}

Status PluginReader::notify_no_more_splits() {
  tidemark_error error = make_abi_error();
  const int32_t code = plugin_->api.notify_no_more_splits(reader_, &error);
  return code == TIDEMARK_E_UNSUPPORTED ? Status() : status_of(code, error);
}

Status PluginReader::release_split(SplitId split) {
  tidemark_error error = make_abi_error();
  Status status = status_of(plugin_->api.release_split(reader_, split, &error), error, split);
  if (status) splits_.erase(split);
  return status;
}

Result<PollStatus> PluginReader::poll_next(ReaderOutput& output) {
  if (!violation_) return violation_;
  ++polls_;
  target_ = &output;
  tidemark_error error = make_abi_error();
  const int32_t code = plugin_->api.poll_next(reader_, &output_, &error);
  const bool retryable = code < 0 && error.retryable != 0 && violation_;
  if (retryable && splits_.contains(error.split) && !splits_[error.split].finished) {
    output.failed(error.split, abi_status(code, error).message());
  }
  target_ = nullptr;
  if (!violation_) return violation_;
  switch (code) {
    case TIDEMARK_OK:
      return PollStatus::more;
    case TIDEMARK_NOTHING:
      return PollStatus::nothing;
    case TIDEMARK_END:
      return PollStatus::end;
    default:
      return status_of(code, error);
  }
}

Status PluginReader::pause_or_resume_splits(std::span<const SplitId> pause, std::span<const SplitId> resume) {
  tidemark_error error = make_abi_error();
  return status_of(
      plugin_->api.pause_or_resume_splits(reader_, pause.data(), pause.size(), resume.data(), resume.size(), &error),
      error);
}

Result<std::string> PluginReader::snapshot_split(SplitId split) {
  std::string position;
  const auto write = [](void* self, const void* data, uint64_t size) noexcept {
    static_cast<std::string*>(self)->append(static_cast<const char*>(data), size);
  };
  tidemark_error error = make_abi_error();
  const Status status =
      status_of(plugin_->api.snapshot_split(reader_, split, {&position, write}, &error), error, split);
  if (!status) return status;
  return position;
}

Status PluginReader::notify_checkpoint_complete(uint64_t epoch) {
  tidemark_error error = make_abi_error();
  const int32_t code = plugin_->api.checkpoint_complete(reader_, epoch, &error);
  return code == TIDEMARK_E_UNSUPPORTED ? Status() : status_of(code, error);
}

void PluginReader::wake_up() noexcept {
  plugin_->api.wake_up(reader_);
}

tidemark_batch* PluginReader::acquire(uint32_t split) noexcept {
  const auto known = splits_.find(split);
  if (known != splits_.end() && known->second.truncated_poll == polls_) return nullptr;  // its turn is over
  if (!violation_ || speaking_split(split, "a batch") == nullptr) return nullptr;
  auto batch = target_->acquire(split);
  return batch == nullptr ? nullptr : lent_.lend(std::move(batch), split);
}

void PluginReader::submit(tidemark_batch* view) noexcept {
  auto loan = lent_.take_back(view);
  if (loan == nullptr) {
    return violate(
        Status(Code::plugin, "it submitted a batch that was not lent to it, or twice").with_context(prefix_));
  }
  const tidemark_batch& left = loan->view;
  Batch& batch = *loan->batch;
  SplitState* const state = left.rows == 0 || !violation_ ? nullptr : speaking_split(batch.split, "rows");
  if (state == nullptr) return services_.pool->recycle(std::move(loan->batch));
  if (Status status = check_batch(left, batch, {state->any_rows, state->last_sequence, wants_truncates_}); !status) {
    violate(status.with_context(split_context(batch.split)));
    return services_.pool->recycle(std::move(loan->batch));
  }
  batch.rows = left.rows;
  batch.origin_count = left.origin_count;
  batch.problem_count = left.problem_count;
  batch.heap_used = left.heap_used;
  state->any_rows = true;
  state->last_sequence = batch.sequence[batch.rows - 1];
  if (batch.op_at(batch.rows - 1) == Op::truncate) state->truncated_poll = polls_;
  target_->submit(std::move(loan->batch));
}

PluginReader::SplitState* PluginReader::speaking_split(uint32_t split, const char* what) noexcept {
  const auto found = splits_.find(split);
  const bool turn_is_over = found != splits_.end() && found->second.truncated_poll == polls_;
  if (found != splits_.end() && !found->second.finished && !turn_is_over) return &found->second;
  const char* const why = found == splits_.end()   ? " of a split that it was not given"
                          : found->second.finished ? " after it said the split ended"
                                                   : " after a TRUNCATE row, which ends the split's turn";
  violate(Status(Code::plugin, std::string("it reported ") + what + why).with_context(split_context(split)));
  return nullptr;
}

void PluginReader::violate(Status status) {
  if (violation_) violation_ = std::move(status);
}

std::string PluginReader::split_context(SplitId split) const {
  if (split == UINT32_MAX) return prefix_;
  const auto found = splits_.find(split);
  return prefix_ + ", split " + (found == splits_.end() ? "number " + std::to_string(split) : found->second.id);
}

Status PluginReader::status_of(int32_t code, const tidemark_error& error, SplitId split) const {
  if (code == TIDEMARK_OK) return {};
  return abi_status(code, error).with_context(split_context(error.split != UINT32_MAX ? error.split : split));
}

}  // namespace tidemark::core
