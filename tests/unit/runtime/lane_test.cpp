// SPDX-License-Identifier: Apache-2.0
//
// Lane: order, weight as backpressure, wake-ups exactly when there is a reason, and one producer against one
// consumer on real threads.
#include "core/exchange/lane.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "core/runtime/waker.hpp"

namespace tidemark::core {
namespace {

TEST(Lane, keeps_order_and_weighs) {
  Lane<int> lane(10);
  EXPECT_TRUE(lane.is_empty());
  EXPECT_FALSE(lane.pop().has_value());
  lane.push(1, 9);
  EXPECT_TRUE(lane.has_room());
  lane.push(2, 1);
  EXPECT_FALSE(lane.has_room());
  lane.push(3, 5);  // never refused: control entries must get through
  EXPECT_EQ(lane.pop(), 1);
  EXPECT_TRUE(lane.has_room());
  EXPECT_EQ(lane.pop(), 2);
  EXPECT_EQ(lane.pop(), 3);
  EXPECT_TRUE(lane.is_empty());
}

TEST(Lane, wakes_the_consumer_at_each_push_and_the_producer_when_room_comes_back) {
  Lane<int> lane(10);
  int consumer = 0;
  int producer = 0;
  lane.set_wakers([&] { ++consumer; }, [&] { ++producer; });
  lane.push(1, 4);
  EXPECT_EQ(lane.pop(), 1);
  EXPECT_EQ(producer, 0) << "it was never full";
  lane.push(1, 8);
  lane.push(2, 8);
  EXPECT_EQ(consumer, 3);
  EXPECT_EQ(lane.pop(), 1);
  EXPECT_EQ(producer, 1);
  EXPECT_EQ(lane.pop(), 2);
  EXPECT_EQ(producer, 1);
}

TEST(Lane, two_threads_with_backpressure_lose_nothing) {
  constexpr int kEntries = 20'000;
  Lane<std::unique_ptr<int>> lane(16);
  Waker consumer;
  Waker producer;
  lane.set_wakers([&] { consumer.wake(); }, [&] { producer.wake(); });
  std::thread producing([&] {
    for (int i = 0; i < kEntries; ++i) {
      while (!lane.has_room()) producer.wait(kMicrosPerSecond);
      lane.push(std::make_unique<int>(i), 1);
    }
  });
  for (int expected = 0; expected < kEntries;) {
    const auto entry = lane.pop();
    if (entry) {
      ASSERT_EQ(**entry, expected++);
    } else {
      consumer.wait(kMicrosPerSecond);
    }
  }
  producing.join();
  EXPECT_TRUE(lane.is_empty());
}

}  // namespace
}  // namespace tidemark::core
