// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: any.
#include "binlog_file/shard_files.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <tidemark/source.hpp>

#include "binlog_file/read_error.hpp"

namespace tidemark::binlog_file {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& cause, std::string_view object, std::string_view remedy) {
  fail(SourceError(cause, object, remedy).kind(ErrorKind::io));
  __builtin_unreachable();
}

/// One spelling per file or directory: without ".", ".." and symbolic links.
fs::path canonical(const std::string& path) {
  std::error_code code;
  fs::path result = fs::weakly_canonical(path, code);
  if (code) refuse("option 'shards': cannot be resolved: " + code.message(), path, "check its permissions");
  return result.has_filename() ? result : result.parent_path();
}

/// A file inside a directory that is a shard too would be read twice.
void refuse_overlap(const std::vector<Shard>& shards, const std::vector<fs::path>& paths) {
  for (size_t file = 0; file < shards.size(); ++file) {
    if (shards[file].only_file.empty() || !log_number(shards[file].only_file)) continue;
    for (size_t other = 0; other < shards.size(); ++other) {
      if (!shards[other].only_file.empty() || paths[other] != paths[file].parent_path()) continue;
      fail(SourceError("option 'shards': its rows would be counted twice, as the directory '" + shards[other].id +
                           "' is a shard too",
                       shards[file].id, "name the directory or its files, not both")
               .kind(ErrorKind::config));
    }
  }
}

}  // namespace

std::vector<Shard> find_shards(const std::vector<std::string>& entries) {
  std::vector<Shard> shards;
  std::vector<fs::path> canonical_paths;
  for (const std::string& entry : entries) {
    glob_t found{};
    const int result = ::glob(entry.c_str(), GLOB_BRACE, nullptr, &found);
    std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (result == GLOB_NOMATCH || paths.empty()) {
      refuse("option 'shards': nothing is there", entry,
             "name a directory of binlogs, a binlog file, or a glob of either");
    }
    if (result != 0) refuse("option 'shards': cannot be read", entry, "check its permissions");
    for (const std::string& path : paths) {
      fs::path resolved = canonical(path);
      if (std::find(canonical_paths.begin(), canonical_paths.end(), resolved) != canonical_paths.end()) continue;
      shards.push_back(shard_of(path));
      canonical_paths.push_back(std::move(resolved));
    }
  }
  refuse_overlap(shards, canonical_paths);
  return shards;
}

Shard shard_of(const std::string& id) {
  std::error_code code;
  if (fs::is_directory(id, code)) {
    std::string directory = id;
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    return {id, directory, {}};
  }
  const fs::path path(id);
  const std::string parent = path.parent_path().string();
  return {id, parent.empty() ? "." : parent, path.filename().string()};
}

std::vector<std::string> log_files(const Shard& shard) {
  if (!shard.only_file.empty()) return {shard.only_file};
  auto names = binlog::log_series(shard.directory);
  if (!names) raise(names.error());
  return std::move(names).value();
}

std::optional<std::string> next_log_file(const Shard& shard, std::string_view file) {
  const std::optional<uint64_t> number = log_number(file);
  if (!number) return std::nullopt;
  auto names = binlog::log_names(shard.directory);
  if (!names) raise(names.error());
  for (const std::string& name : *names) {
    if (binlog::log_base(name) != binlog::log_base(file) || log_number(name) <= number) continue;
    if (!is_next_log(file, name)) raise(binlog::missing_log(shard.directory, file, name));
    return name;
  }
  return std::nullopt;
}

}  // namespace tidemark::binlog_file
