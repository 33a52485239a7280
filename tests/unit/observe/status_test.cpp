// SPDX-License-Identifier: Apache-2.0
//
// The status over JSON and back, who may ask for it, and what an explanation makes of it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/observe/explanation.hpp"
#include "core/observe/http_server.hpp"
#include "core/observe/status_client.hpp"
#include "core/observe/status_json.hpp"
#include "tests/unit/observe/sample_status.hpp"

namespace tidemark::core::test {
namespace {

TEST(StatusJson, a_status_comes_back_as_it_was) {
  JobStatus job = sample_status();
  job.splits[2].status.flapping = true;
  job.splits[2].alignment_group = "shop";
  job.splits[2].drift_us = 1'500'000;
  job.splits[0].status.watermark = kEndOfTime;
  job.splits[0].status.known_progress = kNow + 3;
  const std::string text = status_to_json(job);
  const auto back = status_from_json(text);
  ASSERT_TRUE(back.is_ok()) << back.status().message();
  EXPECT_EQ(status_to_json(*back), text);
  EXPECT_EQ(back->splits[1].rows_read, (uint64_t{1} << 53) + 1);
  EXPECT_EQ(back->splits[1].status.times.life_us(), job.splits[1].status.times.life_us());
  EXPECT_EQ(back->aggregates[0].holder, 1u);

  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["splits"][1]["rows_read"], "9007199254740993") << "beyond 2^53 as text";
  EXPECT_EQ(json["splits"][0]["rows_read"], 100);
  EXPECT_EQ(json["splits"][0]["watermark"], "end");
  EXPECT_EQ(json["splits"][1]["since"], "2026-03-28T23:56:55Z");
  EXPECT_EQ(json["aggregates"][0]["holder"]["shard"], "shard-1");
}

TEST(StatusJson, what_is_no_status_is_an_error_and_odd_values_are_none) {
  for (const char* text : {"", "[]", "{}", "{\"splits\":3}", "<html>"}) EXPECT_FALSE(status_from_json(text).is_ok());
  const auto odd = status_from_json(
      R"({"splits":[{"number":-1,"state":7,"watermark":"yesterday","silent_seconds":1e300,"arrivals":[]}, 5],
          "aggregates":[{"holder":"x","sources":[1,"a"]}],"epochs":null,"job":3})");
  ASSERT_TRUE(odd.is_ok());
  EXPECT_EQ(odd->splits.size(), 2u);
  EXPECT_EQ(odd->splits[0].status.watermark, kNoTime);
  EXPECT_EQ(odd->aggregates[0].sources, std::vector<std::string>{"a"});
}

TEST(HttpServer, only_its_own_names_are_answered) {
  for (const char* own : {"localhost", "localhost:8686", "LOCALHOST:1", "127.0.0.1:8686", "127.1.2.3", "[::1]:8686"}) {
    EXPECT_TRUE(is_own_host(own, "127.0.0.1")) << own;
  }
  for (const char* other : {"", "evil.example", "evil.example:8686", "127.0.0.1.evil.example", "10.0.0.7", "[::2]"}) {
    EXPECT_FALSE(is_own_host(other, "127.0.0.1")) << other;
  }
  EXPECT_TRUE(is_own_host("db-monitor:8686", "db-monitor"));
  EXPECT_TRUE(is_own_host("10.0.0.7:8686", "0.0.0.0")) << "an address cannot be rebound";
  EXPECT_FALSE(is_own_host("evil.example", "0.0.0.0"));
  EXPECT_EQ(HttpListen::parse("[::1]:80").host, "::1");
  EXPECT_EQ(HttpListen::parse("127.0.0.1:0").port, 0);
}

TEST(HttpServer, answers_until_it_is_stopped_and_shares_its_port_with_nobody) {
  const SystemClock clock;
  auto server = HttpServer::bind({"127.0.0.1", 0}, false, clock);
  ASSERT_TRUE(server.is_ok()) << server.status().message();
  const std::string address = (*server)->address();
  const auto second = HttpServer::bind(HttpListen::parse(address), false, clock);
  ASSERT_FALSE(second.is_ok());
  EXPECT_EQ(second.status().code(), Code::io);
  EXPECT_NE(second.status().message().find("cannot listen on " + address), std::string::npos);
  const auto elsewhere = HttpServer::bind(HttpListen::parse(address), true, clock);
  ASSERT_TRUE(elsewhere.is_ok()) << elsewhere.status().message();
  EXPECT_NE((*elsewhere)->address(), address);
  (*elsewhere)->start([] { return sample_status(); });  // stopped at once: it may not even have begun
  (*server)->start([] { return sample_status(); });
  const auto got = fetch_status(address);
  ASSERT_TRUE(got.is_ok()) << got.status().message();
  EXPECT_EQ(status_to_json(*got), status_to_json(sample_status()));
  (*server)->stop();
  EXPECT_FALSE(fetch_status(address).is_ok());
}

const AggregateExplanation& only(const Explanation& explanation) {
  EXPECT_EQ(explanation.aggregates.size(), 1u);
  return explanation.aggregates.front();
}

TEST(Explanation, a_silent_shard_without_a_timeout_and_the_figure_from_its_gaps) {
  const JobStatus job = sample_status();
  const Explanation explanation = explain(job);
  const AggregateExplanation& one = only(explanation);
  EXPECT_EQ(one.verdict, Verdict::held);
  EXPECT_EQ(one.holder, 1u);
  EXPECT_EQ(one.ahead_us, 189 * kSecond) << "the idle one does not count";
  ASSERT_EQ(one.remedies.size(), 1u);
  EXPECT_EQ(one.remedies[0].setting, "sources.orders.watermark.idle_timeout");
  EXPECT_EQ(one.remedies[0].value, "45s");
  const std::string text = explanation_text(job, explanation);
  for (const char* part :
       {"split shard-1 of source orders sets the watermark, since 3m4s", "for 3m5s, and it has no idle_timeout",
        "3 windows open (the next ends at 2026-03-28T23:57:00Z), 3.0 MiB of state; the others are up to 3m9s ahead",
        "idle_timeout = \"45s\" would have taken it out of the minimum by now (measured on it: P99 gap 12s, batch "
        "period 20s over 200 gaps)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
  }
  const auto json = nlohmann::json::parse(explanation_json(job, explanation));
  EXPECT_EQ(json["aggregates"][0]["verdict"], "held");
  EXPECT_EQ(json["aggregates"][0]["remedies"][0]["value"], "45s");
}

TEST(Explanation, a_shard_that_never_sent_enough_takes_its_neighbours_figure) {
  JobStatus job = sample_status();
  job.splits[0].status.arrivals = job.splits[1].status.arrivals;
  job.splits[1].status.arrivals = {};
  const Explanation explanation = explain(job);
  EXPECT_EQ(only(explanation).remedies.at(0).value, "45s");
  job.splits[0].status.arrivals = {};
  EXPECT_EQ(only(explain(job)).remedies.at(0).value, "") << "no figure out of nothing";
}

TEST(Explanation, case_W04_all_idle_says_what_stays_open_and_what_would_close_it) {
  JobStatus job = sample_status();
  for (SplitView& split : job.splits) split.status.state = split.status.times.state = SplitState::idle;
  job.aggregates[0].holder.reset();
  job.aggregates[0].all_idle = true;
  job.aggregates[0].open_windows = 1;
  const Explanation explanation = explain(job);
  EXPECT_EQ(only(explanation).verdict, Verdict::all_idle);
  const std::string text = explanation_text(job, explanation);
  for (const char* part :
       {"all splits idle", "all_idle = \"hold\": the watermark stands until rows come", "keeps 1 window open",
        "all_idle = \"flush\" would move the watermark to 2026-03-28T23:59:59Z", "all_idle = \"end_of_time\"",
        "all_idle = { advance_after"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
  }
}

TEST(Explanation, other_states_and_notes) {
  JobStatus job = sample_status();
  job.splits[1].status.state = SplitState::blocked;
  EXPECT_NE(explanation_text(job, explain(job)).find("No watermark setting changes that"), std::string::npos);
  job.splits[1].status.state = SplitState::disconnected;
  EXPECT_NE(explanation_text(job, explain(job)).find("has lost it"), std::string::npos);
  job.splits[2].status.flapping = true;
  job.splits[2].status.idle_timeout_us = kSecond;
  job.splits[2].status.arrivals = {50, 3 * kSecond, 9, 3 * kSecond, 10 * kSecond};
  job.splits[0].status.max_event_time = kNow + 3600 * kSecond;
  const Explanation explanation = explain(job);
  ASSERT_EQ(explanation.notes.size(), 2u);
  EXPECT_EQ(explanation.notes[0].kind, "clock_ahead");
  EXPECT_EQ(explanation.notes[1].kind, "flapping");
  EXPECT_EQ(explanation.notes[1].remedy->value, "10s");
  job.aggregates[0].watermark = kEndOfTime;
  EXPECT_EQ(only(explain(job)).verdict, Verdict::closed);
  job.finished = true;
  EXPECT_EQ(only(explain(job)).verdict, Verdict::ended);
}

}  // namespace
}  // namespace tidemark::core::test
