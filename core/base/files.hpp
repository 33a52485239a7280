// SPDX-License-Identifier: Apache-2.0
//
// All file access of core outside RocksDB: whole-file reads, durable appends, truncation, atomic replacement and
// directory locks. Every failure names the path, the system's reason and, where there is one, the remedy.
// Objects are used from one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.hpp"

namespace tidemark::core {

/// "; N bytes are free there, free more or move the path to another disk": what a full disk's error ends with.
std::string full_disk_remedy(const std::filesystem::path& path);

/// "cannot <what> <path>: <the system's reason>; <remedy>" for `error`, an errno.
Status system_error(const char* what, const std::filesystem::path& path, int error);

/// The whole content of a file.
Result<std::string> read_file(const std::filesystem::path& path);

/// Writes to a temporary neighbour, syncs it, renames it over `path` and syncs the folder.
Status replace_file(const std::filesystem::path& path, std::string_view content);

/// Size in bytes; 0 when there is no such file.
Result<uint64_t> file_size_or_zero(const std::filesystem::path& path);
/// True when something of that name is there.
Result<bool> file_exists(const std::filesystem::path& path);
/// Removes a file and syncs its folder; a file that is not there is fine.
Status remove_file(const std::filesystem::path& path);
/// A durable copy of a file under a name that is not there yet. The caller syncs the folder.
Status copy_file_synced(const std::filesystem::path& from, const std::filesystem::path& to);

/// Size and CRC-32 of a file's content.
struct FileSum {
  uint64_t bytes = 0;
  uint32_t crc = 0;

  bool operator==(const FileSum&) const = default;
};
Result<FileSum> sum_file(const std::filesystem::path& path);

/// A file that only grows at its end; what sync() covered survives a crash of the machine.
class AppendFile {
 public:
  AppendFile() = default;
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  /// Opens or creates `path` and cuts it to `length` bytes (its committed length). A file shorter than `length`
  /// is an error: committed results are missing.
  static Result<AppendFile> open(const std::filesystem::path& path, uint64_t length);
  /// Appends all of `bytes`; a short write is completed or reported.
  Status append(std::string_view bytes);
  Status sync();
  /// Bytes written so far.
  uint64_t length() const noexcept { return length_; }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  uint64_t length_ = 0;
};

/// What a lock file's holder wrote of itself.
struct LockHolder {
  int64_t pid = 0;  ///< 0 = not known
};
/// Who holds the lock file `path`; nothing when nobody does, or there is no such file. Creates and writes nothing.
Result<std::optional<LockHolder>> lock_holder(const std::filesystem::path& path);

/// Holds `path` (a lock file) for this process; the error names the process that holds it.
class FileLock {
 public:
  FileLock() = default;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  static Result<FileLock> acquire(const std::filesystem::path& path);

 private:
  int fd_ = -1;
};

}  // namespace tidemark::core
