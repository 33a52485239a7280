// SPDX-License-Identifier: Apache-2.0
//
// The full layer through the ABI's table: every call of FLIP-27 and FLIP-217 arrives under its name and with its
// arguments, and outputs of several splits are written in one poll.
#include <gtest/gtest.h>
#include <tidemark/source.hpp>

#include "tests/unit/sdk/fake_host.hpp"

namespace tidemark {
namespace {

constinit const tidemark_plugin_info kInfo = detail::make_info(TIDEMARK_PROVIDES_SOURCE, "full", "1.0", {});

/// The calls that arrived, in order.
std::string& calls() {
  static std::string out;
  return out;
}

class LoggingReader final : public SourceReader {
 public:
  explicit LoggingReader(const ReaderContext& context) : context_(context) {}
  ~LoggingReader() override { calls() += "~"; }

  void start() override { calls() += "start "; }
  void add_splits(std::span<const Split> splits) override {
    for (const Split& split : splits) {
      calls() += "add(" + split.id + "@" + split.position + ") ";
      splits_.push_back(split.number);
    }
  }
  void notify_no_more_splits() override { calls() += "no_more "; }
  void release_split(uint32_t split) override { calls() += "release(" + std::to_string(split) + ") "; }
  Status poll_next(ReaderOutput& output) override {
    for (const uint32_t split : splits_) {
      SplitOutput out = output.create_output_for_split(split);
      if (first_) out.set_next_sequence(100 * split);
      while (out.has_room() && out.row_count() < 2) out.append(Op::insert, 5).set(1, 7);
    }
    first_ = false;
    output.emit_watermark(splits_.front(), 4);
    output.mark_idle(splits_.back());
    output.set_disconnected(splits_.back(), "no route");
    output.set_connected(splits_.back());
    if (++polls_ < 2) return Status::more;
    output.release_output_for_split(splits_.front());
    throw std::system_error(ECONNRESET, std::generic_category(), "read");
  }
  void pause_or_resume_splits(std::span<const uint32_t> to_pause, std::span<const uint32_t> to_resume) override {
    calls() += "pause(" + std::to_string(to_pause.size()) + "," + std::to_string(to_resume.size()) + ") ";
  }
  std::string snapshot_state(uint32_t split) override { return std::string("bytes\0", 6) + std::to_string(split); }
  void notify_checkpoint_complete(uint64_t epoch) override { calls() += "epoch(" + std::to_string(epoch) + ") "; }
  bool is_available() const override { return !splits_.empty(); }
  void wake_up() noexcept override { calls() += "wake "; }

 private:
  ReaderContext context_;
  std::vector<uint32_t> splits_;
  bool first_ = true;
  int polls_ = 0;
};

class LoggingSource final : public Source {
 public:
  LoggingSource(const Options&, Host host) { host.log(LogLevel::info, "made"); }
  Schema schema() override { return {{"unused", Type::text}, {"n", Type::int64, true, 0, 0, "column n"}}; }
  std::vector<FoundSplit> discover() override { return {{"a", "2 tables"}, {"b", ""}}; }
  std::unique_ptr<SourceReader> open_reader(const ReaderContext& context) override {
    return std::make_unique<LoggingReader>(context);
  }
  uint64_t features() const override { return TIDEMARK_CAN_PAUSE_SPLITS | TIDEMARK_EXACT_TRANSACTIONS; }
};

TEST(FullSource, EveryCallArrives) {
  calls().clear();
  test::FakeHost host(1);
  tidemark_error error{sizeof(tidemark_error), 0, 0, UINT32_MAX, {}};
  tidemark_source_api api{};
  api.struct_size = sizeof api;
  ASSERT_EQ((detail::source_entry<LoggingSource, kInfo>(&api, nullptr)), TIDEMARK_OK);
  void* const source = api.create(&host.host, nullptr, 0, &error);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(host.notes(), std::vector<std::string>{"made"});
  EXPECT_EQ(api.source_features(source), uint64_t{TIDEMARK_CAN_PAUSE_SPLITS | TIDEMARK_EXACT_TRANSACTIONS});

  std::string found;
  const auto add = [](void* self, tidemark_str id, tidemark_str note) {
    *static_cast<std::string*>(self) += detail::text_of(id) + ":" + detail::text_of(note) + " ";
  };
  ASSERT_EQ(api.discover(source, {&found, add}, &error), TIDEMARK_OK);
  EXPECT_EQ(found, "a:2 tables b: ");

  const uint32_t column = 1;
  const tidemark_projection projection{sizeof projection, 1, &column, TIDEMARK_COMMIT_TIME, 0};
  void* const reader = api.open_reader(source, &host.host, &projection, &error);
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(api.poll_next(reader, &host.output, &error), TIDEMARK_NOTHING) << "not available yet";
  const tidemark_split splits[] = {{sizeof(tidemark_split), 1, {"a", 1}, {"p", 1}},
                                   {sizeof(tidemark_split), 2, {"b", 1}, {nullptr, 0}}};
  ASSERT_EQ(api.add_splits(reader, splits, 2, &error), TIDEMARK_OK);
  EXPECT_EQ(api.poll_next(reader, &host.output, &error), TIDEMARK_OK);
  EXPECT_EQ(host.said(1), "[100 101]W4");
  EXPECT_EQ(host.said(2), "[200 201]ID(no route)C");
  const uint32_t paused[] = {1, 2};
  api.pause_or_resume_splits(reader, paused, 2, nullptr, 0, &error);
  api.notify_no_more_splits(reader, &error);
  api.checkpoint_complete(reader, 12, &error);
  api.wake_up(reader);
  EXPECT_EQ(api.poll_next(reader, &host.output, &error), TIDEMARK_E_IO);
  EXPECT_NE(std::string(error.message).find("Connection reset"), std::string::npos);
  EXPECT_EQ(host.said(1), "[100 101]W4[102 103]W4F");
  api.release_split(reader, 1, &error);
  std::string position;
  const auto write = [](void* self, const void* data, uint64_t size) {
    static_cast<std::string*>(self)->append(static_cast<const char*>(data), size);
  };
  ASSERT_EQ(api.snapshot_split(reader, 2, {&position, write}, &error), TIDEMARK_OK);
  EXPECT_EQ(position, std::string("bytes\0", 6) + "2");
  api.close_reader(reader);
  api.destroy(source);
  EXPECT_EQ(calls(), "start add(a@p) add(b@) pause(2,0) no_more epoch(12) wake release(1) ~");
}

TEST(FullSource, AHostBeforeConnectionsIsNotToldOfThem) {
  test::FakeHost host(1);
  host.output.struct_size = offsetof(tidemark_output, connection);
  host.output.connection = nullptr;
  const Layout layout({{"n", Type::int64}}, std::array<uint32_t, 1>{0});
  ReaderOutput output(layout);
  output.bind(host.output);
  output.set_disconnected(1, "no route");
  output.create_output_for_split(1).set_connected();
  EXPECT_EQ(host.said(1), "");
}

TEST(FullSource, AHostWithASmallerTableGetsAsMuchAsFits) {
  tidemark_source_api api{};
  api.struct_size = offsetof(tidemark_source_api, wake_up);
  ASSERT_EQ((detail::source_entry<LoggingSource, kInfo>(&api, nullptr)), TIDEMARK_OK);
  EXPECT_EQ(api.struct_size, offsetof(tidemark_source_api, wake_up));
  EXPECT_NE(api.checkpoint_complete, nullptr);
  EXPECT_EQ(api.wake_up, nullptr) << "nothing is written past the host's struct";
}

}  // namespace
}  // namespace tidemark
