// SPDX-License-Identifier: Apache-2.0
//
// The steps of an epoch at the target, and the search for the rows that it refuses: by halves, so that one bad row
// costs some ten statements.
#include "core/sink/mysql_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/fail_point.hpp"
#include "core/batch/cell_text.hpp"

namespace tidemark::core {
namespace {

using Kind = TargetOutcome::Kind;

class MysqlSink final : public Sink {
 public:
  MysqlSink(const MysqlSinkOptions& options, std::unique_ptr<MysqlTarget> target)
      : options_(options), target_(std::move(target)) {}

  Status open(std::shared_ptr<const BatchLayout> layout, std::string_view progress) override;
  Status write(const Batch& rows, uint32_t row) override;
  Result<std::string> flush(uint64_t epoch) override;
  Status committed() override;
  Status finish() override { return {}; }
  uint64_t rows_written() const override { return progress_.rows + written_; }
  size_t bytes_waiting() const override { return rows_.bytes(); }
  std::vector<RefusedResult> take_refused() override;
  SinkRetry retry() const override { return options_.retry; }

 private:
  Status start_anew();
  Status catch_up();
  Status write_transaction();
  Status write_rows();
  Status write_some(std::span<const uint32_t> indexes);
  Status refuse(uint32_t index, std::string reason);
  std::string key_text(uint32_t index) const;
  Status failed(const TargetOutcome& outcome);
  void settle();

  MysqlSinkOptions options_;
  std::unique_ptr<MysqlTarget> target_;
  std::vector<uint32_t> key_;
  ResultRows rows_;                   // of the epoch
  uint64_t written_ = 0;              // by write() since the last flush that was committed
  std::vector<uint32_t> refused_;     // of rows_, ascending
  std::vector<std::string> reasons_;  // of refused_
  MysqlProgress progress_;            // of the last epoch that is committed or held open
  bool at_hand_ = false;              // rows_ are the results of the epoch of progress_
  bool held_ = false;                 // the target's transaction is open
  bool unsettled_ = false;            // the epoch of progress_ may not be in the target
  bool may_refuse_ = true;            // the epoch is not stored yet, so that refused rows can be part of it
};

Status MysqlSink::open(std::shared_ptr<const BatchLayout> layout, std::string_view progress) {
  for (const std::string& name : options_.key) {
    const auto found = std::find_if(layout->columns.begin(), layout->columns.end(),
                                    [&](const ColumnInfo& column) { return column.name == name; });
    if (found == layout->columns.end()) return {Code::config, "the results have no column `" + name + "` of the key"};
    key_.push_back(static_cast<uint32_t>(found - layout->columns.begin()));
  }
  rows_ = ResultRows(layout, key_);
  if (Status opened = target_->open(layout, options_.key); !opened) return opened;
  if (progress.empty()) return start_anew();
  auto decoded = decode_mysql_progress(progress);
  if (!decoded) return decoded.status();
  progress_ = std::move(*decoded);
  return catch_up();
}

// The id is stored with the first epoch; the target gets it after that, so a start that comes to nothing leaves none.
Status MysqlSink::start_anew() {
  auto id = target_->new_state_id();
  if (!id) return id.status();
  progress_.state = std::move(*id);
  return catch_up();
}

// What the last epoch left undone.
Status MysqlSink::catch_up() {
  at_hand_ = !progress_.outbox.empty();
  if (at_hand_) {
    if (Status restored = rows_.restore(progress_.outbox); !restored) return restored;
  }
  unsettled_ = true;
  may_refuse_ = false;
  if (Status done = committed(); !done) return done;
  progress_.outbox.clear();
  return {};
}

Status MysqlSink::write(const Batch& rows, uint32_t row) {
  ++written_;
  return rows_.put(rows, row);
}

Result<std::string> MysqlSink::flush(uint64_t epoch) {
  if (rows_.size() == 0) {
    progress_.outbox.clear();
    return encode(progress_);
  }
  if (Status passed = fail_point("mysql_before_write"); !passed) return passed;
  const MysqlProgress before = progress_;
  progress_.previous = before.epoch;
  progress_.epoch = epoch;
  may_refuse_ = true;
  at_hand_ = true;
  if (Status wrote = write_transaction(); !wrote) {
    progress_ = before;
    return wrote;
  }
  progress_.outbox = rows_.encode(refused_);
  progress_.rows += std::exchange(written_, 0);
  unsettled_ = true;
  if (Status passed = fail_point("mysql_after_write"); !passed) return passed;
  return encode(progress_);
}

Status MysqlSink::committed() {
  if (!unsettled_) return {};
  may_refuse_ = false;
  if (Status passed = fail_point("mysql_before_commit"); !passed) return passed;
  if (!held_) {  // a crash, or an attempt before this one: what became of it is not known
    if (Status wrote = write_transaction(); !wrote) return wrote;
  }
  if (held_) {
    const TargetOutcome done = target_->commit();
    if (!done.is_ok()) return failed(done);
  }
  settle();
  return fail_point("mysql_after_commit");
}

void MysqlSink::settle() {
  held_ = false;
  unsettled_ = false;
  at_hand_ = false;
  rows_.clear();
  refused_.clear();
  reasons_.clear();
}

// Leaves the transaction open where there is something to commit.
Status MysqlSink::write_transaction() {
  if (const TargetOutcome begun = target_->begin(); !begun.is_ok()) return failed(begun);
  std::optional<TargetEpoch> stored;
  if (const TargetOutcome read = target_->read_epoch(stored); !read.is_ok()) return failed(read);
  auto needed = must_write(progress_, at_hand_, stored, target_->describe_epoch());
  if (!needed || !*needed) {
    target_->abandon();
    return needed.status();
  }
  if (may_refuse_) {
    refused_.clear();
    reasons_.clear();
  }
  if (Status wrote = write_rows(); !wrote) return wrote;
  const TargetOutcome marked = target_->write_epoch({progress_.state, progress_.epoch});
  if (!marked.is_ok()) return failed(marked);
  held_ = true;
  return {};
}

// Removals first: a row that takes over a value of one that goes must not meet it.
Status MysqlSink::write_rows() {
  std::vector<uint32_t> order;
  order.reserve(rows_.size());
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (may_refuse_ || !std::binary_search(refused_.begin(), refused_.end(), i)) order.push_back(i);
  }
  const auto upserts =
      std::stable_partition(order.begin(), order.end(), [this](uint32_t i) { return rows_.is_removal(i); });
  const std::span<const uint32_t> all(order);
  const auto removals = static_cast<size_t>(upserts - order.begin());
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min<size_t>(begin + options_.batch_rows, begin < removals ? removals : all.size());
    if (Status wrote = write_some(all.subspan(begin, end - begin)); !wrote) return wrote;
    begin = end;
  }
  if (!may_refuse_ || refused_.empty()) return {};
  std::vector<std::pair<uint32_t, std::string>> sorted;
  for (size_t i = 0; i < refused_.size(); ++i) sorted.emplace_back(refused_[i], std::move(reasons_[i]));
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) std::tie(refused_[i], reasons_[i]) = std::move(sorted[i]);
  return {};
}

Status MysqlSink::write_some(std::span<const uint32_t> indexes) {
  TargetOutcome outcome = target_->write(rows_, indexes);
  switch (outcome.kind) {
    case Kind::ok:
      return {};
    case Kind::failed:
      return failed(outcome);
    case Kind::refused:
    case Kind::too_much:
      break;
  }
  if (indexes.size() == 1) return refuse(indexes.front(), std::move(outcome.text));
  const size_t half = indexes.size() / 2;
  if (Status first = write_some(indexes.first(half)); !first) return first;
  return write_some(indexes.subspan(half));
}

Status MysqlSink::refuse(uint32_t index, std::string reason) {
  if (may_refuse_ && options_.set_aside) {
    refused_.push_back(index);
    reasons_.push_back(std::move(reason));
    return {};
  }
  target_->abandon();
  std::string text = fmt::format("table {} refuses the result with {}: {}", options_.table, key_text(index), reason);
  if (may_refuse_) {
    text += "; change the table or the job, or keep such results apart with on_reject = \"set_aside\"";
  } else {
    text += "; it took the row before: undo what was changed of the table";
  }
  return {Code::data, std::move(text)};
}

std::string MysqlSink::key_text(uint32_t index) const {
  const BatchRef batch = rows_.batch_of(index);
  std::string out;
  for (const uint32_t column : key_) {
    out += fmt::format("{}{} = ", out.empty() ? "" : ", ", batch->layout().columns[column].name);
    if (batch->column(column).is_valid(rows_.row_of(index))) {
      append_cell_text(*batch, column, rows_.row_of(index), out);
    } else {
      out += "NULL";
    }
  }
  return out;
}

Status MysqlSink::failed(const TargetOutcome& outcome) {
  held_ = false;
  target_->abandon();
  return Status(Code::io, outcome.text).set_retryable();
}

std::vector<RefusedResult> MysqlSink::take_refused() {
  std::vector<RefusedResult> out;
  for (size_t i = 0; i < reasons_.size(); ++i) {
    out.push_back({rows_.batch_of(refused_[i]), rows_.row_of(refused_[i]), std::move(reasons_[i])});
  }
  reasons_.clear();  // refused_ still says what committed() leaves out
  return out;
}

}  // namespace

std::unique_ptr<Sink> make_mysql_sink(const MysqlSinkOptions& options) {
  return make_mysql_sink(
      options, make_mysql_table(options.login, options.table, options.job, options.sink, options.batch_bytes));
}

std::unique_ptr<Sink> make_mysql_sink(const MysqlSinkOptions& options, std::unique_ptr<MysqlTarget> target) {
  return std::make_unique<MysqlSink>(options, std::move(target));
}

}  // namespace tidemark::core
