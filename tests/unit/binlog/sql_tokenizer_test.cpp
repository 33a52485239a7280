// SPDX-License-Identifier: Apache-2.0
// Tokens of SQL in all the spellings that DDL in binlogs comes in.
// Thread: one.
#include "binlog/sql_tokenizer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tidemark::binlog {
namespace {

/// Values of all tokens, each closed by '|'; kBad shows as <bad>.
std::string joined(std::string_view sql, SqlRules rules = {}) {
  std::string text;
  for (const SqlToken& token : tokenize(sql, rules)) {
    if (token.kind == TokenKind::kEnd) break;
    text += token.kind == TokenKind::kBad ? "<bad>" : token.value();
    text += '|';
  }
  return text;
}

TEST(SqlTokenizer, NamesAndStringsLoseTheirQuotes) {
  EXPECT_EQ(joined("ALTER TABLE `a``b`.\"c\"\"d\" x'41'"), "ALTER|TABLE|a`b|.|c\"d|x|41|");
  EXPECT_EQ(joined(R"('it''s' 'a\'b\\' 'c\nd\%')"), "it's|a'b\\|c\nd\\%|");
  EXPECT_EQ(joined(R"('a\' b)", {false, false}), "a\\|b|");
  EXPECT_EQ(joined(R"("a\" b)", {true, true}), "a\\|b|");
}

TEST(SqlTokenizer, CommentsGoAndExecutableCommentsStay) {
  EXPECT_EQ(
      joined("/* x */ CREATE -- y\n TABLE # z\n t /*!50100 PARTITION BY HASH(a) */ /*M! INVISIBLE*/ /*!80023 k */"),
      "CREATE|TABLE|t|PARTITION|BY|HASH|(|a|)|INVISIBLE|k|");
  EXPECT_EQ(joined("a--b /*!90000x/*y*/z*/ -- end"), "a|-|-|b|x|z|");
  EXPECT_EQ(joined("1 */ 2"), "1|*|/|2|");
}

TEST(SqlTokenizer, NumbersAndNamesThatStartWithDigits) {
  EXPECT_EQ(joined("1 1.5e-3 .5 2nd_table db.3rd db.4 1e5x 12,4"),
            "1|1.5e-3|.5|2nd_table|db|.|3rd|db|.|4|1e5x|12|,|4|");
}

TEST(SqlTokenizer, UnterminatedTextIsBadAndEnds) {
  EXPECT_EQ(joined("a 'b"), "a|<bad>|");
  EXPECT_EQ(joined("a /* b"), "a|<bad>|");
  EXPECT_EQ(joined("a `b"), "a|<bad>|");
  EXPECT_EQ(joined("'b\\"), "<bad>|");
  EXPECT_EQ(joined("a /*!50100 b"), "a|b|<bad>|");
  // Text that nothing follows in memory: the end is not read.
  const std::vector<char> tight{'/', '*', '!', 'x'};
  EXPECT_EQ(joined({tight.data(), tight.size()}), "x|<bad>|");
  EXPECT_EQ(tokenize("").size(), 1u);
}

}  // namespace
}  // namespace tidemark::binlog
