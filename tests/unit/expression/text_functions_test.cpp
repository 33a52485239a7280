// SPDX-License-Identifier: Apache-2.0
//
// Functions of texts: MySQL's results, over columns and over constants, which are computed when they compile.
#include <gtest/gtest.h>

#include "tests/unit/expression/expression_cases.hpp"

namespace tidemark::core {
namespace {

TEST(TextFunctions, of_columns) {
  expect_all({
      {"CONCAT(name, '-', n)", "paid-10 | 12.5--3 | NULL | größe_1-0"},
      {"name || op || price", "paidinsert12.50 | 12.5delete-1.99 | NULL | größe_1update_after99999999.99"},
      {"name || 'x' = 'paidx'", "true | false | NULL | false"},
      {"CONCAT_WS(',', op, name, n)", "insert,paid,10 | delete,12.5,-3 | update_before | update_after,größe_1,0"},
      {"CONCAT_WS(name, 'a', NULL, 'b')", "apaidb | a12.5b | NULL | agröße_1b"},
      {"CONCAT_WS(',', NULL, name)", "paid | 12.5 |  | größe_1"},
      {"UPPER(name)", "PAID | 12.5 | NULL | GRÖßE_1"},
      {"LOWER(UPPER(name))", "paid | 12.5 | NULL | größe_1"},
      {"LENGTH(name)", "4 | 4 | NULL | 9"},
      {"CHAR_LENGTH(name)", "4 | 4 | NULL | 7"},
      {"SUBSTRING(name, 3)", "id | .5 | NULL | öße_1"},
      {"SUBSTRING(name, -3, 2)", "ai | 2. | NULL | e_"},
      {"SUBSTR(name FROM n FOR 2)", " | 2. | NULL | "},
      {"LEFT(name, 3)", "pai | 12. | NULL | grö"},
      {"RIGHT(name, 5)", "paid | 12.5 | NULL | öße_1"},
      {"REPLACE(name, 'ö', 'oe')", "paid | 12.5 | NULL | groeße_1"},
      {"LOCATE('e', name)", "0 | 0 | NULL | 5"},
      {"POSITION('5' IN name)", "0 | 4 | NULL | 0"},
      {"LPAD(name, 6, '<>')", "<>paid | <>12.5 | NULL | größe_"},
      {"RPAD(name, 9, '·')", "paid····· | 12.5····· | NULL | größe_1··"},
      {"REVERSE(name)", "diap | 5.21 | NULL | 1_eßörg"},
      {"SUBSTRING_INDEX(name, '.', 1)", "paid | 12 | NULL | größe_1"},
      {"STARTS_WITH(name, 'gr')", "false | false | NULL | true"},
      {"NULLIF(name, 'paid')", "NULL | 12.5 | NULL | größe_1"},
      {"NULLIF(n, 10.0)", "NULL | -3 | NULL | 0"},
      {"IF(n > 0, name, op)", "paid | delete | update_before | update_after"},
      {"ISNULL(name)", "false | false | true | false"},
      {"REPEAT(name, id)", "paid |  | NULL | failed"},
      {"LEFT(name, price)", "paid |  | NULL | größe_1"},
  });
}

TEST(TextFunctions, edges) {
  const Case kCases[] = {
      {"CONCAT('a', NULL)", "NULL"},
      {"CONCAT(1.50, TRUE, DATE '2026-01-31')", "1.5012026-01-31"},
      {"SUBSTRING('abc', 0)", ""},
      {"SUBSTRING('abc', -4)", ""},
      {"SUBSTRING('abc', -9223372036854775807 - 1)", ""},
      {"SUBSTRING('abc', 2, -1)", ""},
      {"SUBSTRING('abc', 4)", ""},
      {"RIGHT('abc', 0)", ""},
      {"TRIM('  a b ')", "a b"},
      {"LTRIM('  a ') || RTRIM(' b  ')", "a  b"},
      {"TRIM(LEADING 'x' FROM 'xxabcxx')", "abcxx"},
      {"TRIM(TRAILING 'xyz' FROM 'barxxyz')", "barx"},
      {"TRIM(BOTH FROM ' a ')", "a"},
      {"TRIM('' FROM 'abc')", "abc"},
      {"LOCATE('', 'abc')", "1"},
      {"LOCATE('', 'abc', 4)", "4"},
      {"LOCATE('', 'abc', 5)", "0"},
      {"LOCATE('bar', 'foobarbar', 5)", "7"},
      {"INSTR('xbar', 'foobar')", "0"},
      {"LPAD('hi', 1, '?')", "h"},
      {"LPAD('hi', -1, '?')", "NULL"},
      {"RPAD('hi', 5, '')", "NULL"},
      {"SUBSTRING_INDEX('www.mysql.com', '.', 2)", "www.mysql"},
      {"SUBSTRING_INDEX('www.mysql.com', '.', -2)", "mysql.com"},
      {"SUBSTRING_INDEX('aaa', 'aa', -1)", "a"},
      {"SUBSTRING_INDEX('a.b', '.', -2)", "a.b"},
      {"SUBSTRING_INDEX('abc', '', 1)", ""},
      {"REPEAT('ab', 0)", ""},
      {"REPLACE('aaa', 'aa', 'b')", "ba"},
      {"REPEAT('x', 1000000)", "failed"},
      {"LPAD('x', 9223372036854775807, 'y')", "failed"},
      {"LENGTH(REPLACE(REPEAT('a', 65536), 'a', 'bb'))", "failed"},
      {"UPPER('ǆ ÿ ɐ')", "Ǆ Ÿ Ɐ"},
  };
  for (const Case& one : kCases) EXPECT_EQ(constant(one.text), one.expected) << one.text;
  EXPECT_EQ(evaluate("'2026' || '-01-31' < dt"), "true | false | NULL | false");
}

TEST(TextFunctions, errors_have_places) {
  expect_all({
      {"LOWER(n)", "argument 6+1: `LOWER` needs a text, `n` is integer (CAST(n AS CHAR))"},
      {"LEFT(name, name)", "argument 11+4: `LEFT` needs numbers, `name` is text (CAST(name AS DECIMAL(18,4)))"},
      {"SUBSTRING(name)", "argument 0+15: `substring` has 1 argument (write SUBSTRING(text, start[, length]))"},
      {"IF(n, 1, 'x')",
       "argument 9+3: `'x'` is text, but `1` is integer (CAST('x' AS DECIMAL(18,4)), or a number without quotes)"},
      {"POSITION('a', name)", "syntax 12+1: `,` stands where IN is expected (POSITION('x' IN text))"},
      {"TRIM(LEADING 'x', name)", "syntax 16+1: `,` stands where FROM is expected (TRIM(LEADING 'x' FROM text))"},
      {"name || n + name", "argument 12+4: `+` needs numbers, `name` is text (CAST(name AS DECIMAL(18,4)))"},
  });
}

TEST(TextFunctions, regular_expressions) {
  expect_all({
      {"name REGEXP '^[a-z]+$'", "true | false | NULL | false"},
      {"name NOT RLIKE '[0-9]'", "true | false | NULL | false"},
      {"name REGEXP 'gr.ße'", "false | false | NULL | true"},
      {"name REGEXP NULL", "NULL | NULL | NULL | NULL"},
      {"REGEXP_LIKE(name, 'PAID', 'i')", "true | false | NULL | false"},
      {"REGEXP_LIKE(name, 'PAID', 'ic')", "false | false | NULL | false"},
      {"REGEXP_SUBSTR(name, '[0-9]+')", "NULL | 12 | NULL | 1"},
      {"REGEXP_REPLACE(name, '([a-z])([0-9a-z])', '$2\\1')", "apdi | 12.5 | NULL | rgöße_1"},
      {"REGEXP_REPLACE(name, 'x*', '-')", "-p-a-i-d- | -1-2-.-5- | NULL | -g-r-ö-ß-e-_-1-"},
      {"REGEXP_REPLACE(name, '.', '$0$0')",
       "ppaaiidd | 1122..55 | NULL | ggrrööß"
       "ßee__11"},
      {"REGEXP_REPLACE('', '^$', 'x')", "x | x | x | x"},
      {"REGEXP_REPLACE(REPEAT('a', 60000), 'a', 'bb')", "failed | failed | failed | failed"},
      {"name REGEXP 'a(b'",
       "syntax 12+5: the pattern does not read: missing ): a(b (patterns are RE2's: matched in linear time, so without "
       "look-around and back references)"},
      {"name REGEXP '(?=a)'",
       "syntax 12+7: the pattern does not read: invalid perl operator: (?= (patterns are RE2's: matched in linear "
       "time, "
       "so without look-around and back references)"},
      {"name REGEXP op", "unsupported 12+2: a pattern stands in quotes (a pattern out of a column is not supported)"},
      {"REGEXP_REPLACE(name, 'a', '$1')",
       "syntax 26+4: the pattern has no group 1 ($1 is the first group, $0 the whole match)"},
      {"REGEXP_LIKE(name, 'a', 'x')",
       "unsupported 23+3: there is no match type `x` (c: case matters, i: it does not, m: ^ and $ are ends of lines, "
       "n: "
       ". is any character)"},
  });
  // Exponential for engines that backtrack.
  EXPECT_EQ(constant("REPEAT('a', 5000) REGEXP '^(a+)+b$'"), "false");
}

TEST(TextFunctions, json) {
  expect_all({
      {"doc->'$.a.b'", "[1, \"x\\u00e9\\\"y\\n\"] | NULL | NULL | NULL"},
      {"doc->>'$.a.b[1]'", "xé\"y\n | NULL | NULL | NULL"},
      {"doc->'$[0]'",
       "{\"a\": {\"b\": [1, \"x\\u00e9\\\"y\\n\"]}, \"n\": 12.5, \"s\": \"paid\", \"z\": null, \"n\": "
       "12.75} | 1 | NULL | \"just\""},
      {"doc->>'$[2].\"k k\"'", "NULL | true | NULL | NULL"},
      {"doc->>'$.z'", "null | NULL | NULL | NULL"},
      {"JSON_VALUE(doc, '$.z')", "NULL | NULL | NULL | NULL"},
      {"JSON_VALUE(doc, '$')", "NULL | NULL | NULL | just"},
      {"JSON_VALUE(doc, '$.n' RETURNING DECIMAL(10,2)) + 1", "13.75 | NULL | NULL | NULL"},
      {"CAST(doc->'$.n' AS DOUBLE)", "12.75 | NULL | NULL | NULL"},
      {"JSON_TYPE(doc)", "OBJECT | ARRAY | NULL | STRING"},
      {"JSON_LENGTH(doc)", "5 | 4 | NULL | 1"},
      {"JSON_LENGTH(doc, '$.a.b')", "2 | NULL | NULL | NULL"},
      {"JSON_UNQUOTE(doc) = 'just'", "false | false | NULL | true"},
      {"doc->>'$.s' = name", "true | NULL | NULL | NULL"},
      {"JSON_VALID(name)", "false | true | NULL | false"},
      {"JSON_EXTRACT(name, '$')", "NULL | 12.5 | NULL | NULL"},
      {"doc->'$.s' = 'paid'",
       "argument 0+10: `doc->'$.s'` is a JSON value, `'paid'` is a text (->> and JSON_VALUE give the text in a JSON "
       "string, CAST(… AS CHAR) the JSON as it is)"},
      {"IF(b, doc->'$.s', NULL) = COALESCE(NULL, doc->'$.s')", "true | NULL | NULL | NULL"},
      {"CASE WHEN b THEN COALESCE(doc->'$.x', NULLIF(doc->'$.s', '1'->'$')) END = name",
       "argument 0+71: `CASE WHEN b THEN COALESCE(doc->'$.x', NU…` is a JSON value, `name` is a text (->> and "
       "JSON_VALUE "
       "give the text in a JSON string, CAST(… AS CHAR) the JSON as it is)"},
      {"CAST(doc->'$.s' AS CHAR) = '\"paid\"'", "true | NULL | NULL | NULL"},
      {"doc->'$.a[*]'", "syntax 10+1: wildcards are not supported in paths (a path leads to one value)"},
      {"doc->'a'", "syntax 6+1: a path begins with $ (such as '$.items[0].price')"},
      {"JSON_VALUE(doc, op)",
       "unsupported 16+2: a path stands in quotes (such as '$.items[0].price'; one path, not out of a column)"},
      {"doc->n", "syntax 5+1: `n` stands where a path in quotes is expected (such as details->>'$.items[0].price')"},
  });
  const Case kConstants[] = {
      {"JSON_TYPE('9223372036854775808')", "UNSIGNED INTEGER"},
      {"JSON_TYPE('-9223372036854775809')", "DOUBLE"},
      {"JSON_TYPE(' 1e2 ')", "DOUBLE"},
      {"JSON_TYPE('true')", "BOOLEAN"},
      {"JSON_TYPE('null')", "NULL"},
      {"JSON_TYPE('{\"a\":1} x')", "NULL"},
      {"JSON_TYPE('')", "NULL"},
      {"JSON_VALUE('{\"a\": \"\\ud83d\\ude00\"}', '$.a')", "😀"},
      {"JSON_VALUE('{\"\\u0061\": [[3]]}', '$.a[0][0]')", "3"},
      {"JSON_UNQUOTE('\"a\\tb\"')", "a\tb"},
      {"JSON_UNQUOTE('\"a\\xb\"')", "NULL"},
      {"JSON_LENGTH('[]')", "0"},
      {"JSON_LENGTH('{\"a\": [1, {\"b\": \"]\"}], \"c\": 2}')", "2"},
  };
  for (const Case& one : kConstants) EXPECT_EQ(constant(one.text), one.expected) << one.text;
}

}  // namespace
}  // namespace tidemark::core
