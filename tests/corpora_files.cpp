// SPDX-License-Identifier: Apache-2.0
// Unpacks corpora with the zstd library. See the header for the invariants.
#include "tests/corpora_files.hpp"

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace tidemark::test {

namespace fs = std::filesystem;

namespace {

std::vector<uint8_t> decompress(const std::vector<uint8_t>& packed, const fs::path& file) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    throw std::runtime_error("not a zstd file with a known size: " + file.string());
  }
  std::vector<uint8_t> out(static_cast<size_t>(size));
  const size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != out.size()) throw std::runtime_error("cannot unpack " + file.string());
  return out;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Changes when a file of the corpus is added, replaced or resized.
std::string fingerprint(const std::vector<fs::path>& files) {
  uint64_t hash = 1469598103934665603ull;
  const auto mix = [&hash](uint64_t value) { hash = (hash ^ value) * 1099511628211ull; };
  for (const auto& file : files) {
    mix(fs::file_size(file));
    mix(static_cast<uint64_t>(fs::last_write_time(file).time_since_epoch().count()));
  }
  return std::to_string(hash);
}

void unpack(const std::vector<fs::path>& files, const fs::path& from, const fs::path& to) {
  for (const auto& file : files) {
    fs::path target = to / fs::relative(file, from);
    fs::create_directories(target.parent_path());
    if (target.extension() == ".zst") {
      target.replace_extension();
      write_bytes(target, decompress(read_bytes(file), file));
    } else {
      fs::copy_file(file, target);
    }
  }
}

}  // namespace

fs::path corpus(std::string_view name) {
  const fs::path from = fs::path(TIDEMARK_TEST_DATA) / name;
  const auto files = files_below(from);
  const fs::path to = fs::path(TIDEMARK_BINARY_DIR) / "corpora" / fingerprint(files) / name;
  if (fs::exists(to)) return to;
  const fs::path partial = to.string() + "." + std::to_string(::getpid());
  fs::remove_all(partial);
  fs::create_directories(partial);
  unpack(files, from, partial);
  std::error_code error;
  fs::rename(partial, to, error);
  if (error) fs::remove_all(partial);  // another process was faster
  if (!fs::exists(to)) throw std::runtime_error("cannot unpack corpus " + std::string(name) + ": " + error.message());
  return to;
}

std::vector<fs::path> binlogs_in(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("binlog.")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<uint8_t> read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_bytes(const fs::path& file, const std::vector<uint8_t>& bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

fs::path fresh_folder(std::string_view name) {
  const fs::path folder =
      fs::path(TIDEMARK_BINARY_DIR) / "scratch" / (std::string(name) + "." + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

}  // namespace tidemark::test
