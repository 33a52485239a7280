// SPDX-License-Identifier: Apache-2.0
// The binlog corpora for tests: tests/corpora holds them compressed; here they are unpacked into the build tree, once
// per build tree and version of the corpus.
// Invariants: safe with many test processes at once (a folder appears whole or not at all); nothing outside of the
// build tree is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

/// The unpacked folder of tests/corpora/<name>: files NAME.zst as NAME, others as they are. Throws std::runtime_error.
std::filesystem::path corpus(std::string_view name);

/// The binlogs of one shard folder, in order.
std::vector<std::filesystem::path> binlogs_in(const std::filesystem::path& folder);

/// A whole file. Throws std::runtime_error.
std::vector<uint8_t> read_bytes(const std::filesystem::path& file);
void write_bytes(const std::filesystem::path& file, const std::vector<uint8_t>& bytes);

/// A fresh empty folder in the build tree, named after the running test.
std::filesystem::path fresh_folder(std::string_view name);

}  // namespace tidemark::test
