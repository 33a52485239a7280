// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD under which the disk below one folder is full while a file is there: what would make a file
// longer, or make one, fails as write(2) and open(2) do then, without a small file system having to be mounted.
//   TIDEMARK_FULL_ROOT   the folder (absolute), or the beginning of the names of files
//   TIDEMARK_FULL_WHILE  the file that says so, outside of it
// Any thread.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string>

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_full() {
  static const char* const flag = std::getenv("TIDEMARK_FULL_WHILE");
  return flag != nullptr && access(flag, F_OK) == 0;
}

bool is_below(const std::string& path) {
  static const char* const root = std::getenv("TIDEMARK_FULL_ROOT");
  return root != nullptr && path.starts_with(root);
}

bool cannot_grow(int fd) {
  if (!is_full()) return false;
  char path[4096];
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
  return size > 0 && is_below(std::string(path, static_cast<size_t>(size)));
}

bool cannot_make(const char* path) {
  if (!is_full() || access(path, F_OK) == 0) return false;
  char folder[4096];
  const std::string full = path[0] == '/' ? path : std::string(getcwd(folder, sizeof folder)) + "/" + path;
  return is_below(full);
}

template <typename Number>
Number no_space() {
  errno = ENOSPC;
  return -1;
}

}  // namespace

extern "C" {

#define EXPORTED __attribute__((visibility("default")))

EXPORTED ssize_t write(int fd, const void* bytes, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  return cannot_grow(fd) ? no_space<ssize_t>() : real(fd, bytes, size);
}
EXPORTED ssize_t writev(int fd, const struct iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const struct iovec*, int)>("writev");
  return cannot_grow(fd) ? no_space<ssize_t>() : real(fd, parts, count);
}
EXPORTED ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return cannot_grow(fd) ? no_space<ssize_t>() : real(fd, bytes, size, at);
}
EXPORTED ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  return pwrite(fd, bytes, size, at);
}
EXPORTED int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* const real = next<int(const char*, int, ...)>("open");
  return (flags & O_CREAT) != 0 && cannot_make(path) ? no_space<int>() : real(path, flags, mode);
}
EXPORTED int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open(path, flags, mode);
}
EXPORTED int mkdir(const char* path, mode_t mode) {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  return cannot_make(path) ? no_space<int>() : real(path, mode);
}

}  // extern "C"
