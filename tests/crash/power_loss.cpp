// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD that writes down what a process does to the files below one folder, so that power_cut.py can
// take back what a loss of power might take: writes that no fsync of their file followed, and names that no fsync of
// their folder followed. Each record is in the kernel before the call returns, so it survives SIGKILL of the process.
// What is removed or replaced keeps a name in a graveyard beside, from where it can come back; so no inode number is
// given out twice.
//   TIDEMARK_POWER_ROOT     the folder (absolute)
//   TIDEMARK_POWER_JOURNAL  the file of records, outside of it
//   TIDEMARK_POWER_GRAVES   a folder on the same file system, outside of it
//   TIDEMARK_POWER_FORGET   files with this in their path are not synced, though fsync says so: a planted fault
// One lock for all calls: the records are in the order of what happened.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// As power_cut.py reads it: this, then the name, then the bytes.
struct Record {
  char kind;
  char padding[7];
  uint64_t inode;   // of the file, or of a folder that was synced
  uint64_t folder;  // of the name
  uint64_t other;   // rename: the folder it came from; write: its length
  uint64_t gone;    // rename: the inode that the name had before
  uint64_t offset;
  uint64_t size;  // of the file before
  uint32_t name_bytes;
  uint32_t bytes;
};

struct Watch {
  std::recursive_mutex mutex;
  std::string root;
  std::string graves;
  std::string forget;
  int journal = -1;

  Watch() {
    const auto variable = [](const char* name) {
      const char* value = std::getenv(name);
      return std::string(value != nullptr ? value : "");
    };
    root = variable("TIDEMARK_POWER_ROOT");
    graves = variable("TIDEMARK_POWER_GRAVES");
    forget = variable("TIDEMARK_POWER_FORGET");
    const std::string path = variable("TIDEMARK_POWER_JOURNAL");
    using Open = int(const char*, int, ...);
    if (!root.empty()) journal = next<Open>("open")(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }

  bool is_watched(const std::string& path) const {
    return journal >= 0 && path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
  }

  void write(const Record& head, const std::string& name, const std::string& bytes) const {
    Record full = head;
    full.name_bytes = static_cast<uint32_t>(name.size());
    full.bytes = static_cast<uint32_t>(bytes.size());
    std::string all(reinterpret_cast<const char*>(&full), sizeof full);
    all += name;
    all += bytes;
    using Write = ssize_t(int, const void*, size_t);
    static auto* const put = next<Write>("write");
    if (put(journal, all.data(), all.size()) != static_cast<ssize_t>(all.size())) std::abort();
  }

  std::string grave(uint64_t inode) const { return graves + "/" + std::to_string(inode); }

  void bury(const std::string& path, uint64_t inode) const {
    static auto* const link = next<int(const char*, const char*)>("link");
    link(path.c_str(), grave(inode).c_str());
  }
  /// Instead of its removal: a folder has no second name.
  int move_to_grave(const std::string& folder, uint64_t inode) const {
    static auto* const rename = next<int(const char*, const char*)>("rename");
    return rename(folder.c_str(), grave(inode).c_str());
  }
};

Watch& watch() {
  static auto* const instance = std::make_unique<Watch>().release();  // outlives every thread
  return *instance;
}

std::string path_of(int fd) {
  char target[4096];
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<size_t>(size)) : std::string();
}

std::string absolute(int at, const char* path) {
  if (path[0] == '/') return path;
  char folder[4096];
  const std::string base = at == AT_FDCWD ? (getcwd(folder, sizeof folder) != nullptr ? folder : "") : path_of(at);
  std::string rest = path;
  while (rest.starts_with("./")) rest = rest.substr(2);
  return base + "/" + rest;
}

struct stat look(const std::string& path) {
  struct stat out {};
  if (lstat(path.c_str(), &out) != 0) out = {};
  return out;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}
std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Record named(char kind, const std::string& path, uint64_t inode) {
  Record out{};
  out.kind = kind;
  out.inode = inode;
  out.folder = look(folder_of(path)).st_ino;
  return out;
}

std::string content(int fd, uint64_t from, uint64_t to) {
  std::string out(to > from ? to - from : 0, '\0');
  const int own = open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t got = own < 0 ? -1 : pread(own, out.data(), out.size(), static_cast<off_t>(from));
  if (own >= 0) close(own);
  out.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return out;
}

// A write or truncation of [offset, end) that is about to happen.
void note_change(int fd, char kind, uint64_t offset, uint64_t end) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
  const auto size = static_cast<uint64_t>(info.st_size);
  Record record{};
  record.kind = kind;
  record.inode = info.st_ino;
  record.other = kind == 'W' ? end - offset : 0;
  record.offset = offset;
  record.size = size;
  watch().write(record, "", content(fd, offset, std::min(end, size)));
}

bool is_watched(int fd) {
  return watch().journal >= 0 && fd != watch().journal && watch().is_watched(path_of(fd));
}

uint64_t place_of(int fd) {
  if ((fcntl(fd, F_GETFL) & O_APPEND) != 0) {
    struct stat info {};
    return fstat(fd, &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
  }
  return static_cast<uint64_t>(std::max<off_t>(lseek(fd, 0, SEEK_CUR), 0));
}

// Space given to a file makes it longer, unless it is to keep its size.
void note_space(int fd, int mode, off_t offset, off_t length) {
  struct stat info {};
  if ((mode & FALLOC_FL_KEEP_SIZE) != 0 || !is_watched(fd) || fstat(fd, &info) != 0) return;
  const auto end = static_cast<uint64_t>(offset + length);
  if (end > static_cast<uint64_t>(info.st_size)) note_change(fd, 'T', end, end);
}

template <typename Open>
int open_noted(int at, const char* path, int flags, const Open& open_file) {
  const std::lock_guard lock(watch().mutex);
  const std::string full = absolute(at, path);
  if ((flags & (O_CREAT | O_TRUNC)) == 0 || !watch().is_watched(full)) return open_file();
  const struct stat before = look(full);
  if (before.st_ino != 0 && (flags & O_TRUNC) != 0 && before.st_size > 0) {
    const int reader = open(full.c_str(), O_RDONLY | O_CLOEXEC);
    if (reader >= 0) {
      note_change(reader, 'T', 0, static_cast<uint64_t>(before.st_size));
      close(reader);
    }
  }
  const int fd = open_file();
  const int error = errno;
  if (fd >= 0 && before.st_ino == 0) watch().write(named('C', full, look(full).st_ino), name_of(full), "");
  errno = error;
  return fd;
}

template <typename Sync>
int sync_noted(int fd, const Sync& sync_file) {
  const std::lock_guard lock(watch().mutex);
  const std::string path = path_of(fd);
  if (!watch().is_watched(path)) return sync_file();
  if (!watch().forget.empty() && path.find(watch().forget) != std::string::npos) return 0;
  const int done = sync_file();
  struct stat info {};
  if (done == 0 && fstat(fd, &info) == 0) {
    Record record{};
    record.kind = 'S';
    record.inode = info.st_ino;
    watch().write(record, "", "");
  }
  return done;
}

template <typename Remove>
int remove_noted(int at, const char* path, bool folder, const Remove& remove) {
  const std::lock_guard lock(watch().mutex);
  const std::string full = absolute(at, path);
  if (!watch().is_watched(full)) return remove();
  const struct stat before = look(full);
  if (before.st_ino != 0 && !folder) watch().bury(full, before.st_ino);
  const Record record = named(folder ? 'K' : 'U', full, before.st_ino);
  std::error_code unreadable;
  const bool moves = folder && std::filesystem::is_directory(full) && std::filesystem::is_empty(full, unreadable);
  const int done = moves ? watch().move_to_grave(full, before.st_ino) : remove();
  const int error = errno;
  if (done == 0) watch().write(record, name_of(full), "");
  errno = error;
  return done;
}

template <typename Rename>
int rename_noted(int from_at, const char* from, int to_at, const char* to, unsigned flags, const Rename& rename_file) {
  const std::lock_guard lock(watch().mutex);
  const std::string source = absolute(from_at, from), target = absolute(to_at, to);
  if (!watch().is_watched(target)) return rename_file();
  const struct stat replaced = look(target);
  const bool exchanges = (flags & RENAME_EXCHANGE) != 0;
  if (replaced.st_ino != 0 && S_ISREG(replaced.st_mode) && !exchanges) watch().bury(target, replaced.st_ino);
  Record record = named(exchanges ? 'X' : 'R', target, look(source).st_ino);
  record.other = look(folder_of(source)).st_ino;
  record.gone = replaced.st_ino;
  const int done = rename_file();
  const int error = errno;
  if (done == 0) watch().write(record, name_of(target), name_of(source));
  errno = error;
  return done;
}

}  // namespace

extern "C" {

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* const real = next<int(const char*, int, ...)>("open");
  return open_noted(AT_FDCWD, path, flags, [&] { return real(path, flags, mode); });
}
EXPORTED int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* const real = next<int(const char*, int, ...)>("open64");
  return open_noted(AT_FDCWD, path, flags, [&] { return real(path, flags, mode); });
}
EXPORTED int openat(int at, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* const real = next<int(int, const char*, int, ...)>("openat");
  return open_noted(at, path, flags, [&] { return real(at, path, flags, mode); });
}

EXPORTED ssize_t write(int fd, const void* bytes, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  const std::lock_guard lock(watch().mutex);
  if (is_watched(fd)) note_change(fd, 'W', place_of(fd), place_of(fd) + size);
  return real(fd, bytes, size);
}
EXPORTED ssize_t writev(int fd, const struct iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const struct iovec*, int)>("writev");
  const std::lock_guard lock(watch().mutex);
  size_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  if (is_watched(fd)) note_change(fd, 'W', place_of(fd), place_of(fd) + size);
  return real(fd, parts, count);
}
EXPORTED ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  const std::lock_guard lock(watch().mutex);
  const auto from = static_cast<uint64_t>(at);
  if (is_watched(fd)) note_change(fd, 'W', from, from + size);
  return real(fd, bytes, size, at);
}
EXPORTED ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  return pwrite(fd, bytes, size, at);
}
EXPORTED int ftruncate(int fd, off_t size) {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  const std::lock_guard lock(watch().mutex);
  if (is_watched(fd)) note_change(fd, 'T', static_cast<uint64_t>(size), UINT64_MAX);
  return real(fd, size);
}
EXPORTED int ftruncate64(int fd, off64_t size) {
  return ftruncate(fd, size);
}

EXPORTED int fallocate(int fd, int mode, off_t offset, off_t length) {
  static auto* const real = next<int(int, int, off_t, off_t)>("fallocate");
  const std::lock_guard lock(watch().mutex);
  note_space(fd, mode, offset, length);
  return real(fd, mode, offset, length);
}
EXPORTED int posix_fallocate(int fd, off_t offset, off_t length) {
  static auto* const real = next<int(int, off_t, off_t)>("posix_fallocate");
  const std::lock_guard lock(watch().mutex);
  note_space(fd, 0, offset, length);
  return real(fd, offset, length);
}
EXPORTED int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  return posix_fallocate(fd, offset, length);
}

EXPORTED int fsync(int fd) {
  static auto* const real = next<int(int)>("fsync");
  return sync_noted(fd, [fd] { return real(fd); });
}
EXPORTED int fdatasync(int fd) {
  static auto* const real = next<int(int)>("fdatasync");
  return sync_noted(fd, [fd] { return real(fd); });
}

EXPORTED int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return rename_noted(AT_FDCWD, from, AT_FDCWD, to, 0, [&] { return real(from, to); });
}
EXPORTED int renameat2(int from_at, const char* from, int to_at, const char* to, unsigned flags) {
  static auto* const real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return rename_noted(from_at, from, to_at, to, flags, [&] { return real(from_at, from, to_at, to, flags); });
}
EXPORTED int link(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("link");
  const std::lock_guard lock(watch().mutex);
  const int done = real(from, to);
  const int error = errno;
  const std::string full = absolute(AT_FDCWD, to);
  if (done == 0 && watch().is_watched(full)) watch().write(named('C', full, look(full).st_ino), name_of(full), "");
  errno = error;
  return done;
}
EXPORTED int unlink(const char* path) {
  static auto* const real = next<int(const char*)>("unlink");
  return remove_noted(AT_FDCWD, path, false, [path] { return real(path); });
}
EXPORTED int rmdir(const char* path) {
  static auto* const real = next<int(const char*)>("rmdir");
  return remove_noted(AT_FDCWD, path, true, [path] { return real(path); });
}
EXPORTED int unlinkat(int at, const char* path, int flags) {
  static auto* const real = next<int(int, const char*, int)>("unlinkat");
  return remove_noted(at, path, (flags & AT_REMOVEDIR) != 0, [&] { return real(at, path, flags); });
}
EXPORTED int remove(const char* path) {  // by calls inside of libc, which nobody can stand in for
  const int done = unlink(path);
  return done != 0 && errno == EISDIR ? rmdir(path) : done;
}
EXPORTED int mkdir(const char* path, mode_t mode) {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  const std::lock_guard lock(watch().mutex);
  const int done = real(path, mode);
  const int error = errno;
  const std::string full = absolute(AT_FDCWD, path);
  if (done == 0 && watch().is_watched(full)) watch().write(named('M', full, look(full).st_ino), name_of(full), "");
  errno = error;
  return done;
}

}  // extern "C"
