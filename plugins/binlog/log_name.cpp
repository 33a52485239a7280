// SPDX-License-Identifier: Apache-2.0
// See the header. Directory listings are sorted here, as the file system gives them in any order.
// Thread: any.
#include "binlog/log_name.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

namespace tidemark::binlog {

std::optional<uint64_t> log_number(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name.size() - dot < 2) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1);
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::string_view log_base(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

bool same_log(std::string_view a, std::string_view b) {
  return log_number(a) && log_number(a) == log_number(b) && log_base(a) == log_base(b);
}

bool is_next_log(std::string_view file, std::string_view next) {
  const std::optional<uint64_t> number = log_number(file);
  return number && log_number(next) == *number + 1 && log_base(file) == log_base(next);
}

namespace {

/// The log of MariaDB's Aria engine, named like a binlog in every data directory.
constexpr std::string_view kEngineLog = "aria_log";

}  // namespace

Outcome<std::vector<std::string>> log_names(const std::string& directory) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
    std::string name = at->path().filename().string();
    std::error_code unknown;  // a link to nowhere is no directory
    if (log_number(name) && log_base(name) != kEngineLog && !at->is_directory(unknown))
      names.push_back(std::move(name));
  }
  if (code) {
    const bool gone = code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory;
    return DecodeError{ErrorKind::io, "cannot list the directory: " + code.message(), directory, 0,
                       gone ? "put it back, or name the folder where its files are now" : "check its permissions"};
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::tuple(log_base(a), log_number(a), std::string_view(a)) <
           std::tuple(log_base(b), log_number(b), std::string_view(b));
  });
  return names;
}

Outcome<std::vector<std::string>> log_series(const std::string& directory) {
  auto names = log_names(directory);
  if (!names) return names;
  if (names->empty()) {
    return DecodeError{ErrorKind::io, "no binlog files (<name>.<number>) in the directory", directory, 0,
                       "check the path"};
  }
  for (size_t i = 1; i < names->size(); ++i) {
    const std::string& before = (*names)[i - 1];
    const std::string& name = (*names)[i];
    if (log_base(name) != log_base(before)) {
      return DecodeError{ErrorKind::io,
                         "the directory holds two series of binlogs, " + std::string(log_base(before)) + " and " +
                             std::string(log_base(name)),
                         directory, 0, "keep one series per directory"};
    }
    if (!is_next_log(before, name)) return missing_log(directory, before, name);
  }
  return names;
}

DecodeError missing_log(const std::string& directory, std::string_view file, std::string_view next) {
  return {ErrorKind::io,
          "binlog " + std::to_string(log_number(file).value_or(0) + 1) + " is missing between " + std::string(file) +
              " and " + std::string(next),
          directory, 0, "copy the missing file, or remove the files before the gap"};
}

}  // namespace tidemark::binlog
