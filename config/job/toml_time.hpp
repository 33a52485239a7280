// SPDX-License-Identifier: Apache-2.0
//
// TomlTime: a date, a time of day or both as a job file has it, with or without an offset from UTC. A value.
#pragma once

#include "core/base/time.hpp"

namespace tidemark::config {

struct TomlTime {
  bool has_date = false;
  bool has_clock = false;   ///< a time of day
  bool has_offset = false;  ///< "Z" or "+01:00"
  core::Micros us = 0;      ///< UTC where it has an offset, else as the clock shows; without a date since midnight

  bool operator==(const TomlTime&) const = default;
};

}  // namespace tidemark::config
