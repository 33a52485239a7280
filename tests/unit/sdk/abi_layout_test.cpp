// SPDX-License-Identifier: Apache-2.0
//
// Sizes and places of the ABI's structs, so that no change goes unseen: what was there must not move, and grows
// at its end only.
#include <gtest/gtest.h>
#include <tidemark/abi.h>

namespace {

TEST(AbiLayout, SizesAreThoseOfVersion1) {
  EXPECT_EQ(sizeof(tidemark_option_info), 416u);
  EXPECT_EQ(sizeof(tidemark_plugin_info), 16 + 64 + 32 + 64 + 240 + 8 + 32 * 416 + 8u);
  EXPECT_EQ(sizeof(tidemark_error), 1016u);
  EXPECT_EQ(sizeof(tidemark_column), 16u);
  EXPECT_EQ(sizeof(tidemark_slice), 8u);
  EXPECT_EQ(sizeof(tidemark_origin), 56u);
  EXPECT_EQ(sizeof(tidemark_problem), 24u);
  EXPECT_EQ(sizeof(tidemark_batch), 136u);
  EXPECT_EQ(sizeof(tidemark_output), 80u);
  EXPECT_EQ(sizeof(tidemark_host), 64u);
  EXPECT_EQ(sizeof(tidemark_split), 40u);
  EXPECT_EQ(sizeof(tidemark_projection), 24u);
  EXPECT_EQ(sizeof(tidemark_row_times), 24u);
  EXPECT_EQ(sizeof(tidemark_generator_api), 8 + 6 * 8u);
  EXPECT_EQ(sizeof(tidemark_source_api), 16 + 17 * 8u);
}

TEST(AbiLayout, WhatOtherVersionsReadFirstStaysInPlace) {
  EXPECT_EQ(offsetof(tidemark_plugin_info, abi_major), 8u);
  EXPECT_EQ(offsetof(tidemark_plugin_info, options), 424u);
  EXPECT_EQ(offsetof(tidemark_plugin_info, provides), 424 + 32 * 416u) << "where the infos of minor 1 end";
  EXPECT_EQ(offsetof(tidemark_option_info, of), 412u);
  EXPECT_EQ(offsetof(tidemark_projection, event_time), 16u);
  EXPECT_EQ(offsetof(tidemark_projection, wants), 20u) << "0 in projections of minor 2";
  EXPECT_EQ(offsetof(tidemark_batch, absent), 128u) << "where the batches of minor 2 end";
  EXPECT_EQ(offsetof(tidemark_generator_api, on_batch), 8 + 2 * 8u);
  EXPECT_EQ(offsetof(tidemark_source_api, generator), 16 + 15 * 8u);
  EXPECT_EQ(offsetof(tidemark_source_api, primary_key), 16 + 16 * 8u);
  EXPECT_EQ(offsetof(tidemark_error, message), 16u);
  EXPECT_EQ(offsetof(tidemark_source_api, create), 16u);
  EXPECT_EQ(offsetof(tidemark_source_api, poll_next), 16 + 9 * 8u);
}

}  // namespace
