// SPDX-License-Identifier: Apache-2.0
//
// Component: a piece of the running job that does a bounded amount of work per step() and has no thread of its
// own. Core threads turn components in production; the simulator turns the same objects in any order that its
// seed gives. A component touches only what is its own and the lanes that it was given.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

enum class Progress : uint8_t {
  idle,  ///< nothing to do now; step again after a wake-up or at next_wake_us()
  busy,  ///< did something; step again
  done,  ///< will never do anything again
};

class Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  /// At most about a millisecond of work. An error ends the job.
  virtual Result<Progress> step() = 0;
  /// Monotonic time at which step() should be called even without a wake-up; kEndOfTime = none.
  virtual Micros next_wake_us() const = 0;
  virtual const std::string& name() const = 0;
};

}  // namespace tidemark::core
