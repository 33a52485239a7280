// SPDX-License-Identifier: Apache-2.0
//
// EpochStore: the durable state of a job as ordered key-value families in which one epoch is one atomic, synced
// write: after a crash all of it is there or none. RocksDB behind it in production (rocks_epoch_store), a map in
// the simulator and under ThreadSanitizer (memory_epoch_store). Keys and values are made by state/keys.hpp and
// the page writers. commit() is called from one thread at a time, write_ahead() from any. Reads may come from any
// thread, beside a commit too: each sees the store as it was before the commit or as it is after it (a scan all the
// way).
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"

namespace tidemark::core {

/// Column families (design 3.3).
enum class Family : uint8_t { meta, sources, panes, closed, timers, late, late_marks, sinks, rows };
inline constexpr size_t kFamilies = 9;
const char* family_name(Family family) noexcept;

/// The writes of one epoch, in order; later ones win.
class EpochWrites {
 public:
  struct Write {
    enum class Kind : uint8_t { put, remove, remove_range, drop_range } kind;
    Family family;
    std::string key;
    std::string value;  ///< of ranges: the end key, exclusive
  };

  void put(Family family, std::string key, std::string value);
  void remove(Family family, std::string key);
  /// Removes [begin, end).
  void remove_range(Family family, std::string begin, std::string end);
  /// The same of keys that go for good, with all that lies between them and what was dropped before (closed panes): the
  /// store is to give their space back.
  void drop_range(Family family, std::string begin, std::string end);
  /// Takes over all writes of `other`, after its own.
  void append(EpochWrites&& other);
  const std::vector<Write>& writes() const noexcept { return writes_; }
  size_t bytes() const noexcept { return bytes_; }

 private:
  std::vector<Write> writes_;
  size_t bytes_ = 0;
};

class EpochStore {
 public:
  EpochStore() = default;
  EpochStore(const EpochStore&) = delete;
  EpochStore& operator=(const EpochStore&) = delete;
  virtual ~EpochStore() = default;

  /// All writes become durable together, or none does.
  virtual Status commit(const EpochWrites& writes) = 0;
  /// All writes can be read from then on, by all, and become durable together with the next commit at the latest. After
  /// a crash all of them are there or none, but none without those that were written before. Any thread.
  virtual Status write_ahead(const EpochWrites& writes) = 0;
  /// Gives back the disk space of what was dropped, where it is worth the work. Blocks for as long as that takes, or
  /// until `stop`; one caller at a time, beside all else.
  virtual Status reclaim(std::atomic<bool>& stop) {
    (void)stop;
    return {};
  }
  /// Makes folder `path`, which must not be there, a store of its own with what was committed so far. It shares the
  /// files that do not change any more with this store, by hard links where the file system allows. Called between
  /// commits. Code::unsupported where the store has no files.
  virtual Status link_copy(const std::filesystem::path& path) = 0;
  virtual Result<std::optional<std::string>> get(Family family, std::string_view key) = 0;
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;
  /// Visits keys that begin with `prefix`, ascending, until the visitor returns false. The visitor leaves the store
  /// alone.
  Status scan(Family family, std::string_view prefix, const Visit& visit) {
    return scan_from(family, prefix, prefix, visit);
  }
  /// The same, from `begin` on: a key with that prefix, or the prefix.
  virtual Status scan_from(Family family, std::string_view prefix, std::string_view begin, const Visit& visit) = 0;
};

/// A map; `copy_of` continues from another memory store's committed content (a "restart" in the simulator).
std::unique_ptr<EpochStore> make_memory_epoch_store(const EpochStore* copy_of = nullptr);

struct RocksOptions {
  uint64_t memory_bytes = 256ULL << 20;  ///< memtables and block cache together
  bool read_only = false;                ///< for inspection of a running or stopped job
};

/// In the state folder; whoever runs the job holds it (FileLock).
inline constexpr const char* kStateLock = "LOCK.tidemark";

/// Opens or creates the store in folder `path` (RocksDB). Not being there is an empty store (or, read_only, an
/// error); damage is an error, never an empty start.
Result<std::unique_ptr<EpochStore>> open_rocks_epoch_store(const std::filesystem::path& path,
                                                           const RocksOptions& options);

}  // namespace tidemark::core
