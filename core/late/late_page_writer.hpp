// SPDX-License-Identifier: Apache-2.0
//
// LatePageWriter: takes rows that could not be counted, copies them (so that their batches are free at once) and
// hands out pages at the seal of an epoch. One per worker and one per ingest core, told apart by `writer`; used
// on its thread. Nothing is dropped: what was added is in the next seal.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/clock.hpp"
#include "core/late/late_item.hpp"
#include "core/late/late_page.hpp"
#include "core/window/fired_rows.hpp"

namespace tidemark::core {

/// What the caller knows of the rows besides their batch.
struct LateContext {
  std::string_view source;     ///< id
  uint16_t source_number = 0;  ///< in keys
  std::string_view split;      ///< id
  std::string_view aggregate;  ///< empty: before any aggregate
  std::string_view holder;     ///< the split that was ahead, where known
  std::string_view detail;     ///< more about the reason, for people
  Micros watermark = kNoTime;  ///< at arrival; add() takes the group's
};

/// Rows of one writer that may wait in memory; beyond it an epoch is asked for early.
inline constexpr size_t kLateBytesMax = size_t{64} << 20;

/// The detail of LateReason::not_computable.
inline constexpr const char* kNotComputable = "a number outgrew its type in an expression of the aggregate";

/// One page for Family::late.
struct LateRecord {
  std::string key;
  std::string value;
};

class LatePageWriter {
 public:
  /// `writer`: below kLateWritersMax, unique among the job's writers. The clock's wall time is the arrival time.
  LatePageWriter(const Clock& clock, uint32_t writer);

  /// Rows that a window operator did not apply, or not to all of their windows; context.detail is not used.
  void add(const LateGroup& group, const LateContext& context);
  /// Rows that were set aside for another reason.
  void add_set_aside(const Batch& batch, std::span<const uint32_t> rows, LateReason reason, const LateContext& context);

  /// All pages since the last seal, with keys that no other seal or writer makes.
  std::vector<LateRecord> seal(uint64_t epoch);

  uint64_t rows_waiting() const noexcept { return rows_waiting_; }
  /// Memory of rows that wait; a reason to ask for an early epoch.
  size_t bytes_waiting() const noexcept;

 private:
  // arrival hour, source, split, reason, aggregate: ordered, so that pages come out in the same order every time.
  using BufferKey = std::tuple<uint32_t, uint16_t, uint32_t, uint8_t, std::string>;
  struct Page {
    uint32_t arrival_hour;
    uint16_t source;
    uint32_t split;
    Micros event_time;
    std::string value;
  };

  void add_rows(const Batch& batch, std::span<const uint32_t> rows, LateReason reason, const LateContext& context,
                LateRun run);
  LatePageBuilder& builder_for(const BufferKey& key, const Batch& batch, const LateContext& context);
  void finish_page(const BufferKey& key, const LatePageBuilder& builder);

  const Clock& clock_;
  uint32_t writer_;
  std::map<BufferKey, LatePageBuilder> buffers_;
  std::vector<Page> pages_;
  size_t page_bytes_ = 0;
  uint64_t rows_waiting_ = 0;
};

}  // namespace tidemark::core
