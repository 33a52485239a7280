// SPDX-License-Identifier: Apache-2.0
//
// The easy layer through the ABI's table, as the host sees it: turns, pauses, positions with row numbers that go
// on after a restart, errors with their place, and readers that block on a thread of their own.
#include <gtest/gtest.h>
#include <tidemark/source.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/unit/sdk/fake_host.hpp"

namespace tidemark {
namespace {

using test::FakeHost;

constinit const tidemark_plugin_info kInfo =
    detail::make_info(TIDEMARK_PROVIDES_SOURCE, "demo", "1.0", {{"rows", "int", "6", "Rows"}});

/// Gives rows 0, 1, ... of a split, three per fetch(); row 4 of the split "bad" fails.
class CountReader final : public SplitReader {
 public:
  CountReader(const Split& split, int64_t rows) : id_(split.id), rows_(rows) {
    if (!split.position.empty()) next_ = std::stoll(split.position);
  }
  Status fetch(SplitOutput& out) override {
    for (int i = 0; i < 3 && next_ < rows_ && out.has_room(); ++i, ++next_) {
      if (id_ == "bad" && next_ == 4) throw SourceError("row 4 is bad", "4");
      out.append(Op::insert).set(0, next_);
    }
    return next_ < rows_ ? Status::more : Status::end;
  }
  std::string position() const override { return std::to_string(next_); }

 private:
  std::string id_;
  int64_t rows_;
  int64_t next_ = 0;
};

class CountSource {
 public:
  explicit CountSource(const Options& options) : rows_(options.integer("rows")) {}
  Schema schema() const { return {{"n", Type::int64}}; }
  std::vector<std::string> discover() const { return {"a", "b"}; }
  std::unique_ptr<SplitReader> open(const Split& split) const { return std::make_unique<CountReader>(split, rows_); }

 private:
  int64_t rows_;
};

/// A source and one reader of it through the table.
template <typename Author>
class Opened {
 public:
  explicit Opened(FakeHost& host) : host_(host) {
    api_.struct_size = sizeof api_;
    detail::source_entry<Author, kInfo>(&api_, nullptr);
    source_ = api_.create(&host_.host, nullptr, 0, &error);
    const uint32_t column = 0;
    const tidemark_projection projection{sizeof(tidemark_projection), 1, &column, TIDEMARK_COMMIT_TIME, 0};
    reader_ = api_.open_reader(source_, &host_.host, &projection, &error);
  }
  ~Opened() { close(); }
  void close() {
    if (reader_ != nullptr) api_.close_reader(std::exchange(reader_, nullptr));
    if (source_ != nullptr) api_.destroy(std::exchange(source_, nullptr));
  }

  int32_t add(uint32_t number, std::string_view id, std::string_view position = {}) {
    const tidemark_split split{sizeof split, number, detail::str_of(id), detail::str_of(position)};
    return api_.add_splits(reader_, &split, 1, &error);
  }
  int32_t poll() { return api_.poll_next(reader_, &host_.output, &error); }
  void no_more_splits() { api_.notify_no_more_splits(reader_, &error); }
  void pause(uint32_t split) { api_.pause_or_resume_splits(reader_, &split, 1, nullptr, 0, &error); }
  void resume(uint32_t split) { api_.pause_or_resume_splits(reader_, nullptr, 0, &split, 1, &error); }
  std::string snapshot(uint32_t split) {
    std::string out;
    const auto write = [](void* self, const void* data, uint64_t size) {
      static_cast<std::string*>(self)->append(static_cast<const char*>(data), size);
    };
    return api_.snapshot_split(reader_, split, {&out, write}, &error) == TIDEMARK_OK ? out : error.message;
  }
  uint64_t features() { return api_.source_features(source_); }

  tidemark_error error{sizeof(tidemark_error), 0, 0, UINT32_MAX, {}};

 private:
  FakeHost& host_;
  tidemark_source_api api_{};
  void* source_ = nullptr;
  void* reader_ = nullptr;
};

TEST(EasySource, SplitsTakeTurnsAndEnd) {
  FakeHost host(1);
  Opened<CountSource> opened(host);
  ASSERT_EQ(opened.add(1, "a"), TIDEMARK_OK);
  ASSERT_EQ(opened.add(2, "b"), TIDEMARK_OK);
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(host.said(1) + host.said(2), "[1 2 3][1 2 3]");
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(opened.poll(), TIDEMARK_OK) << "more splits may still come";
  EXPECT_EQ(host.said(1) + host.said(2), "[1 2 3][4 5 6]F[1 2 3][4 5 6]F");
  EXPECT_EQ(opened.poll(), TIDEMARK_NOTHING);
  opened.no_more_splits();
  EXPECT_EQ(opened.poll(), TIDEMARK_END);
  EXPECT_TRUE((opened.features() & TIDEMARK_CAN_PAUSE_SPLITS) != 0);
}

TEST(EasySource, PausedSplitsAreNotRead) {
  FakeHost host(1);
  Opened<CountSource> opened(host);
  opened.add(1, "a");
  opened.add(2, "b");
  opened.pause(1);
  opened.poll();
  opened.poll();
  EXPECT_EQ(host.said(1), "");
  EXPECT_EQ(host.said(2), "[1 2 3][4 5 6]F");
  EXPECT_EQ(opened.poll(), TIDEMARK_NOTHING);
  opened.resume(1);
  opened.poll();
  EXPECT_EQ(host.said(1), "[1 2 3]");
}

TEST(EasySource, RowNumbersGoOnAfterARestart) {
  std::string position;
  {
    FakeHost host(1);
    Opened<CountSource> opened(host);
    opened.add(1, "a");
    opened.poll();
    position = opened.snapshot(1);
  }
  EXPECT_EQ(position, "1:4:3");
  FakeHost host(1);
  Opened<CountSource> opened(host);
  ASSERT_EQ(opened.add(9, "a", position), TIDEMARK_OK);
  opened.poll();
  EXPECT_EQ(host.said(9), "[4 5 6]F");
  EXPECT_EQ(test::cell<int64_t>(*host.submitted[0], 0, 0), 3);
  EXPECT_EQ(opened.add(8, "b", "2:nonsense"), TIDEMARK_E_STATE);
  EXPECT_EQ(opened.add(8, "b", "1::5"), TIDEMARK_E_STATE);
  EXPECT_EQ(opened.add(8, "b", "1:"), TIDEMARK_E_STATE);
}

TEST(EasySource, NoCreditReadsNothing) {
  FakeHost host(1);
  Opened<CountSource> opened(host);
  opened.add(1, "a");
  host.set_credit(false);
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(opened.snapshot(1), "1:1:0");
  host.set_credit(true);
  opened.poll();
  EXPECT_EQ(host.said(1), "[1 2 3]");
}

/// Has nothing to read; says so, or its end, with the words of its split's id. Asks for room first or not at all.
class EmptyReader final : public SplitReader {
 public:
  explicit EmptyReader(const Split& split) : id_(split.id) {}
  Status fetch(SplitOutput& out) override {
    if (id_.starts_with("asks") && !out.has_room()) return id_ == "asks, ends" ? Status::end : Status::nothing;
    return Status::nothing;
  }
  std::string position() const override { return ""; }

 private:
  std::string id_;
};

class EmptySource {
 public:
  explicit EmptySource(const Options&) {}
  Schema schema() const { return {{"n", Type::int64}}; }
  std::vector<std::string> discover() const { return {}; }
  std::unique_ptr<SplitReader> open(const Split& split) const { return std::make_unique<EmptyReader>(split); }
};

TEST(EasySource, AReaderThatHasNothingCostsNoBatch) {
  FakeHost host(1);
  Opened<EmptySource> opened(host);
  opened.add(1, "quiet");
  opened.add(2, "quiet too");
  EXPECT_EQ(opened.poll(), TIDEMARK_NOTHING);
  host.set_credit(false);
  EXPECT_EQ(opened.poll(), TIDEMARK_NOTHING) << "it needs no credit to say so";
  EXPECT_EQ(host.batches_acquired() + host.batches_refused(), 0u);
}

TEST(EasySource, AReaderThatMetNoCreditIsAskedAgainWhateverItSays) {
  for (const char* id : {"asks", "asks, ends"}) {
    FakeHost host(1);
    Opened<EmptySource> opened(host);
    opened.add(1, id);
    opened.no_more_splits();
    host.set_credit(false);
    EXPECT_EQ(opened.poll(), TIDEMARK_OK) << id;
    EXPECT_EQ(host.said(1), "") << id;
    host.set_credit(true);
    EXPECT_EQ(opened.poll(), TIDEMARK_NOTHING) << id;
  }
}

TEST(EasySource, ErrorsNameSplitAndPositionAndKeepTheRowsBefore) {
  FakeHost host(1);
  Opened<CountSource> opened(host);
  opened.add(5, "bad");
  opened.poll();
  EXPECT_EQ(opened.poll(), TIDEMARK_E_DATA);
  EXPECT_STREQ(opened.error.message, "row 4 is bad: '4' (after position 4)");
  EXPECT_EQ(opened.error.split, 5u);
  EXPECT_EQ(host.said(5), "[1 2 3][4]");
  EXPECT_EQ(opened.snapshot(5), "1:5:4");
}

/// What the blocking reader below waits for.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  int rows = 0;
  bool woken = false;
  std::atomic<int> readers{0};
  std::atomic<int> blocked{0};
};
Gate& gate() {
  static Gate out;
  return out;
}

/// Blocks in fetch() until there is a row, or wake_up(); it asks for room before it waits, as a read loop does.
class BlockingReader final : public SplitReader {
 public:
  explicit BlockingReader(const Split& split) : next_(split.position.empty() ? 0 : std::stoi(split.position)) {
    ++gate().readers;
  }
  ~BlockingReader() override { --gate().readers; }
  Status fetch(SplitOutput& out) override {
    for (int i = 0; i < 2 && out.has_room() && wait_for_row(i == 0); ++i, ++next_) {
      out.append(Op::insert).set(0, next_);
      if (i == 0) out.emit_watermark(next_);
      if (next_ == 200) out.set_disconnected("gone");
      if (next_ == 201) out.set_connected();
      if (next_ == 100) throw SourceError("row 100 is bad");
    }
    return Status::nothing;
  }
  std::string position() const override { return std::to_string(next_); }
  void wake_up() noexcept override {
    const std::lock_guard lock(gate().mutex);
    gate().woken = true;
    gate().changed.notify_all();
  }

 private:
  bool wait_for_row(bool may_block) const {
    std::unique_lock lock(gate().mutex);
    ++gate().blocked;
    if (may_block) gate().changed.wait(lock, [&] { return gate().woken || gate().rows > next_; });
    --gate().blocked;
    return gate().rows > next_;
  }

  int next_;
};

class BlockingSource {
 public:
  using thread_per_split = std::true_type;
  explicit BlockingSource(const Options&) {}
  Schema schema() const { return {{"n", Type::int64}}; }
  std::vector<FoundSplit> discover() const { return {{"a", "a note"}}; }
  std::unique_ptr<SplitReader> open(const Split& split) const { return std::make_unique<BlockingReader>(split); }
};

void let_through(int rows) {
  const std::lock_guard lock(gate().mutex);
  gate().rows = rows;
  gate().woken = false;
  gate().changed.notify_all();
}

TEST(ThreadedSplit, RowsOfOneFetchComeTogetherWithTheirPosition) {
  let_through(0);
  FakeHost host(1);
  Opened<BlockingSource> opened(host);
  opened.add(1, "a");
  EXPECT_EQ(opened.poll(), TIDEMARK_NOTHING) << "poll_next does not wait for a reader that blocks";
  EXPECT_EQ(opened.snapshot(1), "1:1:");
  let_through(2);
  ASSERT_TRUE(host.wait_notified(0));
  EXPECT_EQ(opened.snapshot(1), "1:1:") << "not handed over yet";
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(host.said(1), "[1]W0[2]");
  EXPECT_EQ(opened.snapshot(1), "1:3:2");
}

TEST(ThreadedSplit, BlockedSplitsHoldNoCreditAndDoNotStarveOthers) {
  let_through(2);
  FakeHost host(1);
  host.set_batches_max(2);
  Opened<BlockingSource> opened(host);
  for (const uint32_t split : {1u, 2u, 3u}) opened.add(split, "quiet", "1:1:50");
  while (gate().blocked != 3) std::this_thread::yield();
  EXPECT_EQ(host.batches_out(), 0u);
  opened.add(4, "busy");
  ASSERT_TRUE(host.wait_notified(0));
  while (opened.poll() == TIDEMARK_OK) {
  }
  EXPECT_EQ(host.said(4), "[1]W0[2]");
  EXPECT_EQ(host.batches_out(), 0u);
}

TEST(ThreadedSplit, APausedThreadReadsNoMoreAndWhatItHadIsHandedOver) {
  let_through(0);
  FakeHost host(1);
  Opened<BlockingSource> opened(host);
  opened.add(1, "a");
  while (gate().blocked == 0) std::this_thread::yield();
  opened.pause(1);
  let_through(2);
  ASSERT_TRUE(host.wait_notified(0));
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(host.said(1), "[1]W0[2]");
  EXPECT_EQ(host.batches_out(), 0u) << "its credit is back";
  let_through(4);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(opened.poll(), TIDEMARK_NOTHING);
  EXPECT_EQ(host.batches_acquired(), 2u);
  opened.resume(1);
  ASSERT_TRUE(host.wait_notified(1));
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(host.said(1), "[1]W0[2][3]W2[4]");
}

TEST(ThreadedSplit, RowsWaitForCredit) {
  let_through(2);
  FakeHost host(1);
  host.set_credit(false);
  Opened<BlockingSource> opened(host);
  opened.add(1, "a");
  while (host.batches_refused() < 3) std::this_thread::yield();
  EXPECT_EQ(opened.poll(), TIDEMARK_NOTHING);
  host.set_credit(true);
  ASSERT_TRUE(host.wait_notified(0));
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(host.said(1), "[1]W0[2]");
  EXPECT_EQ(opened.snapshot(1), "1:3:2");
}

TEST(ThreadedSplit, CloseEndsAWaitForCredit) {
  let_through(2);
  FakeHost host(1);
  host.set_credit(false);
  {
    Opened<BlockingSource> opened(host);
    opened.add(1, "a");
    while (host.batches_refused() == 0) std::this_thread::yield();
    EXPECT_EQ(opened.snapshot(1), "1:1:");
  }
  EXPECT_EQ(gate().readers, 0);
  EXPECT_TRUE(host.notes().empty());
}

TEST(ThreadedSplit, CloseWakesABlockedReaderAndJoins) {
  let_through(0);
  FakeHost host(1);
  {
    Opened<BlockingSource> opened(host);
    opened.add(1, "a");
    opened.add(2, "b");
    EXPECT_EQ(gate().readers, 2);
  }
  EXPECT_EQ(gate().readers, 0) << "the thread and its reader are gone when close_reader returns";
  EXPECT_EQ(host.batches_out(), 0u) << "every batch came back";
  EXPECT_EQ(host.said(UINT32_MAX), "");
}

TEST(ThreadedSplit, CloseGivesWaitingRowsBack) {
  let_through(2);
  FakeHost host(1);
  {
    Opened<BlockingSource> opened(host);
    opened.add(1, "a");
    ASSERT_TRUE(host.wait_notified(0));
  }
  EXPECT_EQ(host.said(1), "");
  EXPECT_EQ(host.batches_out(), 0u);
}

/// Does not hear wake_up().
class DeafReader final : public SplitReader {
 public:
  DeafReader() { ++gate().readers; }
  ~DeafReader() override { --gate().readers; }
  Status fetch(SplitOutput& out) override {
    if (out.batch() == nullptr) return Status::more;
    std::unique_lock lock(gate().mutex);
    gate().changed.wait(lock, [] { return gate().rows > 0; });
    out.append(Op::insert).set(0, 1);
    out.set_origin({.gtid = "longer than the heap: the host is asked to grow it"});
    return Status::more;
  }
  std::string position() const override { return ""; }
};

TEST(ThreadedSplit, AThreadThatDoesNotEndIsLeftBehindAndNamed) {
  let_through(0);
  FakeHost host(1);
  const Layout layout({{"n", Type::int64}}, std::array<uint32_t, 1>{0});
  {
    const detail::ThreadedSplit split(std::make_unique<DeafReader>(), layout, Host(&host.host), {"a", "", 1}, 1,
                                      std::chrono::milliseconds(50));
    while (host.batches_out() == 0) std::this_thread::yield();
  }
  ASSERT_EQ(host.notes().size(), 1u);
  EXPECT_NE(host.notes()[0].find("split a: fetch() did not return within 50 ms"), std::string::npos);
  EXPECT_EQ(gate().readers, 1);
  let_through(1);
  while (gate().readers != 0) std::this_thread::yield();
  EXPECT_EQ(host.batches_out(), 1u) << "it must not call the host any more, so its batch stays out";
}

TEST(ThreadedSplit, TheConnectionIsToldInOrder) {
  let_through(202);
  FakeHost host(1);
  Opened<BlockingSource> opened(host);
  opened.add(1, "a", "1:9:200");
  ASSERT_TRUE(host.wait_notified(0));
  EXPECT_EQ(opened.poll(), TIDEMARK_OK);
  EXPECT_EQ(host.said(1), "[9]W200D(gone)[10]C");
}

TEST(ThreadedSplit, ErrorsOfTheThreadReachThePoll) {
  let_through(101);
  FakeHost host(1);
  Opened<BlockingSource> opened(host);
  opened.add(1, "a", "1:90:100");
  ASSERT_TRUE(host.wait_notified(0));
  EXPECT_EQ(opened.poll(), TIDEMARK_E_DATA);
  EXPECT_STREQ(opened.error.message, "row 100 is bad (after position 100)");
  EXPECT_EQ(opened.error.split, 1u);
}

}  // namespace
}  // namespace tidemark
