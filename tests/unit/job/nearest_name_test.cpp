// SPDX-License-Identifier: Apache-2.0
//
// Suggestions: nearest names, other spellings, other tools' words for a key.
#include "config/job/nearest_name.hpp"

namespace tidemark::config {
namespace {

TEST(NearestName, distance_counts_swaps_once) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("ca", "ac"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("regoin", "region"), 1u);
}

TEST(NearestName, spellings_of_one_name) {
  EXPECT_EQ(snake_case("maxOutOfOrderness"), "max_out_of_orderness");
  EXPECT_EQ(snake_case("idle-timeout"), "idle_timeout");
  EXPECT_EQ(snake_case("IDLE_TIMEOUT"), "idle_timeout");
}

TEST(NearestName, finds_what_was_meant_and_nothing_else) {
  const std::vector<std::string> keys = {"field", "idle_timeout", "max_out_of_orderness", "allowed_lateness",
                                         "sum",   "min"};
  EXPECT_EQ(nearest_name("idle_timout", keys), "idle_timeout");
  EXPECT_EQ(nearest_name("idleTimeout", keys), "idle_timeout");
  EXPECT_EQ(nearest_name("max_out_of_order", keys), "max_out_of_orderness");  // a shared beginning
  EXPECT_EQ(nearest_name("grace", keys), "allowed_lateness");
  EXPECT_EQ(nearest_name("sun", keys), "sum");
  EXPECT_EQ(nearest_name("xx", keys), std::nullopt);
  EXPECT_EQ(nearest_name("price", keys), std::nullopt);
  EXPECT_EQ(nearest_name("", keys), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(10000, 'x'), keys), std::nullopt);
}

TEST(NearestName, suggestions_name_one_or_all) {
  const std::vector<std::string> ids = {"orders", "refunds"};
  EXPECT_EQ(suggest_name("order", ids), "did you mean `orders`?");
  EXPECT_EQ(suggest_name("xx", ids), "there are: orders, refunds");
  EXPECT_EQ(suggest_name("xx", std::span(ids).first(1)), "there is: orders");
  EXPECT_EQ(suggest_name("xx", {}), "");
}

}  // namespace
}  // namespace tidemark::config
