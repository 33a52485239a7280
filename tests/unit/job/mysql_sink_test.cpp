// SPDX-License-Identifier: Apache-2.0
//
// [sinks.<id>] with type = "mysql": addresses, passwords that no message shows, and keys that tell results apart.
#include <fmt/format.h>

#include "config/job/effective.hpp"
#include "config/job/mysql_dsn.hpp"
#include "config/job/secret_mask.hpp"
#include "job_text.hpp"

namespace tidemark::config {
namespace {

using test::load;

/// A job whose sink is a table; `aggregate` and `sink` are lines of theirs.
std::string job(const std::string& sink, const std::string& aggregate = "",
                const std::string& window = R"({ type = "tumbling", size = "1m" })") {
  return fmt::format(
      "[job]\nname = \"shop\"\n[sources.orders]\ntype = \"generator\"\n[aggregates.totals]\ninputs = [\"orders\"]\n"
      "key_by = [\"region\"]\nwindow = {}\n{}\n[aggregates.totals.columns]\norders = \"count()\"\n[sinks.out]\n"
      "type = \"mysql\"\ninputs = [\"totals\"]\ntable = \"t\"\n{}\n",
      window, aggregate, sink);
}

constexpr const char* kDsn = "dsn = \"mysql://app@db/bi\"\n";

std::string findings(const std::string& text) {
  return test::findings(text);
}

TEST(MysqlDsn, is_read_in_parts) {
  const auto read = read_mysql_dsn("mysql://app:a%40b@db-host:3307/bi?socket=/run/s");
  ASSERT_TRUE(read.is_ok());
  EXPECT_EQ(read->user, "app");
  EXPECT_EQ(read->password.reveal(), "a@b");
  EXPECT_EQ(read->host, "db-host");
  EXPECT_EQ(read->port, 3307);
  EXPECT_EQ(read->database, "bi");
  EXPECT_EQ(read->socket, "/run/s");
  EXPECT_EQ(read_mysql_dsn("mysql://[::1]:3306/bi")->host, "::1");
  for (const char* text : {"db/bi", "mysql://db", "mysql://db/", "mysql:///bi", "mysql://db:x/bi", "mysql://db:0/bi",
                           "mysql://db:70000/bi", "mysql://:pw@db/bi", "mysql://db/bi?x=1", "mysql://db/a/b"}) {
    EXPECT_FALSE(read_mysql_dsn(text).is_ok()) << text;
  }
}

TEST(MysqlDsn, case_C06_a_password_works_as_it_is_and_encoded) {
  const std::string secret = "Zq9!x@:/ #";
  EXPECT_EQ(read_mysql_dsn("mysql://app:" + secret + "@db/bi")->password.reveal(), secret);
  EXPECT_EQ(read_mysql_dsn("mysql://app:Zq9!x%40%3A%2F%20%23@db/bi")->password.reveal(), secret);
}

TEST(SecretMask, case_C06_no_line_shows_a_password) {
  EXPECT_EQ(without_secrets(R"(password = "Zq9!x@:/ #")"), "password = ************");
  EXPECT_EQ(without_secrets(R"(a = 1, "password"="x" })"), R"(a = 1, "password"=*****)");
  EXPECT_EQ(without_secrets(R"(dsn = "mysql://app:Zq9!x@:/ #@db/bi")"), R"(dsn = "mysql://app:**********@db/bi")");
  EXPECT_EQ(without_secrets(R"(password = { env = "X" })"), R"(password = { env = "X" })");
  EXPECT_EQ(without_secrets(R"(dsn = "mysql://app@db:3306/bi")"), R"(dsn = "mysql://app@db:3306/bi")");
}

TEST(MysqlSpec, is_read_with_defaults_and_printed_without_the_password) {
  const LoadResult loaded =
      load(job("dsn = \"mysql://app:secret@db/bi\"\nkey = [\"region\", \"window_start\"]\n"
               "retry = { max_attempts = 0, max = \"1m\" }\non_reject = \"set_aside\""));
  ASSERT_TRUE(loaded.spec) << render_text(loaded.diagnostics);
  EXPECT_EQ(render_text(loaded.diagnostics), "");
  const MysqlSpec& mysql = loaded.spec->sinks.front().mysql;
  EXPECT_EQ(mysql.password.read()->reveal(), "secret");
  EXPECT_EQ(mysql.batch_rows.value, 1000);
  EXPECT_EQ(mysql.on_reject.value, OnReject::set_aside);
  EXPECT_NE(describe_effective(*loaded.spec)
                .find("sink out: mysql of totals, table t in app@db:3306/bi, key region, window_start, batch 1000 rows "
                      "(default) 4MiB (default), retry for ever after 200ms (default) to 1m, on_reject set_aside\n"),
            std::string::npos)
      << describe_effective(*loaded.spec);
}

TEST(MysqlSpec, case_C06_mistakes_with_passwords_are_named_without_them) {
  const std::string key = "key = [\"region\", \"window_start\"]\n";
  for (const std::string& lines :
       {std::string("dsn = \"mysql://app:Zq9@db\"\n"),
        std::string("dsn = \"mysql://app:Zq9@db/bi\"\npassword = \"Zq9\"\n"), kDsn + std::string("password = 99\n"),
        kDsn + std::string("password = { env = \"UNSET\" }\n"), kDsn + std::string("password = {}\n"),
        kDsn + std::string("password = \"Zq9\n"), std::string("dsn = \"mysql://app:Zq9@db/bi\"\nuser = \"other\"\n")}) {
    const std::string text = findings(job(lines + key));
    EXPECT_NE(text, "") << lines;
    EXPECT_EQ(text.find("Zq9"), std::string::npos) << text;
    EXPECT_EQ(text.find("99"), std::string::npos) << text;
  }
  EXPECT_NE(findings(job(kDsn + std::string("password = { env = \"UNSET\" }\n") + key))
                .find("error[F012]: the environment variable `UNSET`, which has the password, is not set"),
            std::string::npos);
  const auto environment = load(job(kDsn + std::string("password = { env = \"PW\" }\n") + key), {{"PW", "x y"}});
  EXPECT_EQ(environment.spec->sinks.front().mysql.password.read()->reveal(), "x y");
  EXPECT_FALSE(load(job(kDsn + std::string("password = { env = \"PW\" }\n") + key), {}, true).diagnostics.has_errors());
}

TEST(MysqlSpec, two_sinks_in_one_table_are_refused) {
  const std::string lines = kDsn + std::string("key = [\"region\", \"window_start\"]\n");
  const std::string second = "[sinks.other]\ntype = \"mysql\"\ninputs = [\"totals\"]\ntable = \"t\"\n" + lines;
  EXPECT_NE(findings(job(lines + second)).find("error[F017]: sink `out` writes this table already"), std::string::npos);
}

TEST(MysqlSpec, the_key_must_tell_results_apart) {
  const auto with_key = [](const std::string& key, const std::string& aggregate = "",
                           const std::string& window = R"({ type = "tumbling", size = "1m" })") {
    return findings(job(kDsn + ("key = [" + key + "]"), aggregate, window));
  };
  EXPECT_EQ(with_key(R"("region", "window_end")"), "");
  EXPECT_NE(with_key(R"("window_end")").find("the key of sink `out` lacks `region`"), std::string::npos);
  EXPECT_NE(with_key(R"("region")").find("lacks `window_start` or `window_end`"), std::string::npos);
  EXPECT_NE(with_key(R"("region", "window_start", "orders")").find("`orders` is a result"), std::string::npos);
  EXPECT_NE(with_key(R"("regin", "window_start")").find("did you mean `region`?"), std::string::npos);
  EXPECT_NE(with_key("").find("no columns in its `key`"), std::string::npos);
  EXPECT_NE(
      with_key(R"("region", "window_start")", "", R"({ type = "session", gap = "5m" })").find("lacks `window_end`"),
      std::string::npos);
  EXPECT_NE(with_key(R"("region", "window_start")", "", R"({ type = "cumulative", max_size = "1h", step = "5m" })")
                .find("lacks `window_end`"),
            std::string::npos);
  EXPECT_EQ(with_key(R"("region")", "emit = { early = \"on_update\" }", R"({ type = "global" })"), "");
  EXPECT_NE(
      with_key(R"("region", "window_start")", "emit = { early = \"10s\", purge = true }").find("lacks `revision`"),
      std::string::npos);
}

}  // namespace
}  // namespace tidemark::config
