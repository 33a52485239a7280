// SPDX-License-Identifier: Apache-2.0
// See the header. Directory listings are sorted here, as the file system gives them in any order.
// Invariant: <base>.index and other files are left alone.
// Thread: any.
#include "binlog_file/shard_files.hpp"

#include <glob.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tidemark/source.hpp>

namespace tidemark::binlog_file {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& cause, std::string_view object, std::string_view remedy) {
  fail(SourceError(cause, object, remedy).kind(ErrorKind::io));
  __builtin_unreachable();
}

struct LogFile {
  std::string base;
  uint64_t number;
  std::string name;
};

/// The name without its number.
std::string_view base_of(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

/// Files named like binlogs, by base and number.
std::vector<LogFile> listing(const std::string& directory) {
  std::vector<LogFile> files;
  std::error_code code;
  for (fs::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
    std::string name = at->path().filename().string();
    const std::optional<uint64_t> number = log_number(name);
    if (number && !at->is_directory(code)) files.push_back({name.substr(0, name.rfind('.')), *number, name});
  }
  if (code) refuse("cannot list the directory: " + code.message(), directory, "check its permissions");
  std::sort(files.begin(), files.end(), [](const LogFile& a, const LogFile& b) {
    return a.base != b.base ? a.base < b.base : a.number < b.number;
  });
  return files;
}

[[noreturn]] void refuse_gap(const Shard& shard, const LogFile& before, const LogFile& after) {
  refuse("binlog " + std::to_string(before.number + 1) + " is missing between " + before.name + " and " + after.name,
         shard.directory, "copy the missing file, or remove the files before the gap");
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

std::optional<uint64_t> log_number(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name.size() - dot < 2) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1);
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

bool same_log(std::string_view a, std::string_view b) {
  return log_number(a) && log_number(a) == log_number(b) && base_of(a) == base_of(b);
}

bool is_next_log(std::string_view file, std::string_view next) {
  const std::optional<uint64_t> number = log_number(file);
  return number && log_number(next) == *number + 1 && base_of(file) == base_of(next);
}

std::vector<std::string> log_files(const Shard& shard) {
  if (!shard.only_file.empty()) return {shard.only_file};
  const std::vector<LogFile> files = listing(shard.directory);
  if (files.empty()) refuse("no binlog files (<name>.<number>) in the directory", shard.directory, "check the path");
  std::vector<std::string> names;
  for (size_t i = 0; i < files.size(); ++i) {
    if (i > 0 && files[i].base != files[i - 1].base) {
      refuse("the directory holds two series of binlogs, " + files[i - 1].base + " and " + files[i].base,
             shard.directory, "keep one series per directory");
    }
    if (i > 0 && files[i].number != files[i - 1].number + 1) refuse_gap(shard, files[i - 1], files[i]);
    names.push_back(files[i].name);
  }
  return names;
}

std::optional<std::string> next_log_file(const Shard& shard, std::string_view file) {
  const std::optional<uint64_t> number = log_number(file);
  if (!number) return std::nullopt;
  const LogFile current{std::string(file.substr(0, file.rfind('.'))), *number, std::string(file)};
  for (const LogFile& candidate : listing(shard.directory)) {
    if (candidate.base != current.base || candidate.number <= current.number) continue;
    if (candidate.number != current.number + 1) refuse_gap(shard, current, candidate);
    return candidate.name;
  }
  return std::nullopt;
}

}  // namespace tidemark::binlog_file
