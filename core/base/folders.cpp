// SPDX-License-Identifier: Apache-2.0
//
// std::filesystem and rename(2) behind Status; the folder around is synced after each change of names.
#include "core/base/folders.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "core/base/files.hpp"

namespace tidemark::core {
namespace {

std::filesystem::path folder_around(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// 0 or the error.
int try_sync(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  return error;
}

}  // namespace

// A folder that was there may have been made by a process that was killed before it could sync the name, so all names
// on the way are synced. Folders that nobody can sync are those of the system.
Status make_directories(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return system_error("create the folder", path, failed.value());
  for (auto at = path.lexically_normal(); at.has_relative_path(); at = at.parent_path()) {
    const int error = try_sync(folder_around(at));
    const bool cannot = error == EACCES || error == EINVAL || error == EROFS;
    if (error != 0 && !cannot) return system_error("sync the folder", folder_around(at), error);
  }
  return {};
}

Result<std::vector<std::string>> folder_entries(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  if (error == std::errc::no_such_file_or_directory) return out;
  for (const auto end = std::filesystem::directory_iterator(); !error && at != end; at.increment(error)) {
    out.push_back(at->path().filename().string());
  }
  if (error) return system_error("list", folder, error.value());
  std::sort(out.begin(), out.end());
  return out;
}

Status sync_folder(const std::filesystem::path& folder) {
  const int error = try_sync(folder);
  return error == 0 ? Status() : system_error("sync the folder", folder, error);
}

Status rename_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) return system_error("rename to", to, errno);
    const auto taken = file_exists(to);  // this file system cannot tell in the same step
    if (!taken) return taken.status();
    if (*taken) return system_error("rename to", to, EEXIST);
    if (::rename(from.c_str(), to.c_str()) != 0) return system_error("rename to", to, errno);
  }
  return sync_folder(folder_around(to));
}

Status exchange_folders(const std::filesystem::path& one, const std::filesystem::path& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) {
    return sync_folder(folder_around(other));
  }
  if (errno == EINVAL || errno == ENOSYS) {
    return {Code::unsupported, "cannot exchange " + other.string() + " in one step on this file system"};
  }
  return system_error("exchange", other, errno);
}

Status remove_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const auto removed = std::filesystem::remove_all(folder, error);
  if (error) return system_error("remove", folder, error.value());
  if (removed == 0) return {};
  return sync_folder(folder_around(folder));
}

}  // namespace tidemark::core
