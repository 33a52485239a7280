// SPDX-License-Identifier: Apache-2.0
//
// Sink: where results go. write() takes rows in their final order; flush() makes everything written so far
// durable and returns its progress, which the epoch stores; open() gets that progress back and must undo
// whatever was written after it (a file is cut to its committed length), so that results are exactly once.
// All calls come from one thread (the committer's).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// `progress`: what flush() returned in the last committed epoch; empty = a first start.
  virtual Status open(std::shared_ptr<const BatchLayout> layout, std::string_view progress) = 0;
  /// Writes one row (row number `row` of `rows`).
  virtual Status write(const Batch& rows, uint32_t row) = 0;
  /// Durable up to here; returns progress bytes.
  virtual Result<std::string> flush() = 0;
  /// All input is done and committed (a table prints its last lines).
  virtual Status finish() = 0;
  virtual uint64_t rows_written() const = 0;
};

enum class FileFormat : uint8_t { ndjson, csv };

/// Appends to `path`; exactly once. CSV begins with a header line.
std::unique_ptr<Sink> make_file_sink(std::filesystem::path path, FileFormat format);

/// Standard output: an aligned table when `is_terminal`, NDJSON otherwise. At least once: what was printed after
/// the last epoch is printed again after a crash. `write` receives finished text (so that tests can read it).
std::unique_ptr<Sink> make_stdout_sink(bool is_terminal, std::function<Status(std::string_view)> write);

}  // namespace tidemark::core
