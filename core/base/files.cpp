// SPDX-License-Identifier: Apache-2.0
//
// POSIX files behind Status. Writes retry on EINTR and complete short writes; a folder is synced after a rename
// or a creation, since otherwise the name may be lost with the power.
#include "core/base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/folders.hpp"

namespace tidemark::core {

std::string full_disk_remedy(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path there = path;
  while (!there.empty() && there != there.parent_path() && !std::filesystem::exists(there, error)) {
    there = there.parent_path();
  }
  const auto space = std::filesystem::space(there.empty() ? "." : there, error);
  const std::string free = error ? "" : std::to_string(space.available) + " bytes are free there, ";
  return "; " + free + (error ? "free space" : "free more") + " or move the path to another disk";
}

Status system_error(const char* what, const std::filesystem::path& path, int error) {
  std::string remedy;
  if (error == ENOSPC || error == EDQUOT) remedy = full_disk_remedy(path);
  if (error == EACCES || error == EPERM) remedy = "; check owner and mode";
  return {Code::io, std::string("cannot ") + what + " " + path.string() + ": " + std::strerror(error) + remedy};
}

namespace {

Status write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_error("write to", path, errno);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Status sync_folder_of(const std::filesystem::path& path) {
  return sync_folder(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

// Gives the content piece by piece.
template <typename Take>
Status read_pieces(const std::filesystem::path& path, const Take& take) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error("read", path, errno);
  char buffer[64 * 1024];
  Status status;
  while (status) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) break;
    if (n > 0) {
      status = take(std::string_view(buffer, static_cast<size_t>(n)));
    } else if (errno != EINTR) {
      status = system_error("read", path, errno);
    }
  }
  ::close(fd);
  return status;
}

// A new file, or an empty one; what `write` puts into it is synced.
template <typename Write>
Status write_synced(const std::filesystem::path& path, int flags, const Write& write) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
  if (fd < 0) return system_error("create", path, errno);
  Status status = write(fd);
  if (status && ::fsync(fd) != 0) status = system_error("sync", path, errno);
  ::close(fd);
  return status;
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  std::string out;
  Status read = read_pieces(path, [&out](std::string_view piece) {
    out += piece;
    return Status();
  });
  if (!read) return read;
  return out;
}

Result<FileSum> sum_file(const std::filesystem::path& path) {
  FileSum out;
  Status read = read_pieces(path, [&out](std::string_view piece) {
    out.bytes += piece.size();
    out.crc = crc32(piece, out.crc);
    return Status();
  });
  if (!read) return read;
  return out;
}

Status copy_file_synced(const std::filesystem::path& from, const std::filesystem::path& to) {
  return write_synced(to, O_EXCL, [&](int fd) {
    return read_pieces(from, [&](std::string_view piece) { return write_all(fd, piece, to); });
  });
}

Status replace_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  Status status = write_synced(temporary, O_TRUNC, [&](int fd) { return write_all(fd, content, temporary); });
  if (!status) return status;
  if (::rename(temporary.c_str(), path.c_str()) != 0) return system_error("rename to", path, errno);
  return sync_folder_of(path);
}

Result<uint64_t> file_size_or_zero(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return static_cast<uint64_t>(info.st_size);
  if (errno == ENOENT) return uint64_t{0};
  return system_error("inspect", path, errno);
}

Result<bool> file_exists(const std::filesystem::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) return true;
  if (errno == ENOENT) return false;
  return system_error("inspect", path, errno);
}

Status remove_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0) return errno == ENOENT ? Status() : system_error("remove", path, errno);
  return sync_folder_of(path);
}

AppendFile::AppendFile(AppendFile&& other) noexcept {
  *this = std::move(other);
}
AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(length_, other.length_);
  return *this;
}
AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<AppendFile> AppendFile::open(const std::filesystem::path& path, uint64_t length) {
  AppendFile out;
  out.path_ = path;
  if (path.has_parent_path()) {
    if (Status made = make_directories(path.parent_path()); !made) return made;
  }
  out.fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (out.fd_ < 0) return system_error("open", path, errno);
  struct stat info {};
  if (::fstat(out.fd_, &info) != 0) return system_error("inspect", path, errno);
  if (static_cast<uint64_t>(info.st_size) < length) {
    return Status(Code::state, "results are missing: " + path.string() + " has " + std::to_string(info.st_size) +
                                   " bytes, but " + std::to_string(length) +
                                   " were committed; put the file back, or start over with an empty state path");
  }
  // Nothing to cut: a file that is as it should be keeps its times.
  const bool is_longer = static_cast<uint64_t>(info.st_size) > length;
  if (is_longer && ::ftruncate(out.fd_, static_cast<off_t>(length)) != 0) return system_error("cut", path, errno);
  if (::lseek(out.fd_, static_cast<off_t>(length), SEEK_SET) < 0) return system_error("seek in", path, errno);
  if (Status synced = sync_folder_of(path); !synced) return synced;
  out.length_ = length;
  return out;
}

Status AppendFile::append(std::string_view bytes) {
  Status status = write_all(fd_, bytes, path_);
  if (status) length_ += bytes.size();
  return status;
}

Status AppendFile::sync() {
  if (::fdatasync(fd_) != 0) return system_error("sync", path_, errno);
  return {};
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

namespace {

// Of an open file description, so that it ends with the descriptor, and that others can ask for it without taking it.
struct flock whole_file() {
  struct flock out {};
  out.l_type = F_WRLCK;
  out.l_whence = SEEK_SET;
  return out;
}

}  // namespace

Result<std::optional<LockHolder>> lock_holder(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return std::optional<LockHolder>();
  if (fd < 0) return system_error("open", path, errno);
  struct flock held = whole_file();
  const bool asked = ::fcntl(fd, F_OFD_GETLK, &held) == 0;
  const int error = errno;
  ::close(fd);
  if (!asked) return system_error("lock", path, error);
  if (held.l_type == F_UNLCK) return std::optional<LockHolder>();
  LockHolder out;
  if (auto text = read_file(path)) std::from_chars(text->data(), text->data() + text->size(), out.pid);
  return std::optional<LockHolder>(out);
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& path) {
  FileLock out;
  out.fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (out.fd_ < 0) return system_error("open", path, errno);
  struct flock whole = whole_file();
  if (::fcntl(out.fd_, F_OFD_SETLK, &whole) != 0) {
    auto holder = read_file(path);
    return Status(Code::state, path.parent_path().string() + " is in use by process " +
                                   (holder && !holder->empty() ? *holder : "(unknown)") +
                                   "; stop it first, or give this job another state path");
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(out.fd_, 0) != 0) return system_error("write to", path, errno);
  if (Status written = write_all(out.fd_, pid, path); !written) return written;
  return out;
}

}  // namespace tidemark::core
