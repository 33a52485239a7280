// SPDX-License-Identifier: Apache-2.0
//
// Sink: where results go. write() takes rows in their final order; flush() makes everything written so far
// durable and returns its progress, which the epoch stores; open() gets that progress back and must undo
// whatever was written after it (a file is cut to its committed length), so that results are exactly once.
// A target with transactions of its own holds its one open in flush() and ends it in committed(), once the epoch is
// stored; what it needs to do so after a crash is part of the progress.
// All calls come from one thread (the committer's).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.hpp"
#include "core/base/status.hpp"
#include "core/base/time.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

/// How often and when a step of a sink that failed is tried again: after `initial_us`, then twice as long each time.
struct SinkRetry {
  uint32_t max_attempts = 1;  ///< 0 = for ever
  Micros initial_us = 0;
  Micros max_us = 0;
};

/// A result that a sink's target does not take.
struct RefusedResult {
  BatchRef rows;
  uint32_t row = 0;
  std::string reason;
};

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
  /// Durable up to here, or held open for committed(); returns progress bytes. Called again for the same epoch after a
  /// retryable error, with nothing written in between.
  virtual Result<std::string> flush(uint64_t epoch) = 0;
  /// The epoch of the last flush() is stored. Called again after a retryable error; nothing is written before it
  /// succeeds.
  virtual Status committed() { return {}; }
  /// All input is done and committed (a table prints its last lines).
  virtual Status finish() = 0;
  virtual uint64_t rows_written() const = 0;

  /// Memory of rows that wait for flush(); a reason to ask for an early epoch.
  virtual size_t bytes_waiting() const { return 0; }
  /// What the target refused in the last flush(), to be stored with its epoch. Each once.
  virtual std::vector<RefusedResult> take_refused() { return {}; }
  /// Of flush() and committed().
  virtual SinkRetry retry() const { return {}; }
};

enum class FileFormat : uint8_t { ndjson, csv };

/// Appends to `path`; exactly once. CSV begins with a header line.
std::unique_ptr<Sink> make_file_sink(std::filesystem::path path, FileFormat format);

/// When a file ends and the next one begins; 0: not by that.
struct FileRoll {
  uint64_t size_bytes = 0;  ///< behind the row that brings it to this
  Micros every_us = 0;      ///< with the first epoch at which it is this old, in time that clocks do not change

  bool any() const noexcept { return size_bytes > 0 || every_us > 0; }
};

/// Results in numbered parts beside `path` ("out/a.csv": "out/a-000001.csv", …), each a file of its own with its
/// header. `clock` outlives the sink.
std::unique_ptr<Sink> make_rolled_file_sink(std::filesystem::path path, FileFormat format, FileRoll roll,
                                            const Clock& clock);

/// Standard output: an aligned table when `is_terminal`, NDJSON otherwise. At least once: what was printed after
/// the last epoch is printed again after a crash. `write` receives finished text (so that tests can read it).
std::unique_ptr<Sink> make_stdout_sink(bool is_terminal, std::function<Status(std::string_view)> write);

}  // namespace tidemark::core
