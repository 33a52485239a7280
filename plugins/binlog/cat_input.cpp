// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: any.
#include "binlog/cat_input.hpp"

#include <algorithm>

#include "binlog/log_name.hpp"

namespace tidemark::binlog {
namespace {

namespace fs = std::filesystem;

bool same_series(const fs::path& a, const fs::path& b) {
  const std::string name = a.filename().string();
  const std::string other = b.filename().string();
  return a.parent_path() == b.parent_path() && log_number(name) && log_number(other) &&
         log_base(name) == log_base(other);
}

bool numbered_before(const fs::path& a, const fs::path& b) {
  return log_number(a.filename().string()) < log_number(b.filename().string());
}

}  // namespace

Outcome<std::vector<CatInput>> cat_inputs(std::span<const std::string> paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    std::error_code code;
    if (!fs::is_directory(path, code)) {
      files.emplace_back(path);
      continue;
    }
    auto names = log_series(path);
    if (!names) return std::move(names).error();
    for (const std::string& name : *names) files.push_back(fs::path(path) / name);
  }
  for (auto begin = files.begin(); begin != files.end();) {
    auto end = std::find_if(begin, files.end(), [&](const fs::path& file) { return !same_series(*begin, file); });
    if (end == begin) ++end;
    std::sort(begin, end, numbered_before);
    begin = end;
  }
  files.erase(std::unique(files.begin(), files.end()), files.end());
  std::vector<CatInput> inputs;
  for (fs::path& file : files) {
    const bool continues = !inputs.empty() && same_series(inputs.back().path, file) &&
                           is_next_log(inputs.back().name(), file.filename().string());
    inputs.push_back({std::move(file), continues});
  }
  return inputs;
}

std::vector<fs::path> earlier_logs(const fs::path& path) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const auto names = log_names(directory.string());
  if (!names || !log_number(path.filename().string())) return {};
  std::vector<fs::path> files;
  std::string wanted = path.filename().string();
  for (auto name = names->rbegin(); name != names->rend(); ++name) {
    if (!is_next_log(*name, wanted)) continue;
    wanted = *name;
    files.insert(files.begin(), directory / *name);
  }
  return files;
}

}  // namespace tidemark::binlog
