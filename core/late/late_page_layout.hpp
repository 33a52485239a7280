// SPDX-License-Identifier: Apache-2.0
//
// What the writing and the reading side of late pages share. Internal to core/late.
#pragma once

#include <cstdint>

#include "core/base/time.hpp"

namespace tidemark::core {

inline constexpr uint32_t kLatePageMagic = 0x504c4d54;  // "TMLP"
inline constexpr uint8_t kLatePageVersion = 1;

/// How far a row was behind: watermark - event time, 0 where either is missing.
Micros lateness_of(Micros watermark, Micros event_time) noexcept;

}  // namespace tidemark::core
