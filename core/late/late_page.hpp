// SPDX-License-Identifier: Apache-2.0
//
// Late pages: up to 512 rows or about 64 KiB of one split, aggregate and reason, as one value of the store. A
// header with its own checksum holds all that counts and statistics need, so that they read no rows; behind it
// stand the rows column by column with the types of their columns, where they came from and runs of equal arrival
// data (zstd). A page describes itself: it reads back as a Batch without the job that wrote it, fit to be shown
// or to be aggregated. A damaged page is an error, never other rows. Builders belong to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"
#include "core/late/late_item.hpp"

namespace tidemark::core {

inline constexpr uint32_t kLatePageRows = 512;
inline constexpr size_t kLatePageBytes = size_t{64} * 1024;

/// What a page is about, readable without its rows.
struct LatePageHeader {
  std::string source;
  std::string split;
  std::string aggregate;  ///< empty: set aside before any aggregate
  uint16_t source_number = 0;
  uint32_t split_number = 0;
  LateReason reason = LateReason::too_late;
  uint32_t rows = 0;
  Micros min_event_time = kEndOfTime;  ///< of rows that have one; min > max: none has
  Micros max_event_time = kNoTime;
  Micros min_arrival = kEndOfTime;
  Micros max_arrival = kNoTime;
  Micros min_pane_end = kEndOfTime;
  Micros max_pane_end = kNoTime;
  Micros max_lateness_us = 0;

  bool operator==(const LatePageHeader&) const = default;
};

/// Consecutive rows of a page that arrived together.
struct LateRun {
  uint32_t rows = 0;
  Micros pane_end = kNoTime;
  Micros watermark = kNoTime;
  Micros arrival = kNoTime;
  std::string holder;
  std::string detail;

  bool same_arrival(const LateRun& other) const noexcept {
    return pane_end == other.pane_end && watermark == other.watermark && arrival == other.arrival &&
           holder == other.holder && detail == other.detail;
  }
};

/// A page read back.
struct LatePage {
  LatePageHeader header;
  std::vector<LateRun> runs;  ///< their rows add up to header.rows
  BatchRef rows;              ///< with origins, times, kinds and sequences as they arrived

  /// Row `row` with everything about it.
  LateItem item(uint32_t row) const;
};

class LatePageBuilder {
 public:
  /// `about`: source, split, aggregate, numbers and reason; counts are kept by the builder.
  LatePageBuilder(LatePageHeader about, std::shared_ptr<const BatchLayout> layout);

  bool fits(const BatchLayout& layout) const noexcept {
    return &layout == layout_.get() || layout.columns == layout_->columns;
  }
  /// The rows that follow are from one batch and arrived as `run` says (its `rows` is ignored).
  void begin_run(const LateRun& run);
  /// Copies a row of the run's batch.
  void add(const Batch& batch, uint32_t row);
  bool is_full() const noexcept { return header_.rows >= kLatePageRows || bytes_ >= kLatePageBytes; }
  uint32_t rows() const noexcept { return header_.rows; }
  size_t bytes() const noexcept { return bytes_; }
  Micros first_event_time() const noexcept { return first_event_time_; }
  std::string finish() const;

 private:
  struct ColumnBytes {
    std::string values;          // fixed width, or u32 sizes
    std::string heap;            // variable width
    std::vector<uint8_t> valid;  // one per row
  };
  void add_cell(const Batch& batch, size_t column, uint32_t row);
  uint32_t add_origin(const Batch& batch, uint32_t row);
  void note_event_time(Micros time);

  LatePageHeader header_;
  std::shared_ptr<const BatchLayout> layout_;
  std::vector<LateRun> runs_;
  std::vector<ColumnBytes> columns_;
  std::string event_times_, ops_, sequences_, origin_numbers_;  // arrays as in a batch
  std::string origins_;                                         // encoded
  uint32_t origin_count_ = 0;
  uint32_t last_origin_ = kNoOrigin;  // the batch's number of the origin written last in this run
  size_t bytes_ = 0;
  Micros first_event_time_ = kNoTime;
};

/// The header alone, checked by its own checksum.
Result<LatePageHeader> read_late_header(std::string_view page);
/// The whole page. Errors name what is wrong; callers add the key (with_context(describe(key))).
Result<LatePage> decode_late_page(std::string_view page);

}  // namespace tidemark::core
