// SPDX-License-Identifier: Apache-2.0
//
// SimRandom: the one source of chance in the simulator. Everything that a run does follows from its seed, on every
// platform: the generator is the standard's mt19937_64 and the distributions are our own. A value; one thread.
#pragma once

#include <cstdint>
#include <random>

namespace tidemark::test {

class SimRandom {
 public:
  explicit SimRandom(uint64_t seed) : engine_(seed) {}

  /// 0 to bound - 1; 0 when bound is 0.
  uint64_t below(uint64_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  /// low to high, both inclusive.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  /// A generator of its own, so that one part's draws do not shift another's.
  SimRandom fork() { return SimRandom(engine_()); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tidemark::test
