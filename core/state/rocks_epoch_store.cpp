// SPDX-License-Identifier: Apache-2.0
//
// EpochStore on RocksDB: one database, one column family per Family, one writer, and one synced WriteBatch (one
// record of the write-ahead log) per epoch. No RocksDB name leaves this file.
// Two small files beside RocksDB's own guard against silent loss. CREATING stands while the database is being made,
// so that a folder that has database files but no CURRENT is recognised as damaged instead of being started
// anew. COMMITTED holds the last acknowledged sequence number: point-in-time recovery drops what follows a
// damaged log record, and this is how that is noticed. It is written after the log without a sync, so it is never
// ahead of it. After a failed write the store refuses everything: what is in it is known only after reopening.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>
#include <rocksdb/write_buffer_manager.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/fail_point.hpp"
#include "core/base/files.hpp"
#include "core/base/folders.hpp"
#include "core/base/log.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {
namespace {

constexpr char kCreating[] = "CREATING";
constexpr char kCommitted[] = "COMMITTED";
constexpr size_t kOperatorBytes = 2;                   // of a pane's key
constexpr uint64_t kReclaimBytes = uint64_t{4} << 20;  // less comes back by itself
constexpr char kStartOver[] =
    "restore a checkpoint (tidemark checkpoint restore) or a copy of the folder, or start over with an empty state "
    "path";

rocksdb::Slice to_slice(std::string_view bytes) {
  return bytes.empty() ? rocksdb::Slice() : rocksdb::Slice(bytes.data(), bytes.size());  // never a null pointer
}
std::string_view to_view(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

// RocksDB's status in our words: cause, path, remedy. Its text names the file where there is one.
Status state_error(const char* what, const std::string& path, const rocksdb::Status& status) {
  const std::string text = status.ToString();
  const std::string head = std::string("cannot ") + what + " the state in " + path + ": ";
  const auto contains = [&text](const char* part) { return text.find(part) != std::string::npos; };
  if (status.IsNoSpace() || contains("No space left") || contains("Disk quota")) {
    return Status(Code::io, head + text + full_disk_remedy(path)).set_retryable();
  }
  if (contains("ermission denied") || contains("Read-only file system")) {
    return {Code::io, head + text + "; check owner and mode of the folder and its files"};
  }
  // TryAgain: of a reader beside a writer, when the MANIFEST that CURRENT names is not there, also after retries.
  if (status.IsCorruption() || status.IsTryAgain() || contains("No such file") || contains("Column family not found")) {
    return {Code::damage, head + text + "; it is damaged or incomplete: " + kStartOver};
  }
  if (contains("lock ")) {
    return {Code::state, head + text + "; another process has it open: stop it, or give this job another state path"};
  }
  if (status.IsInvalidArgument() || status.IsNotSupported()) {
    return {Code::state, head + text + "; it was written by another version: use the program that wrote it"};
  }
  return {Code::io, head + text};
}

/// RocksDB's own messages. It writes no log file of its own: a reader must not, and on a full disk builds with
/// assertions, as Debian's, abort where that file cannot be written.
class ForwardingLogger final : public rocksdb::Logger {
 public:
  ForwardingLogger() : rocksdb::Logger(rocksdb::InfoLogLevel::ERROR_LEVEL) {}
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    std::array<char, 512> line{};
    vsnprintf(line.data(), line.size(), format, arguments);
    log_debug(line.data());
  }
};

struct FolderFiles {
  bool any_database_file = false;
  bool current = false;
  bool creating = false;
};

bool is_database_file(const std::string& name) {
  const bool numbered = !name.empty() && name[0] >= '0' && name[0] <= '9';
  return name.starts_with("MANIFEST-") || (numbered && (name.ends_with(".sst") || name.ends_with(".log")));
}

FolderFiles look_at(rocksdb::Env& env, const std::string& path) {
  FolderFiles out;
  std::vector<std::string> names;
  if (!env.GetChildren(path, &names).ok()) return out;
  for (const std::string& name : names) {
    out.any_database_file = out.any_database_file || is_database_file(name);
    out.current = out.current || name == "CURRENT";
    out.creating = out.creating || name == kCreating;
  }
  return out;
}

rocksdb::Status sync_folder(rocksdb::Env& env, const std::string& path) {
  std::unique_ptr<rocksdb::Directory> folder;
  rocksdb::Status status = env.NewDirectory(path, &folder);
  return status.ok() ? folder->Fsync() : status;
}

rocksdb::Status begin_creation(rocksdb::Env& env, const std::string& path) {
  rocksdb::Status status = rocksdb::WriteStringToFile(&env, "being created\n", path + "/" + kCreating, true);
  return status.ok() ? sync_folder(env, path) : status;
}

rocksdb::Status end_creation(rocksdb::Env& env, const std::string& path) {
  rocksdb::Status status = env.DeleteFile(path + "/" + kCreating);
  return status.ok() ? sync_folder(env, path) : status;
}

/// The COMMITTED file: magic, sequence number, CRC.
class CommittedMark {
 public:
  static constexpr uint32_t kMagic = 0x434d4454;  // "TDMC"

  /// The sequence number in it; 0 when it is absent or torn.
  static uint64_t read(rocksdb::Env& env, const std::string& path) {
    std::string bytes;
    if (!rocksdb::ReadFileToString(&env, path + "/" + kCommitted, &bytes).ok()) return 0;
    ByteReader reader(bytes);
    const auto magic = reader.fixed<uint32_t>();
    const auto sequence = reader.fixed<uint64_t>();
    const auto sum = reader.fixed<uint32_t>();
    const bool good = reader.ok() && magic == kMagic && sum == crc32(std::string_view(bytes).substr(0, 12));
    return good ? sequence : 0;
  }

  rocksdb::Status open(rocksdb::Env& env, const std::string& path) {
    const std::string name = path + "/" + kCommitted;
    if (!env.FileExists(name).ok()) {
      rocksdb::Status made = rocksdb::WriteStringToFile(&env, "", name, true);
      if (!made.ok()) return made;
    }
    return env.NewRandomRWFile(name, &file_, rocksdb::EnvOptions());
  }

  rocksdb::Status write(uint64_t sequence) { return file_->Write(0, content(sequence)); }

  /// The file of a copy, synced.
  static rocksdb::Status make(rocksdb::Env& env, const std::string& path, uint64_t sequence) {
    return rocksdb::WriteStringToFile(&env, content(sequence), path + "/" + kCommitted, true);
  }

 private:
  static std::string content(uint64_t sequence) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(kMagic);
    writer.fixed(sequence);
    writer.fixed(crc32(bytes));
    return bytes;
  }

  std::unique_ptr<rocksdb::RandomRWFile> file_;
};

class RocksEpochStore final : public EpochStore {
 public:
  static Result<std::unique_ptr<EpochStore>> open(const std::string& path, const RocksOptions& options) {
    auto store = std::make_unique<RocksEpochStore>(path, options);
    const Status opened = options.read_only ? store->open_reading() : store->open_writing();
    if (!opened) return opened;
    return std::unique_ptr<EpochStore>(std::move(store));
  }

  /// Not open yet; use open().
  RocksEpochStore(std::string path, const RocksOptions& options)
      : path_(std::move(path)),
        options_(options),
        cache_(rocksdb::NewLRUCache(options.memory_bytes)),
        env_(*rocksdb::Env::Default()) {}
  ~RocksEpochStore() override { close(); }

  Status commit(const EpochWrites& writes) override;
  Status write_ahead(const EpochWrites& writes) override;
  Status reclaim(std::atomic<bool>& stop) override;
  Status link_copy(const std::filesystem::path& path) override;
  Result<std::optional<std::string>> get(Family family, std::string_view key) override;
  Status scan_from(Family family, std::string_view prefix, std::string_view begin, const Visit& visit) override;

 private:
  Status open_writing();
  Status open_reading();
  Status check_files(const FolderFiles& found) const;
  Status check_committed(uint64_t acknowledged);
  void close();
  Status writable();
  Status fail(const Status& status);
  void note_dropped(const EpochWrites::Write& range);
  Status write(const EpochWrites& writes, bool sync, uint64_t* sequence);
  rocksdb::DBOptions database_options() const;
  std::vector<rocksdb::ColumnFamilyDescriptor> families(size_t count = kFamilies) const;
  size_t families_there(const FolderFiles& found) const;
  rocksdb::ColumnFamilyHandle* handle(Family family) const { return handles_[static_cast<size_t>(family) + 1]; }

  std::string path_;
  RocksOptions options_;
  std::shared_ptr<rocksdb::Cache> cache_;
  rocksdb::Env& env_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // "default" first (unused), then Family by number
  CommittedMark mark_;
  /// What was dropped and not reclaimed, by family and operator: one range, since panes go from the first on.
  using DroppedId = std::pair<Family, std::string>;
  using KeyRange = std::pair<std::string, std::string>;
  std::mutex dropped_mutex_;
  std::map<DroppedId, KeyRange> dropped_;
  std::mutex failed_mutex_;
  Status failed_;
};

rocksdb::DBOptions RocksEpochStore::database_options() const {
  rocksdb::DBOptions out;
  out.write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(options_.memory_bytes / 2, cache_);
  out.allow_concurrent_memtable_write = false;  // few writers, of large values
  out.paranoid_checks = true;
  out.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  out.track_and_verify_wals_in_manifest = true;
  out.max_total_wal_size = std::max<uint64_t>(options_.memory_bytes / 2, 32ULL << 20);
  out.max_background_jobs = 2;
  out.max_open_files = 256;
  out.info_log = std::make_shared<ForwardingLogger>();
  out.stats_dump_period_sec = 0;
  out.stats_persist_period_sec = 0;
  out.max_bgerror_resume_count = 0;  // after a failed commit nothing more is written
  return out;
}

std::vector<rocksdb::ColumnFamilyDescriptor> RocksEpochStore::families(size_t count) const {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache_;
  table.cache_index_and_filter_blocks = true;
  table.block_size = uint64_t{32} * 1024;  // values are pages of some KiB, read in order
  table.format_version = 5;
  rocksdb::ColumnFamilyOptions common;
  common.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  common.compression = rocksdb::kLZ4Compression;
  common.write_buffer_size = std::clamp<size_t>(options_.memory_bytes / 8, 1 << 20, 64 << 20);
  std::vector<rocksdb::ColumnFamilyDescriptor> out;
  out.emplace_back(rocksdb::kDefaultColumnFamilyName, common);
  for (size_t i = 0; i < count; ++i) {
    const auto family = static_cast<Family>(i);
    rocksdb::ColumnFamilyOptions own = common;
    if (family == Family::rows) {  // small values, looked up one by one
      rocksdb::BlockBasedTableOptions single = table;
      single.block_size = uint64_t{8} * 1024;
      single.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
      own.table_factory.reset(rocksdb::NewBlockBasedTableFactory(single));
    }
    const bool kept_long = family == Family::closed || family == Family::late;
    if (kept_long) own.bottommost_compression = rocksdb::kZSTD;
    out.emplace_back(family_name(family), own);
  }
  return out;
}

Status RocksEpochStore::check_files(const FolderFiles& found) const {
  if (found.current || !found.any_database_file || found.creating) return {};
  return {Code::damage, "the state in " + path_ + " is damaged: its CURRENT file is missing although database files " +
                            "are there; " + kStartOver};
}

/// All, or all but the one that came last, which states of earlier versions lack.
size_t RocksEpochStore::families_there(const FolderFiles& found) const {
  std::vector<std::string> names;
  if (!found.current || !rocksdb::DB::ListColumnFamilies(database_options(), path_, &names).ok()) return kFamilies;
  const bool lacks_rows = std::find(names.begin(), names.end(), family_name(Family::rows)) == names.end();
  return lacks_rows && names.size() == kFamilies ? kFamilies - 1 : kFamilies;  // with "default"
}

Status RocksEpochStore::open_writing() {
  const FolderFiles found = look_at(env_, path_);
  if (Status checked = check_files(found); !checked) return checked;
  rocksdb::DBOptions options = database_options();
  // Once the database is complete, a family that it lacks was lost, and would begin empty.
  options.create_missing_column_families = !found.current || found.creating || families_there(found) < kFamilies;
  if (!found.current) {
    if (Status made = make_directories(path_); !made) return made;
    options.create_if_missing = true;
    if (auto begun = begin_creation(env_, path_); !begun.ok()) return state_error("create", path_, begun);
  }
  const uint64_t acknowledged = CommittedMark::read(env_, path_);
  rocksdb::DB* db = nullptr;
  if (auto opened = rocksdb::DB::Open(options, path_, families(), &handles_, &db); !opened.ok()) {
    return state_error("open", path_, opened);
  }
  db_.reset(db);
  if (!found.current || found.creating) {
    if (auto ended = end_creation(env_, path_); !ended.ok()) return state_error("create", path_, ended);
  }
  if (Status checked = check_committed(acknowledged); !checked) return checked;
  if (auto opened = mark_.open(env_, path_); !opened.ok()) return state_error("open", path_, opened);
  return {};
}

// A secondary instance reads beside a running writer without its lock. Files may be switched while it opens, so
// it tries again before it believes that something is wrong.
Status RocksEpochStore::open_reading() {
  const FolderFiles found = look_at(env_, path_);
  if (Status checked = check_files(found); !checked) return checked;
  if (!found.current) {
    return {Code::state, "there is no state in " + path_ + " yet; run the job first, or check its state path"};
  }
  Status last;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const uint64_t acknowledged = CommittedMark::read(env_, path_);
    rocksdb::DBOptions options = database_options();
    options.max_open_files = -1;
    rocksdb::DB* db = nullptr;
    const auto opened =
        rocksdb::DB::OpenAsSecondary(options, path_, path_, families(families_there(found)), &handles_, &db);
    if (!opened.ok()) {
      last = state_error("read", path_, opened);
      continue;
    }
    db_.reset(db);
    last = check_committed(acknowledged);
    if (last) return last;
    close();
  }
  return last;
}

Status RocksEpochStore::check_committed(uint64_t acknowledged) {
  if (db_->GetLatestSequenceNumber() >= acknowledged) return {};
  return {Code::damage, "the state in " + path_ + " lacks committed epochs: its write-ahead log ends at entry " +
                            std::to_string(db_->GetLatestSequenceNumber()) + " of " + std::to_string(acknowledged) +
                            ", so the log is damaged; " + kStartOver +
                            "; or go on from the last intact epoch by removing " + path_ + "/" + kCommitted};
}

void RocksEpochStore::close() {
  if (!db_) return;
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    if (auto gone = db_->DestroyColumnFamilyHandle(handle); !gone.ok()) log_debug(gone.ToString());
  }
  handles_.clear();
  if (auto closed = db_->Close(); !closed.ok()) log_debug(closed.ToString());
  db_.reset();
}

Status RocksEpochStore::writable() {
  if (options_.read_only) return {Code::internal, "the state in " + path_ + " is open for reading only"};
  const std::lock_guard lock(failed_mutex_);
  return failed_;
}

// The first failure stands.
Status RocksEpochStore::fail(const Status& status) {
  const std::lock_guard lock(failed_mutex_);
  if (failed_) failed_ = status;
  return status;
}

// `sequence`: a number of the log at or before the end of these writes, whoever writes at the same time.
Status RocksEpochStore::write(const EpochWrites& writes, bool sync, uint64_t* sequence) {
  rocksdb::WriteBatch batch(writes.bytes() + writes.writes().size() * 16);
  for (const EpochWrites::Write& one : writes.writes()) {
    rocksdb::ColumnFamilyHandle* family = handle(one.family);
    rocksdb::Status added;
    switch (one.kind) {
      case EpochWrites::Write::Kind::put:
        added = batch.Put(family, to_slice(one.key), to_slice(one.value));
        break;
      case EpochWrites::Write::Kind::remove:
        added = batch.Delete(family, to_slice(one.key));
        break;
      case EpochWrites::Write::Kind::drop_range:
        note_dropped(one);
        [[fallthrough]];
      case EpochWrites::Write::Kind::remove_range:
        added = batch.DeleteRange(family, to_slice(one.key), to_slice(one.value));
        break;
    }
    if (!added.ok()) return state_error("write", path_, added);
  }
  *sequence = db_->GetLatestSequenceNumber() + batch.Count();
  rocksdb::WriteOptions options;
  options.sync = sync;
  const auto written = db_->Write(options, &batch);
  return written.ok() ? Status() : state_error("write", path_, written);
}

Status RocksEpochStore::commit(const EpochWrites& writes) {
  if (Status good = writable(); !good) return good;
  if (Status before = fail_point("epoch_before_write"); !before) return fail(before);
  uint64_t sequence = 0;
  if (Status written = write(writes, true, &sequence); !written) return fail(written);
  if (auto marked = mark_.write(sequence); !marked.ok()) return fail(state_error("write", path_, marked));
  Status after = fail_point("epoch_after_write");
  return after ? after : fail(after);
}

Status RocksEpochStore::write_ahead(const EpochWrites& writes) {
  if (Status good = writable(); !good) return good;
  uint64_t sequence = 0;
  Status written = write(writes, false, &sequence);
  return written ? written : fail(written);
}

void RocksEpochStore::note_dropped(const EpochWrites::Write& range) {
  const std::lock_guard lock(dropped_mutex_);
  KeyRange& known = dropped_[{range.family, range.key.substr(0, kOperatorBytes)}];
  if (known.first.empty() || range.key < known.first) known.first = range.key;
  if (range.value > known.second) known.second = range.value;
}

// RocksDB takes dropped pages out of its files when it rewrites them anyway, which a job with little to write may wait
// long for.
Status RocksEpochStore::reclaim(std::atomic<bool>& stop) {
  std::map<DroppedId, KeyRange> all;
  {
    const std::lock_guard lock(dropped_mutex_);
    all = dropped_;
  }
  for (const auto& [id, range] : all) {
    if (stop) break;
    const rocksdb::Slice begin = to_slice(range.first);
    const rocksdb::Slice end = to_slice(range.second);
    const rocksdb::Range one(begin, end);
    uint64_t bytes = 0;
    rocksdb::SizeApproximationOptions files;
    if (!db_->GetApproximateSizes(files, handle(id.first), &one, 1, &bytes).ok() || bytes < kReclaimBytes) continue;
    rocksdb::CompactRangeOptions options;
    options.exclusive_manual_compaction = false;
    options.canceled = &stop;
    const auto compacted = db_->CompactRange(options, handle(id.first), &begin, &end);
    if (!compacted.ok() && !compacted.IsIncomplete()) return state_error("compact", path_, compacted);
    const std::lock_guard lock(dropped_mutex_);
    KeyRange& known = dropped_[id];
    if (known == range) dropped_.erase(id);  // else more was dropped meanwhile
  }
  return {};
}

// Nothing is flushed for it: a flush that fails would end the job, which a copy that fails must not. So the log, which
// is bounded, is copied, and the tables are links.
Status RocksEpochStore::link_copy(const std::filesystem::path& path) {
  if (Status good = writable(); !good) return good;
  const std::string to = path.string();
  const uint64_t sequence = db_->GetLatestSequenceNumber();  // others may write ahead meanwhile
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(db_.get(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(to, UINT64_MAX);
  if (status.ok()) status = CommittedMark::make(env_, to, sequence);
  if (status.ok()) status = sync_folder(env_, to);
  return status.ok() ? Status() : state_error("copy", path_, status).with_context(to);
}

Result<std::optional<std::string>> RocksEpochStore::get(Family family, std::string_view key) {
  std::string value;
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  const auto got = db_->Get(options, handle(family), to_slice(key), &value);
  if (got.IsNotFound()) return std::optional<std::string>();
  if (!got.ok()) return state_error("read", path_, got);
  return std::optional<std::string>(std::move(value));
}

Status RocksEpochStore::scan_from(Family family, std::string_view prefix, std::string_view begin, const Visit& visit) {
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  options.readahead_size = 1 << 20;
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options, handle(family)));
  for (at->Seek(to_slice(begin)); at->Valid() && at->key().starts_with(to_slice(prefix)); at->Next()) {
    if (!visit(to_view(at->key()), to_view(at->value()))) break;
  }
  return at->status().ok() ? Status() : state_error("read", path_, at->status());
}

}  // namespace

Result<std::unique_ptr<EpochStore>> open_rocks_epoch_store(const std::filesystem::path& path,
                                                           const RocksOptions& options) {
  return RocksEpochStore::open(path.string(), options);
}

}  // namespace tidemark::core
