// SPDX-License-Identifier: Apache-2.0
//
// EpochCoordinator: what is asked for and what is durable, and that every change wakes. Waker: no lost wake-up.
#include "core/runtime/epoch_coordinator.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "core/runtime/waker.hpp"

namespace tidemark::core {
namespace {

TEST(EpochCoordinator, continues_from_the_last_epoch) {
  EpochCoordinator coordinator(41);
  EXPECT_EQ(coordinator.requested(), 41U);
  EXPECT_EQ(coordinator.committed(), 41U);
  coordinator.request(42);
  EXPECT_EQ(coordinator.requested(), 42U);
  EXPECT_EQ(coordinator.committed(), 41U) << "not durable yet";
  coordinator.announce_committed(42);
  EXPECT_EQ(coordinator.committed(), 42U);
  EXPECT_FALSE(coordinator.ended());
}

TEST(EpochCoordinator, every_change_wakes_after_it_is_visible) {
  EpochCoordinator coordinator(0);
  std::string seen;
  coordinator.set_on_change([&] {
    seen += std::to_string(coordinator.requested()) + std::to_string(coordinator.committed()) +
            (coordinator.stop_requested() ? "s" : "-") + (coordinator.ended() ? "e " : "- ");
  });
  coordinator.request(1);
  coordinator.announce_committed(1);
  coordinator.request_stop();
  coordinator.announce_ended();
  EXPECT_EQ(seen, "10-- 11-- 11s- 11se ");
}

TEST(Waker, a_wake_before_the_wait_is_not_lost) {
  Waker waker;
  waker.wake();
  waker.wait(kEndOfTime);  // returns at once
  std::thread other([&waker] { waker.wake(); });
  waker.wait(kEndOfTime);
  other.join();
  waker.wait(0);
  waker.wait(-5);
}

}  // namespace
}  // namespace tidemark::core
