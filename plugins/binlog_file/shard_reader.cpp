// SPDX-License-Identifier: Apache-2.0
// See the header. The order of things at a file's end: look for a later file; look at this one once more after the
// later one was seen, as a server may write its last bytes between two looks of ours; look whether the path still names
// this file, as copies are replaced by longer ones. A file that a ROTATE or STOP ended is done. One without was cut by
// the server's crash, or in copying: the later file tells which, as the first after a server start has its `created`
// time.
// Thread: one at a time.
#include "binlog_file/shard_reader.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "binlog/ascii_text.hpp"
#include "binlog_file/read_error.hpp"

namespace tidemark::binlog_file {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(20);
/// Items that gave no rows before a poll looks at the time.
constexpr uint32_t kItemsPerLook = 64;
constexpr auto kPollTime = std::chrono::milliseconds(1);
constexpr int64_t kMicrosPerSecond = 1'000'000;

/// 0 where it cannot be told; opening the file says why.
uint64_t file_size(const std::string& path) {
  std::error_code code;
  const uintmax_t size = std::filesystem::file_size(path, code);
  return code ? 0 : size;
}

}  // namespace

ShardReader::ShardReader(const Split& split, const ReadOptions& options, const TableFilter& filter,
                         const std::vector<WantedColumn>& wanted, Host host)
    : shard_(shard_of(split.id)),
      number_(split.number),
      options_(options),
      limit_(options.read_limit),
      filter_(filter),
      host_(host),
      programs_(filter, wanted, options.key) {
  const std::vector<std::string> files = log_files(shard_);
  if (split.position.empty()) {
    at_.file = files.front();
    tracker_ = *options.declared;
  } else {
    at_ = decode_position(split.position);
    if (!tracker_.deserialise(at_.schemas)) {
      fail(SourceError("the stored position is damaged: its schemas cannot be read", split.id).kind(ErrorKind::state));
    }
    at_.schemas.clear();
    if (!at_.prepared.empty() && !prepared_.deserialise(at_.prepared)) {
      fail(SourceError("the stored position is damaged: its prepared XA transactions cannot be read", split.id)
               .kind(ErrorKind::state));
    }
    at_.prepared.clear();
    tracker_.adopt_base(*options.declared);
  }
  for (const std::string& file : files) {
    if (file == at_.file) bytes_before_ = bytes_total_;
    bytes_total_ += file_size(shard_.path_of(file));
  }
}

uint64_t ShardReader::bytes_read() const {
  return bytes_before_ + std::max(at_.offset, !reader_ ? 0 : closed_ ? item_.next_position : item_.position);
}

bool ShardReader::open_file() {
  auto opened =
      binlog::TransactionReader::open(shard_.path_of(at_.file), at_.offset, &prepared_, options_.keyring_file);
  if (!opened) {
    if (opened.error().kind == binlog::ErrorKind::torn_tail && at_.offset == 0) return false;
    raise(opened.error());
  }
  reader_.emplace(std::move(opened).value());
  programs_.clear();
  next_file_seen_ = false;
  check_identity();
  if (at_.offset == 0 && reader_->format().created_s != 0) tracker_.forget_temporary_tables();
  return true;
}

void ShardReader::close_file() {
  reader_.reset();
  next_file_seen_ = false;
  closed_ = false;
  rotates_to_.clear();
}

/// A file of the same name with another first event is another file: RESET, or a restored server.
void ShardReader::check_identity() {
  const binlog::EventHeader& header = reader_->file().format_header();
  const bool known = at_.file_timestamp_s != 0 || at_.file_server_id != 0;
  if (known && (at_.file_timestamp_s != header.timestamp_s || at_.file_server_id != header.server_id)) {
    fail(SourceError("the file is not the one that reading stopped in: its first event differs",
                     shard_.path_of(at_.file), "restore the old files, or start without the stored state")
             .kind(ErrorKind::state));
  }
  at_.file_timestamp_s = header.timestamp_s;
  at_.file_server_id = header.server_id;
}

Status ShardReader::read(ReaderOutput& output, SteadyTime now) {
  if (now < look_again_) return Status::nothing;
  const uint32_t allowance = limit_.allowance(now);
  if (allowance < 2) return Status::nothing;  // an update takes two rows at once
  BatchFill fill(output, number_, allowance, at_.sequence);
  const auto spend = [&] { limit_.spend(fill.rows()); };
  for (uint32_t items = 1;; ++items) {
    if (table_ != nullptr) {
      auto result = fill.fill(*table_, item_.rows, cursor_, row_context());
      at_.images = cursor_.rows_done;
      if (!result) raise_here(result.error());
      if (*result != BatchFill::Result::event_done) {
        spend();
        return Status::more;
      }
      table_ = nullptr;
      at_.row_event = next_row_event_;
      at_.images = 0;
    }
    while (!unread_.empty()) {
      auto result = fill.fill_unread(unread_.front(), row_context());
      if (!result) raise_here(result.error());
      const bool done = *result == BatchFill::Result::event_done || *result == BatchFill::Result::turn_over;
      if (done) {
        at_.row_event = unread_.front().number + 1;
        unread_.pop_front();
      }
      if (*result != BatchFill::Result::event_done) {
        spend();
        return Status::more;
      }
    }
    const std::optional<Step> step = next_item();
    if (!step) {
      take_item(fill);
    } else if (*step != Step::go_on) {
      spend();
      if (*step == Step::wait) look_again_ = now + kLookAgain;
      return *step == Step::end ? Status::end : fill.rows() > 0 ? Status::more : Status::nothing;
    }
    if (items % kItemsPerLook == 0 && std::chrono::steady_clock::now() - now > kPollTime) {
      spend();
      return Status::more;
    }
  }
}

RowContext ShardReader::row_context() const {
  return {&reader_->group(), at_.file, reader_->file().path(), item_.position, event_time_us()};
}

int64_t ShardReader::event_time_us() const {
  if (!options_.header_time) return reader_->group().commit_time_us;
  return item_.header.timestamp_s == 0 ? TIDEMARK_NO_TIME : int64_t{item_.header.timestamp_s} * kMicrosPerSecond;
}

// Said once each, counted always.
void ShardReader::note_header_time() {
  const uint32_t time = item_.header.timestamp_s;
  const bool backward = time != 0 && time < latest_header_s_;
  const uint32_t before = std::exchange(latest_header_s_, std::max(latest_header_s_, time));
  if (time != 0 && !backward) return;
  const std::string metric = backward ? "header_times_backward" : "header_times_absent";
  if (count(metric) > 1) return;
  const std::string what =
      backward ? std::to_string(time) + " s, after " + std::to_string(before) + " s: the header times go back"
               : "the header time is 0: the rows of this event have no event time";
  host_.log(LogLevel::warning,
            shard_.path_of(at_.file) + ":" + std::to_string(item_.position) + ": " + what +
                " (SET TIMESTAMP, merged replicas and tools that write binlogs do that); take a column of the rows as "
                "event time instead, field = \"<column>\". Further ones are counted as " +
                metric);
}

std::optional<ShardReader::Step> ShardReader::next_item() {
  if (!reader_ && !open_file()) return at_file_end(true);
  auto state = reader_->next(item_);
  if (!state) raise_here(state.error());
  if (*state == binlog::ReadState::ready) {
    next_file_seen_ = false;
    return std::nullopt;
  }
  return at_file_end(*state == binlog::ReadState::incomplete);
}

ShardReader::Step ShardReader::at_file_end(bool incomplete) {
  const bool goes_on = shard_.only_file.empty() || options_.follow;
  const std::optional<std::string> next = goes_on ? next_log_file(shard_, at_.file) : std::nullopt;
  if (next && !next_file_seen_) {
    next_file_seen_ = true;
    return Step::go_on;  // look once more
  }
  if ((next || options_.follow) && !file_is_still_there(next.has_value())) return Step::go_on;
  check_next_name(next);
  if (next) return closed_ || pass_over_end(*next, incomplete) ? go_to(*next) : Step::wait;
  if (options_.follow) return Step::wait;
  if (incomplete && reader_ && !reader_->format().in_use) raise(reader_->incomplete_error());
  if (incomplete) {
    notice("open_tails", tail_text() + "; it is left out: the server was still writing when the file was taken");
  }
  report_counters();
  if (!prepared_.empty()) notice("unfinished_xa", shard_.id + ": " + prepared_.pending_text());
  return Step::end;
}

std::string ShardReader::tail_text() const {
  return reader_ ? reader_->incomplete_error().to_string() : shard_.path_of(at_.file) + ": the file has no head yet";
}

bool ShardReader::file_is_still_there(bool has_next) {
  if (!reader_) return true;  // it is opened anew at each look
  const auto now = reader_->file().path_now();
  if (!now) raise(now.error());
  if (*now == binlog::PathNow::other) {
    close_file();
    return false;
  }
  if (*now == binlog::PathNow::gone && !(has_next && closed_)) {
    fail(SourceError("the file was removed before its end was read: no ROTATE or STOP event was in it",
                     shard_.path_of(at_.file), "put it back, and the files that follow it")
             .kind(ErrorKind::state));
  }
  return true;
}

bool ShardReader::pass_over_end(const std::string& next, bool incomplete) {
  const auto after = binlog::FileReader::open(shard_.path_of(next), options_.keyring_file);
  if (!after && after.error().kind != binlog::ErrorKind::torn_tail) raise(after.error());
  if (!after && options_.follow) return false;  // its head comes
  const bool server_started = after && after->format().created_s != 0;
  // A start after a crash cuts a torn group off before it clears the flag.
  const bool in_use = !reader_ || reader_->format().in_use;
  if (!server_started || (incomplete && !in_use)) {
    raise({binlog::ErrorKind::torn_tail,
           std::string(incomplete ? "the file ends inside the group that starts here" : "the file ends here") +
               " without a ROTATE or STOP event, but " + next + " follows it" +
               (server_started ? ""
                : after        ? " without a server start in between"
                               : ", which has no head yet") +
               ": the copy was cut",
           shard_.path_of(at_.file), at_.offset, "copy the file again from the server"});
  }
  if (incomplete) {
    notice("crash_tails",
           tail_text() + "; it is skipped, as " + next + " follows: the server stopped while writing it");
  } else {
    notice("unclosed_files", shard_.path_of(at_.file) + ":" + std::to_string(at_.offset) +
                                 ": the file ends without a ROTATE or STOP event; " + next +
                                 " is of a new server start, so this is taken for the end at a crash");
  }
  return true;
}

void ShardReader::check_next_name(const std::optional<std::string>& next) {
  if (rotates_to_.empty()) return;
  if (next ? same_log(*next, rotates_to_) : !options_.follow || is_next_log(at_.file, rotates_to_)) return;
  fail(SourceError("the server went on in " + rotates_to_ + ", as the ROTATE event at the file's end says, but " +
                       (next ? *next + " is the file that follows here" : "no file of that name can follow this one"),
                   shard_.path_of(at_.file), "keep the files under the server's names, and one server's per directory")
           .kind(ErrorKind::data));
}

ShardReader::Step ShardReader::go_to(std::string file) {
  bytes_before_ += file_size(shard_.path_of(at_.file));
  item_.position = 0;
  item_.next_position = 0;
  at_.file = std::move(file);
  at_.offset = 0;
  at_.row_event = 0;
  at_.images = 0;
  at_.file_timestamp_s = 0;
  at_.file_server_id = 0;
  report_counters();
  close_file();
  return Step::go_on;
}

void ShardReader::take_item(BatchFill& fill) {
  using binlog::ItemKind;
  switch (item_.kind) {
    case ItemKind::begin:
      next_row_event_ = 0;
      return;
    case ItemKind::rows:
      return start_rows();
    case ItemKind::statement:
    case ItemKind::statement_change:
      return take_statement();
    case ItemKind::end:
      end_group();
      fill.end_group();
      return;
    case ItemKind::rotate:
      rotates_to_ = item_.next_file.substr(item_.next_file.rfind('/') + 1);
      [[fallthrough]];
    case ItemKind::stop:
      closed_ = true;  // the position stays before it: a restart reads it again
      return;
  }
}

void ShardReader::end_group() {
  at_.offset = item_.next_position;
  at_.row_event = 0;
  at_.images = 0;
  schemas_at_start_.reset();
  if (const auto text = reader_->xa_notice()) notice("unknown_xids", *text);
  if (const uint64_t withheld = reader_->group().row_events_withheld; withheld > 0) {
    row_events_rolled_back_ += withheld;
    host_.metric("row_events_rolled_back", static_cast<double>(row_events_rolled_back_));
  }
}

void ShardReader::start_rows() {
  const uint64_t index = next_row_event_++;
  if (index < at_.row_event) return;  // submitted before the restart
  auto found = programs_.find(item_.table, tracker_);
  if (!found) raise_here(found.error());
  if (const std::string missing = programs_.take_missing(); !missing.empty()) {
    host_.log(LogLevel::warning, shard_.path_of(at_.file) + ":" + std::to_string(item_.position) + ": " + missing +
                                     ", which the job reads: it is NULL there, also in other tables like this");
  }
  cursor_ = {};
  if (!(*found)->program) {
    at_.row_event = next_row_event_;
    at_.images = 0;
    return;
  }
  if (item_.rows.rows.empty()) return set_aside_empty_images();
  table_ = *found;
  if (options_.header_time) note_header_time();
  if (at_.images > 0) {
    auto skipped = table_->program->skip(item_.rows, cursor_, at_.images);
    if (!skipped) raise_here(skipped.error());
    if (*skipped != at_.images) {
      fail(SourceError("the transaction has fewer rows than were read of it before", shard_.path_of(at_.file),
                       "the file was changed; start without the stored state")
               .kind(ErrorKind::state));
    }
  }
}

void ShardReader::notice(const std::string& metric, const std::string& message) {
  host_.log(LogLevel::warning, message);
  count(metric);
}

uint64_t ShardReader::count(const std::string& metric) {
  const uint64_t counted = ++notices_[metric];
  host_.metric(metric, static_cast<double>(counted));
  return counted;
}

/// Once per file: dates that no calendar has are NULL in the rows, bytes that belong to no character are U+FFFD.
void ShardReader::report_counters() {
  const binlog::RowCounters now = programs_.counters();
  const auto report = [&](const char* metric, uint64_t count, uint64_t before, const char* text) {
    if (count == before) return;
    host_.log(LogLevel::warning, shard_.path_of(at_.file) + ": " + std::to_string(count - before) + text);
    host_.metric(metric, static_cast<double>(count));
  };
  report("zero_dates", now.zero_dates, reported_.zero_dates, " zero or impossible dates were taken as NULL");
  report("invalid_text", now.invalid_text, reported_.invalid_text,
         " texts have bytes that belong to no character of their charset: U+FFFD stands for each");
  reported_ = now;
}

void ShardReader::raise_here(const binlog::DecodeError& error) {
  raise(reader_ ? located(error, reader_->file().path(), item_.position) : error);
}

const std::string& ShardReader::schema_bytes() {
  if (schema_revision_ != tracker_.revision()) {
    schema_bytes_.clear();
    tracker_.serialise(schema_bytes_);
    schema_revision_ = tracker_.revision();
  }
  return schema_bytes_;
}

std::string ShardReader::position() {
  SplitPosition position = at_;
  position.schemas = schemas_at_start_ ? *schemas_at_start_ : schema_bytes();
  prepared_.serialise(position.prepared);
  return encode_position(position);
}

}  // namespace tidemark::binlog_file
