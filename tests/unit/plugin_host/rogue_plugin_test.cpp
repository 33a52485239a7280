// SPDX-License-Identifier: Apache-2.0
//
// A plugin that breaks the rules: each violation is one error that names plugin and split, nothing of the bad
// batch is seen, and no memory outside the batch is touched. The rogue is linked in and told what to do wrong.
#include <gtest/gtest.h>
#include <tidemark/abi.h>

#include <cstring>
#include <functional>

#include "tests/unit/plugin_host/plugin_run.hpp"

namespace tidemark::core {
namespace {

/// What the rogue's poll_next does next.
std::function<int32_t(const tidemark_output&, const tidemark_host&, tidemark_error*)> g_poll;
const tidemark_host* g_reader_host = nullptr;

int32_t rogue_entry(const tidemark_host*, tidemark_source_api* api, tidemark_error*) {
  api->create = [](const tidemark_host*, const tidemark_option*, uint64_t, tidemark_error*) -> void* {
    return &g_poll;
  };
  api->destroy = [](void*) {};
  api->schema = [](void*, tidemark_schema_out out, tidemark_error*) -> int32_t {
    out.column(out.self, {"text", 4}, TIDEMARK_TEXT, 0, 0, 1, {nullptr, 0});
    out.column(out.self, {"flag", 4}, TIDEMARK_BOOL, 0, 0, 1, {nullptr, 0});
    out.column(out.self, {"key", 3}, TIDEMARK_INT64, 0, 0, 0, {nullptr, 0});
    return TIDEMARK_OK;
  };
  api->discover = [](void*, tidemark_splits_out out, tidemark_error*) -> int32_t {
    out.split(out.self, {"s", 1}, {nullptr, 0});
    return TIDEMARK_OK;
  };
  api->open_reader = [](void* source, const tidemark_host* host, const tidemark_projection*, tidemark_error*) {
    g_reader_host = host;
    return source;
  };
  api->close_reader = [](void*) {};
  api->add_splits = [](void*, const tidemark_split*, uint64_t, tidemark_error*) -> int32_t { return TIDEMARK_OK; };
  api->poll_next = [](void*, const tidemark_output* output, tidemark_error* error) {
    return g_poll(*output, *g_reader_host, error);
  };
  api->snapshot_split = [](void*, uint32_t, tidemark_bytes_out, tidemark_error* error) -> int32_t {
    std::memset(error->message, 'x', sizeof error->message);  // without its NUL
    return TIDEMARK_E_STATE;
  };
  return TIDEMARK_OK;
}

/// Two good rows.
tidemark_batch* filled(const tidemark_output& output, uint64_t first_sequence = 1) {
  tidemark_batch* const batch = output.acquire(output.self, 0);
  if (batch == nullptr) return nullptr;
  output.grow_heap(output.self, batch, 3);
  std::memcpy(batch->heap, "abc", 3);
  batch->heap_used = 3;
  for (uint32_t row = 0; row < 2; ++row) {
    static_cast<tidemark_slice*>(batch->columns[0].values)[row] = {row, 1};
    static_cast<uint8_t*>(batch->columns[1].values)[row] = 1;
    static_cast<int64_t*>(batch->columns[2].values)[row] = 7;
    for (uint32_t column = 0; column < 3; ++column) batch->columns[column].validity[0] = 3;
    batch->op[row] = TIDEMARK_INSERT;
    batch->event_time_us[row] = TIDEMARK_NO_TIME;
    batch->sequence[row] = first_sequence + row;
    batch->origin[row] = UINT32_MAX;
  }
  batch->rows = 2;
  return batch;
}

class RoguePlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    PluginInfo info;
    info.name = "rogue";
    const auto plugin = negotiate(info, rogue_entry);
    ASSERT_TRUE(plugin.is_ok()) << plugin.status().message();
    opened = test::open_source(*plugin, {}, {}, keeps_rows);
    const std::vector<SplitAssignment> splits = {{0, "shard-0", ""}};
    ASSERT_TRUE(opened.reader->add_splits(splits).is_ok());
  }

  /// Polls once with a good batch that `spoil` changed.
  Status after(const std::function<void(tidemark_batch&)>& spoil) {
    g_poll = [&](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
      tidemark_batch* const batch = filled(output);
      spoil(*batch);
      output.submit(output.self, batch);
      return TIDEMARK_OK;
    };
    return opened.reader->poll_next(*opened.output).status();
  }
  void expect_violation(const std::string& part, const std::function<void(tidemark_batch&)>& spoil) {
    SetUp();
    const Status status = after(spoil);
    EXPECT_EQ(status.code(), Code::plugin);
    EXPECT_NE(status.message().find("plugin rogue, split shard-0: "), std::string::npos) << status.message();
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
    EXPECT_TRUE(opened.output->splits.empty()) << "the bad batch was seen";
    EXPECT_EQ(opened.pool->bytes_in_use(), 0u) << "the bad batch is lost to the credit";
    EXPECT_EQ(opened.reader->poll_next(*opened.output).status().message(), status.message()) << "it stays failed";
  }

  test::OpenedSource opened;
  bool keeps_rows = false;
};

TEST_F(RoguePlugin, GoodBatchesPass) {
  ASSERT_TRUE(after([](tidemark_batch&) {}).is_ok());
  EXPECT_EQ(opened.output->splits[0].rows, (std::vector<std::string>{"a,true,7", "b,true,7"}));
  ASSERT_TRUE(after([](tidemark_batch& batch) {
                batch.op[0] = TIDEMARK_UPDATE_BEFORE;
                batch.op[1] = TIDEMARK_UPDATE_AFTER;
                batch.sequence[0] = 3;
                batch.sequence[1] = 9;
                batch.columns[0].validity[0] = 1;
                static_cast<tidemark_slice*>(batch.columns[0].values)[1] = {77, UINT32_MAX};  // NULL: not looked at
              }).is_ok());
  EXPECT_EQ(opened.output->splits[0].rows.back(), "-,true,7");
  ASSERT_TRUE(after([](tidemark_batch& batch) { batch.rows = 0; }).is_ok());
}

TEST_F(RoguePlugin, EachViolationIsNamed) {
  expect_violation("row count 4097 exceeds", [](tidemark_batch& batch) { batch.rows = 4097; });
  expect_violation("row count 4294967295 exceeds", [](tidemark_batch& batch) { batch.rows = UINT32_MAX; });
  expect_violation("heap use", [](tidemark_batch& batch) { batch.heap_used = batch.heap_capacity + 1; });
  expect_violation("heap use", [](tidemark_batch& batch) {
    batch.heap_capacity = batch.heap_used = uint64_t{1} << 40;  // its own word for the capacity does not count
  });
  expect_violation("origin count", [](tidemark_batch& batch) { batch.origin_count = 5000; });
  expect_violation("split was changed to 9", [](tidemark_batch& batch) { batch.split = 9; });
  expect_violation("row kind is 0 in row 1", [](tidemark_batch& batch) { batch.op[1] = 0; });
  expect_violation("row kind is 7 in row 0", [](tidemark_batch& batch) { batch.op[0] = 7; });
  expect_violation("row kind is 6 in row 1, which is not asked for",
                   [](tidemark_batch& batch) { batch.op[1] = TIDEMARK_TRUNCATE; });
  expect_violation("pairs", [](tidemark_batch& batch) { batch.op[1] = TIDEMARK_UPDATE_BEFORE; });
  expect_violation("pairs", [](tidemark_batch& batch) { batch.op[0] = TIDEMARK_UPDATE_AFTER; });
  expect_violation("pairs", [](tidemark_batch& batch) { batch.op[0] = TIDEMARK_UPDATE_BEFORE; });
  expect_violation("do not increase", [](tidemark_batch& batch) { batch.sequence[1] = batch.sequence[0]; });
  expect_violation("origins lie outside", [](tidemark_batch& batch) { batch.origin[0] = 0; });
  expect_violation("origins lie outside", [](tidemark_batch& batch) {
    batch.origin_count = 1;
    batch.origins[0] = {};
    batch.origins[0].table = {2, 2};
  });
  expect_violation("column 'text' has bytes outside", [](tidemark_batch& batch) {
    static_cast<tidemark_slice*>(batch.columns[0].values)[1] = {3, 1};
  });
  expect_violation("column 'text' has bytes outside", [](tidemark_batch& batch) {
    static_cast<tidemark_slice*>(batch.columns[0].values)[0] = {UINT32_MAX, UINT32_MAX};
  });
  expect_violation("column 'flag' has booleans",
                   [](tidemark_batch& batch) { static_cast<uint8_t*>(batch.columns[1].values)[1] = 2; });
  expect_violation("column 'key' has NULLs", [](tidemark_batch& batch) { batch.columns[2].validity[0] = 1; });
}

TEST_F(RoguePlugin, ProblemsExplainNullsAndUnreadChanges) {
  ASSERT_TRUE(after([](tidemark_batch& batch) {
                batch.op[1] = TIDEMARK_UNREAD;
                for (uint32_t column = 0; column < 3; ++column) batch.columns[column].validity[0] = 1;
                batch.problem_count = 1;
                batch.problems[0] = {1, 1, TIDEMARK_STATEMENT, 0, {0, 3}};
              }).is_ok());
}

TEST_F(RoguePlugin, BadProblemsAreNamed) {
  const auto with = [](uint32_t row, uint32_t rows, uint32_t reason, uint32_t size) {
    return [=](tidemark_batch& batch) {
      batch.problem_count = 1;
      batch.problems[0] = {row, rows, reason, 0, {0, size}};
    };
  };
  expect_violation("problem count 1000", [](tidemark_batch& batch) { batch.problem_count = 1000; });
  expect_violation("problems are not runs", with(1, 2, TIDEMARK_STATEMENT, 0));
  expect_violation("problems are not runs", with(UINT32_MAX, 2, TIDEMARK_STATEMENT, 0));
  expect_violation("problems are not runs", with(0, 0, TIDEMARK_STATEMENT, 0));
  expect_violation("unknown reason 9", with(0, 1, 9, 0));
  expect_violation("text outside", with(0, 1, TIDEMARK_STATEMENT, 4));
  expect_violation("one row of an update", [&](tidemark_batch& batch) {
    batch.op[0] = TIDEMARK_UPDATE_BEFORE;
    batch.op[1] = TIDEMARK_UPDATE_AFTER;
    with(1, 1, TIDEMARK_MISSING_COLUMN, 0)(batch);
  });
  expect_violation("unread change has no problem", [](tidemark_batch& batch) { batch.op[1] = TIDEMARK_UNREAD; });
  expect_violation("column 'key' has NULLs", [&](tidemark_batch& batch) {
    batch.columns[2].validity[0] = 0;
    with(1, 1, TIDEMARK_MISSING_COLUMN, 0)(batch);
  });
}

TEST_F(RoguePlugin, TruncatesAndAbsentColumnsPassWhereTheyAreAskedFor) {
  keeps_rows = true;
  SetUp();
  ASSERT_TRUE(after([](tidemark_batch& batch) {
                batch.op[1] = TIDEMARK_TRUNCATE;
                for (uint32_t column = 0; column < 3; ++column) batch.columns[column].validity[0] = 0;
                batch.columns[0].validity[0] = 1;
                batch.absent[1][0] = batch.absent[2][0] = 1;  // 'key' has no NULLs
              }).is_ok());
  EXPECT_EQ(opened.output->splits[0].rows, (std::vector<std::string>{"a,-,-", "-,-,-"}));
  expect_violation("row kind is 6 in row 0", [](tidemark_batch& batch) { batch.op[0] = TIDEMARK_TRUNCATE; });
  expect_violation("problem covers its truncate row", [](tidemark_batch& batch) {
    batch.op[1] = TIDEMARK_TRUNCATE;
    batch.problem_count = 1;
    batch.problems[0] = {0, 2, TIDEMARK_STATEMENT, 0, {0, 3}};
  });
  expect_violation("pairs", [](tidemark_batch& batch) {
    batch.op[0] = TIDEMARK_UPDATE_BEFORE;
    batch.op[1] = TIDEMARK_TRUNCATE;
  });
  expect_violation("column 'flag' has values in rows whose images",
                   [](tidemark_batch& batch) { batch.absent[1][0] = 2; });
}

TEST_F(RoguePlugin, ATruncateEndsItsSplitsTurn) {
  keeps_rows = true;
  SetUp();
  g_poll = [](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
    tidemark_batch* const batch = filled(output);
    batch->op[1] = TIDEMARK_TRUNCATE;
    for (uint32_t column = 0; column < 3; ++column) batch->columns[column].validity[0] = 1;
    output.submit(output.self, batch);
    EXPECT_EQ(output.acquire(output.self, 0), nullptr) << "no error: as without credit";
    return TIDEMARK_OK;
  };
  ASSERT_TRUE(opened.reader->poll_next(*opened.output).is_ok());
  const auto finish = [](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
    output.finished(output.self, 0);
    return TIDEMARK_END;
  };
  g_poll = finish;
  EXPECT_TRUE(opened.reader->poll_next(*opened.output).is_ok()) << "the next call may say more";
  SetUp();
  g_poll = [finish](const tidemark_output& output, const tidemark_host& host, tidemark_error* error) -> int32_t {
    tidemark_batch* const batch = filled(output);
    batch->op[1] = TIDEMARK_TRUNCATE;
    for (uint32_t column = 0; column < 3; ++column) batch->columns[column].validity[0] = 1;
    output.submit(output.self, batch);
    return finish(output, host, error);
  };
  EXPECT_NE(opened.reader->poll_next(*opened.output).status().message().find("its end after a TRUNCATE row"),
            std::string::npos);
}

TEST_F(RoguePlugin, KeysAreTakenCheckedOrExplained) {
  EXPECT_TRUE(opened.schema.key.empty());
  EXPECT_NE(opened.schema.no_key.find("the plugin rogue does not tell the key"), std::string::npos) << "minor 2";
  const auto key_of = [](int32_t (*primary_key)(void*, tidemark_key_out, tidemark_error*)) {
    PluginInfo info;
    info.name = "rogue";
    LoadedPlugin loaded = **negotiate(info, rogue_entry);
    loaded.api.primary_key = primary_key;
    auto source = PluginSource::create(std::make_shared<const LoadedPlugin>(loaded), {});
    return (*source)->schema();
  };
  const auto good = key_of([](void*, tidemark_key_out out, tidemark_error*) -> int32_t {
    out.column(out.self, 2);
    out.column(out.self, 0);
    return TIDEMARK_OK;
  });
  EXPECT_EQ(good->key, (std::vector<uint32_t>{2, 0}));
  const auto none = key_of([](void*, tidemark_key_out, tidemark_error* error) -> int32_t {
    std::strcpy(error->message, "t has none");
    return TIDEMARK_E_UNSUPPORTED;
  });
  EXPECT_EQ(none->no_key, "t has none");
  const auto bad = key_of([](void*, tidemark_key_out out, tidemark_error*) -> int32_t {
    out.column(out.self, 3);
    return TIDEMARK_OK;
  });
  EXPECT_NE(bad.status().message().find("not made of columns of its schema"), std::string::npos);
}

TEST_F(RoguePlugin, NumbersIncreaseAcrossBatches) {
  ASSERT_TRUE(after([](tidemark_batch&) {}).is_ok());
  EXPECT_NE(after([](tidemark_batch&) {}).message().find("do not increase"), std::string::npos);
}

TEST_F(RoguePlugin, StrayPointersAndDoubleSubmitsAreErrors) {
  g_poll = [](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
    tidemark_batch own{};
    output.submit(output.self, &own);
    return TIDEMARK_OK;
  };
  EXPECT_NE(opened.reader->poll_next(*opened.output).status().message().find("not lent"), std::string::npos);
  SetUp();
  g_poll = [](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
    tidemark_batch* const batch = filled(output);
    output.submit(output.self, batch);
    output.submit(output.self, batch);
    return TIDEMARK_OK;
  };
  EXPECT_NE(opened.reader->poll_next(*opened.output).status().message().find("or twice"), std::string::npos);
}

TEST_F(RoguePlugin, SplitsItWasNotGivenOrThatEndedAreErrors) {
  g_poll = [](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
    EXPECT_EQ(output.acquire(output.self, 5), nullptr);
    return TIDEMARK_OK;
  };
  EXPECT_NE(opened.reader->poll_next(*opened.output).status().message().find("split number 5: it reported a batch of "),
            std::string::npos);
  SetUp();
  g_poll = [](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
    output.finished(output.self, 0);
    output.watermark(output.self, 0, 5);
    return TIDEMARK_OK;
  };
  EXPECT_NE(opened.reader->poll_next(*opened.output).status().message().find("a watermark after it said"),
            std::string::npos);
  EXPECT_EQ(opened.output->splits[0].signals, "F");
}

TEST_F(RoguePlugin, ConnectionsAreToldOfItsSplitsAlone) {
  g_poll = [](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
    output.connection(output.self, 0, 0, {"no route", 8});
    output.connection(output.self, 0, 0, {nullptr, 0});
    output.connection(output.self, 0, 1, {nullptr, 0});
    return TIDEMARK_OK;
  };
  EXPECT_TRUE(opened.reader->poll_next(*opened.output).is_ok());
  EXPECT_EQ(opened.output->splits[0].signals, "D(no route)D(the source has lost it)C");
  g_poll = [](const tidemark_output& output, const tidemark_host&, tidemark_error*) -> int32_t {
    output.connection(output.self, 5, 1, {nullptr, 0});
    return TIDEMARK_OK;
  };
  EXPECT_NE(opened.reader->poll_next(*opened.output).status().message().find("split number 5: it reported its connec"),
            std::string::npos);
}

TEST_F(RoguePlugin, CodesAndTextsOfAnyKindAreReported) {
  g_poll = [](const tidemark_output&, const tidemark_host&, tidemark_error*) -> int32_t { return -99; };
  EXPECT_EQ(opened.reader->poll_next(*opened.output).status().message(),
            "plugin rogue: it answered with the unknown code -99: it gave no reason");
  g_poll = [](const tidemark_output&, const tidemark_host&, tidemark_error* error) -> int32_t {
    error->retryable = 1;
    error->split = 0;
    std::strcpy(error->message, "connection lost");
    return TIDEMARK_E_IO;
  };
  const Status lost = opened.reader->poll_next(*opened.output).status();
  EXPECT_TRUE(lost.retryable());
  EXPECT_EQ(lost.code(), Code::io);
  EXPECT_EQ(lost.message(), "plugin rogue, split shard-0: connection lost");
  EXPECT_EQ(opened.output->splits[0].signals, "E(connection lost)") << "so that this split alone is tried again";
  const auto position = opened.reader->snapshot_split(0);
  EXPECT_EQ(position.status().code(), Code::state);
  EXPECT_LE(position.status().message().size(), sizeof(tidemark_error) + 100);
}

TEST_F(RoguePlugin, BatchesFromItsOwnThreadsCountAsCreditAndComeBack) {
  tidemark_batch* const batch = g_reader_host->acquire_async(g_reader_host->self, 0, 1000);
  ASSERT_NE(batch, nullptr);
  EXPECT_GT(opened.pool->bytes_in_use(), 0u);
  EXPECT_EQ(g_reader_host->grow_heap_async(g_reader_host->self, batch, UINT64_MAX), TIDEMARK_E_NO_MEMORY);
  EXPECT_EQ(g_reader_host->grow_heap_async(g_reader_host->self, batch, uint64_t{5} << 30), TIDEMARK_E_NO_MEMORY);
  g_reader_host->release_async(g_reader_host->self, batch);
  g_reader_host->release_async(g_reader_host->self, batch);
  EXPECT_EQ(opened.pool->bytes_in_use(), 0u);
}

TEST_F(RoguePlugin, TablesWithoutTheNeedfulAreRefused) {
  PluginInfo info;
  info.name = "empty";
  const auto nothing = negotiate(
      info, [](const tidemark_host*, tidemark_source_api*, tidemark_error*) -> int32_t { return TIDEMARK_OK; });
  EXPECT_NE(nothing.status().message().find("it lacks create, destroy, schema"), std::string::npos);
  const auto refused =
      negotiate(info, [](const tidemark_host*, tidemark_source_api*, tidemark_error* error) -> int32_t {
        std::strcpy(error->message, "no licence");
        return TIDEMARK_E_UNSUPPORTED;
      });
  EXPECT_EQ(refused.status().message(), "plugin empty (): no licence");
  const auto large = negotiate(info, [](const tidemark_host*, tidemark_source_api* api, tidemark_error*) -> int32_t {
    api->struct_size = 100'000;
    return TIDEMARK_OK;
  });
  EXPECT_NE(large.status().message().find("a table of 100000 bytes"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::core
