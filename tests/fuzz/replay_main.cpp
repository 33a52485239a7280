// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target once over each file of the folders and files given: the regression test in builds without
// libFuzzer. Prints how many inputs there were; none at all is a failure, as it would prove nothing.
// One thread.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz_input.hpp"

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_in(const fs::path& path) {
  std::vector<fs::path> files;
  if (fs::is_regular_file(path)) files.push_back(path);
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void run(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  // A copy of exactly that size, so that a read past the end is seen under AddressSanitizer.
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  std::fprintf(stderr, "%s (%zu bytes)\n", file.c_str(), input.size());
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int count, char** arguments) {
  size_t inputs = 0;
  for (int i = 1; i < count; ++i) {
    for (const fs::path& file : files_in(arguments[i])) {
      run(file);
      ++inputs;
    }
  }
  std::printf("%zu inputs\n", inputs);
  return inputs > 0 ? 0 : 1;
}
