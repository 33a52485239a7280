// SPDX-License-Identifier: Apache-2.0
//
// The wrapped calls. A member function takes `this` as its first argument. Between the calls of one round of ticks
// lies nothing but the loop over the splits, so its time counts too.
#include "tests/bench/watermark_calls.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/event_time/split_progress.hpp"
#include "core/event_time/watermark_valve.hpp"
#include "core/runtime/reader_alignment.hpp"
#include "core/runtime/source_reader.hpp"
#include "core/runtime/split_views.hpp"

namespace tidemark::bench {

using namespace core;
using Watch = std::chrono::steady_clock;
using Readers = std::vector<std::unique_ptr<SourceReader>>;

WatermarkCalls& watermark_calls() {
  static WatermarkCalls calls;
  return calls;
}

namespace {

constexpr auto kSameRound = std::chrono::microseconds(1);

Watch::time_point last_tick_end;

class Timed {
 public:
  explicit Timed(WatermarkWork work) : work_(work), begin_(Watch::now()) {
    if (work == WatermarkWork::ticks && begin_ - last_tick_end < kSameRound) begin_ = last_tick_end;
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() {
    const auto end = Watch::now();
    watermark_calls().spent[static_cast<size_t>(work_)] += end - begin_;
    ++watermark_calls().count[static_cast<size_t>(work_)];
    if (work_ == WatermarkWork::ticks) last_tick_end = end;
  }

 private:
  WatermarkWork work_;
  Watch::time_point begin_;
};

std::optional<SplitChange> counted(std::optional<SplitChange> change) {
  watermark_calls().changes += change ? 1 : 0;
  return change;
}

}  // namespace

std::optional<SplitChange> real_before_batch(SplitProgress*,
                                             Micros) asm("__real__ZN8tidemark4core13SplitProgress12before_batchEl");
Micros real_latest_of(std::span<const Micros>) asm(
    "__real__ZN8tidemark4core9latest_ofESt4spanIKlLm18446744073709551615EE");
std::optional<SplitChange> real_on_batch(SplitProgress*, const RowTimes&, Micros) asm(
    "__real__ZN8tidemark4core13SplitProgress8on_batchERKNS0_8RowTimesEl");
std::optional<SplitChange> real_tick(SplitProgress*, Micros, SplitReading) asm(
    "__real__ZN8tidemark4core13SplitProgress4tickElNS0_12SplitReadingE");
std::optional<SplitChange> real_finish(SplitProgress*, Micros) asm("__real__ZN8tidemark4core13SplitProgress6finishEl");
bool real_idle_is_due(const SplitProgress*, Micros) asm("__real__ZNK8tidemark4core13SplitProgress11idle_is_dueEl");
void real_report(ReaderAlignment*, const SplitProgress&,
                 Micros) asm("__real__ZN8tidemark4core15ReaderAlignment6reportERKNS0_13SplitProgressEl");
Status real_pause_and_resume(SourceReader*, Micros) asm("__real__ZN8tidemark4core12SourceReader16pause_and_resumeEl");
WatermarkOutput real_apply(StatusWatermarkValve*, const SplitChange&) asm(
    "__real__ZN8tidemark4core20StatusWatermarkValve5applyERKNS0_11SplitChangeE");
std::vector<SplitView> real_views(const SplitSurroundings&, const Readers&, Micros) asm(
    "__real__ZN8tidemark4core11split_viewsERKNS0_17SplitSurroundingsERKSt6vectorISt10unique_ptrINS0_"
    "12SourceReaderESt14default_deleteIS6_EESaIS9_EEl");

std::optional<SplitChange> wrap_before_batch(SplitProgress*,
                                             Micros) asm("__wrap__ZN8tidemark4core13SplitProgress12before_batchEl");
Micros wrap_latest_of(std::span<const Micros>) asm(
    "__wrap__ZN8tidemark4core9latest_ofESt4spanIKlLm18446744073709551615EE");
std::optional<SplitChange> wrap_on_batch(SplitProgress*, const RowTimes&, Micros) asm(
    "__wrap__ZN8tidemark4core13SplitProgress8on_batchERKNS0_8RowTimesEl");
std::optional<SplitChange> wrap_tick(SplitProgress*, Micros, SplitReading) asm(
    "__wrap__ZN8tidemark4core13SplitProgress4tickElNS0_12SplitReadingE");
std::optional<SplitChange> wrap_finish(SplitProgress*, Micros) asm("__wrap__ZN8tidemark4core13SplitProgress6finishEl");
bool wrap_idle_is_due(const SplitProgress*, Micros) asm("__wrap__ZNK8tidemark4core13SplitProgress11idle_is_dueEl");
void wrap_report(ReaderAlignment*, const SplitProgress&,
                 Micros) asm("__wrap__ZN8tidemark4core15ReaderAlignment6reportERKNS0_13SplitProgressEl");
Status wrap_pause_and_resume(SourceReader*, Micros) asm("__wrap__ZN8tidemark4core12SourceReader16pause_and_resumeEl");
WatermarkOutput wrap_apply(StatusWatermarkValve*, const SplitChange&) asm(
    "__wrap__ZN8tidemark4core20StatusWatermarkValve5applyERKNS0_11SplitChangeE");
std::vector<SplitView> wrap_views(const SplitSurroundings&, const Readers&, Micros) asm(
    "__wrap__ZN8tidemark4core11split_viewsERKNS0_17SplitSurroundingsERKSt6vectorISt10unique_ptrINS0_"
    "12SourceReaderESt14default_deleteIS6_EESaIS9_EEl");

std::optional<SplitChange> wrap_before_batch(SplitProgress* split, Micros now) {
  const Timed timed(WatermarkWork::batches);
  return counted(real_before_batch(split, now));
}
Micros wrap_latest_of(std::span<const Micros> times) {
  const Timed timed(WatermarkWork::batches);
  return real_latest_of(times);
}
std::optional<SplitChange> wrap_on_batch(SplitProgress* split, const RowTimes& rows, Micros now) {
  const Timed timed(WatermarkWork::batches);
  return counted(real_on_batch(split, rows, now));
}
std::optional<SplitChange> wrap_tick(SplitProgress* split, Micros now, SplitReading reading) {
  const Timed timed(WatermarkWork::ticks);
  return counted(real_tick(split, now, reading));
}
std::optional<SplitChange> wrap_finish(SplitProgress* split, Micros now) {
  const Timed timed(WatermarkWork::batches);
  return counted(real_finish(split, now));
}
bool wrap_idle_is_due(const SplitProgress* split, Micros now) {
  const Timed timed(WatermarkWork::ticks);
  return real_idle_is_due(split, now);
}
void wrap_report(ReaderAlignment* alignment, const SplitProgress& split, Micros now) {
  const Timed timed(WatermarkWork::reports);
  real_report(alignment, split, now);
}
Status wrap_pause_and_resume(SourceReader* reader, Micros now) {
  const Timed timed(WatermarkWork::verdicts);
  return real_pause_and_resume(reader, now);
}
WatermarkOutput wrap_apply(StatusWatermarkValve* valve, const SplitChange& change) {
  const Timed timed(WatermarkWork::valves);
  return real_apply(valve, change);
}
std::vector<SplitView> wrap_views(const SplitSurroundings& around, const Readers& readers, Micros now) {
  const Timed timed(WatermarkWork::status);
  return real_views(around, readers, now);
}

}  // namespace tidemark::bench
