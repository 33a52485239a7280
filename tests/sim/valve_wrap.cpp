// SPDX-License-Identifier: Apache-2.0
//
// Puts ValveWatch in the way of the calls that components make to valves and split clocks: the linker turns
// references to a function into references to its wrapper here (--wrap; the list is in tests/CMakeLists.txt). The
// product is linked as it is. A changed signature shows as an undefined symbol.
#include "tests/sim/valve_watch.hpp"

namespace tidemark::test {
namespace {

using core::Micros;
using core::SplitChange;
using core::SplitProgress;
using core::SplitReading;
using core::StatusWatermarkValve;
using core::ValveState;
using core::WatermarkOutput;

}  // namespace

// A member function takes `this` as its first argument.
WatermarkOutput real_add(StatusWatermarkValve*,
                         uint32_t) asm("__real__ZN8tidemark4core20StatusWatermarkValve11add_channelEj");
WatermarkOutput real_remove(StatusWatermarkValve*,
                            uint32_t) asm("__real__ZN8tidemark4core20StatusWatermarkValve14remove_channelEj");
WatermarkOutput real_apply(StatusWatermarkValve*, const SplitChange&) asm(
    "__real__ZN8tidemark4core20StatusWatermarkValve5applyERKNS0_11SplitChangeE");
WatermarkOutput real_expect_more(StatusWatermarkValve*,
                                 bool) asm("__real__ZN8tidemark4core20StatusWatermarkValve20expect_more_channelsEb");
WatermarkOutput real_advance(StatusWatermarkValve*,
                             Micros) asm("__real__ZN8tidemark4core20StatusWatermarkValve15advance_idle_toEl");
WatermarkOutput real_settle(StatusWatermarkValve*) asm(
    "__real__ZN8tidemark4core20StatusWatermarkValve15settle_all_idleEv");
WatermarkOutput real_catch_up(StatusWatermarkValve*,
                              Micros) asm("__real__ZN8tidemark4core20StatusWatermarkValve13catch_up_withEl");
void real_restore(StatusWatermarkValve*,
                  const ValveState&) asm("__real__ZN8tidemark4core20StatusWatermarkValve7restoreERKNS0_10ValveStateE");
std::optional<SplitChange> real_tick(SplitProgress*, Micros, SplitReading) asm(
    "__real__ZN8tidemark4core13SplitProgress4tickElNS0_12SplitReadingE");

WatermarkOutput wrap_add(StatusWatermarkValve*,
                         uint32_t) asm("__wrap__ZN8tidemark4core20StatusWatermarkValve11add_channelEj");
WatermarkOutput wrap_remove(StatusWatermarkValve*,
                            uint32_t) asm("__wrap__ZN8tidemark4core20StatusWatermarkValve14remove_channelEj");
WatermarkOutput wrap_apply(StatusWatermarkValve*, const SplitChange&) asm(
    "__wrap__ZN8tidemark4core20StatusWatermarkValve5applyERKNS0_11SplitChangeE");
WatermarkOutput wrap_expect_more(StatusWatermarkValve*,
                                 bool) asm("__wrap__ZN8tidemark4core20StatusWatermarkValve20expect_more_channelsEb");
WatermarkOutput wrap_advance(StatusWatermarkValve*,
                             Micros) asm("__wrap__ZN8tidemark4core20StatusWatermarkValve15advance_idle_toEl");
WatermarkOutput wrap_settle(StatusWatermarkValve*) asm(
    "__wrap__ZN8tidemark4core20StatusWatermarkValve15settle_all_idleEv");
WatermarkOutput wrap_catch_up(StatusWatermarkValve*,
                              Micros) asm("__wrap__ZN8tidemark4core20StatusWatermarkValve13catch_up_withEl");
void wrap_restore(StatusWatermarkValve*,
                  const ValveState&) asm("__wrap__ZN8tidemark4core20StatusWatermarkValve7restoreERKNS0_10ValveStateE");
std::optional<SplitChange> wrap_tick(SplitProgress*, Micros, SplitReading) asm(
    "__wrap__ZN8tidemark4core13SplitProgress4tickElNS0_12SplitReadingE");

WatermarkOutput wrap_add(StatusWatermarkValve* valve, uint32_t split) {
  const WatermarkOutput out = real_add(valve, split);
  if (ValveWatch::current) ValveWatch::current->added(valve, split, out, *valve);
  return out;
}

WatermarkOutput wrap_remove(StatusWatermarkValve* valve, uint32_t split) {
  const WatermarkOutput out = real_remove(valve, split);
  if (ValveWatch::current) ValveWatch::current->removed(valve, split, out, *valve);
  return out;
}

WatermarkOutput wrap_apply(StatusWatermarkValve* valve, const SplitChange& change) {
  const WatermarkOutput out = real_apply(valve, change);
  if (ValveWatch::current) ValveWatch::current->applied(valve, change, out, *valve);
  return out;
}

WatermarkOutput wrap_expect_more(StatusWatermarkValve* valve, bool expected) {
  const WatermarkOutput out = real_expect_more(valve, expected);
  if (ValveWatch::current) ValveWatch::current->expects_more(valve, expected, out, *valve);
  return out;
}

WatermarkOutput wrap_advance(StatusWatermarkValve* valve, Micros target) {
  const WatermarkOutput out = real_advance(valve, target);
  if (ValveWatch::current) ValveWatch::current->advanced(valve, target, out, *valve);
  return out;
}

WatermarkOutput wrap_settle(StatusWatermarkValve* valve) {
  const WatermarkOutput out = real_settle(valve);
  if (ValveWatch::current) ValveWatch::current->settled(valve, out, *valve);
  return out;
}

WatermarkOutput wrap_catch_up(StatusWatermarkValve* valve, Micros watermark) {
  const WatermarkOutput out = real_catch_up(valve, watermark);
  if (ValveWatch::current && out.watermark) ValveWatch::current->caught_up(valve, watermark, out, *valve);
  return out;
}

void wrap_restore(StatusWatermarkValve* valve, const ValveState& state) {
  real_restore(valve, state);
  if (ValveWatch::current) ValveWatch::current->restored(valve, state);
}

std::optional<SplitChange> wrap_tick(SplitProgress* split, Micros now, SplitReading reading) {
  const auto out = real_tick(split, now, reading);
  if (out && ValveWatch::current) ValveWatch::current->ticked(*out);
  return out;
}

}  // namespace tidemark::test
