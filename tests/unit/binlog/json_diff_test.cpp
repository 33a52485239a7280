// SPDX-License-Identifier: Apache-2.0
// JSON diffs: paths, each operation on members and elements, and diffs that do not fit.
// One thread.
#include <gtest/gtest.h>

#include "binlog/json_diff.hpp"
#include "binlog_builder.hpp"

namespace tidemark::binlog {
namespace {

constexpr const char* kCorrupt = "<corrupt>";

// {"a": 1234, "bb": [1, 2, 3], "dd": {"x": null}}
Bytes document() {
  return from_hex(
      "00 03 00 37 00"                             // object of 3 members and 0x37 bytes
      "19 00 01 00  1a 00 02 00  1c 00 02 00"      // where the keys are
      "05 d2 04  02 1e 00  00 2b 00"               // types and values, or where those are
      "61  62 62  64 64"                           // keys
      "03 00 0d 00  05 01 00  05 02 00  05 03 00"  // the array
      "01 00 0c 00  0b 00 01 00  04 00 00  78");   // the inner object
}

Bytes diff(JsonDiffKind kind, std::string_view path, std::string_view value_hex = {}) {
  Bytes out{static_cast<uint8_t>(kind), static_cast<uint8_t>(path.size())};
  put_text(out, path);
  if (kind == JsonDiffKind::remove) return out;
  const Bytes value = from_hex(value_hex);
  out.push_back(static_cast<uint8_t>(value.size()));
  out.insert(out.end(), value.begin(), value.end());
  return out;
}
Bytes replace(std::string_view path, std::string_view value_hex = "05 07 00") {
  return diff(JsonDiffKind::replace, path, value_hex);
}
Bytes insert(std::string_view path, std::string_view value_hex = "05 07 00") {
  return diff(JsonDiffKind::insert, path, value_hex);
}
Bytes remove(std::string_view path) {
  return diff(JsonDiffKind::remove, path);
}

std::string changed(const std::vector<Bytes>& diffs) {
  Bytes all;
  for (const Bytes& one : diffs) all.insert(all.end(), one.begin(), one.end());
  std::string out;
  JsonSink sink(out);
  return write_changed_json(document(), all, sink) == JsonResult::ok ? out : kCorrupt;
}

TEST(JsonDiff, the_document_itself) {
  EXPECT_EQ(changed({}), R"({"a": 1234, "bb": [1, 2, 3], "dd": {"x": null}})");
}

TEST(JsonDiff, members) {
  EXPECT_EQ(changed({replace("$.a")}), R"({"a": 7, "bb": [1, 2, 3], "dd": {"x": null}})");
  EXPECT_EQ(changed({remove("$.bb")}), R"({"a": 1234, "dd": {"x": null}})");
  // Keys stand by length, then by bytes.
  EXPECT_EQ(changed({insert("$.c"), insert("$.aa")}),
            R"({"a": 1234, "c": 7, "aa": 7, "bb": [1, 2, 3], "dd": {"x": null}})");
  EXPECT_EQ(changed({replace("$.dd.x", "04 01")}), R"({"a": 1234, "bb": [1, 2, 3], "dd": {"x": true}})");
  // A later operation goes into what an earlier one brought.
  EXPECT_EQ(changed({replace("$.a", "00 00 00 04 00"), insert("$.a.\"b \\\"\\u00e4\\ud83d\\ude00\"")}),
            R"({"a": {"b \"ä😀": 7}, "bb": [1, 2, 3], "dd": {"x": null}})");
}

TEST(JsonDiff, elements) {
  const auto array = [](const std::vector<Bytes>& diffs) {
    const std::string text = changed(diffs);
    const size_t start = text.find('[');
    return start == std::string::npos ? text : text.substr(start, text.find(']') - start + 1);
  };
  EXPECT_EQ(array({replace("$.bb[1]")}), "[1, 7, 3]");
  EXPECT_EQ(array({replace("$.bb[last]")}), "[1, 2, 7]");
  EXPECT_EQ(array({replace("$.bb[last-2]")}), "[7, 2, 3]");
  EXPECT_EQ(array({insert("$.bb[1]")}), "[1, 7, 2, 3]");
  EXPECT_EQ(array({insert("$.bb[3]"), insert("$.bb[99]", "05 08 00")}), "[1, 2, 3, 7, 8]");
  EXPECT_EQ(array({insert("$.bb[last]")}), "[1, 2, 7, 3]");
  EXPECT_EQ(array({remove("$.bb[0]"), remove("$.bb[0]")}), "[3]");
  EXPECT_EQ(array({remove("$.bb[0]"), remove("$.bb[0]"), remove("$.bb[last]")}), "[]");
}

TEST(JsonDiff, what_does_not_fit) {
  EXPECT_EQ(changed({replace("$")}), kCorrupt);
  EXPECT_EQ(changed({replace("$.nope")}), kCorrupt);
  EXPECT_EQ(changed({replace("$.bb[3]")}), kCorrupt);
  EXPECT_EQ(changed({remove("$.bb[last-3]")}), kCorrupt);
  EXPECT_EQ(changed({remove("$.nope")}), kCorrupt);
  EXPECT_EQ(changed({insert("$.a")}), kCorrupt);      // is there
  EXPECT_EQ(changed({insert("$.bb.x")}), kCorrupt);   // no object
  EXPECT_EQ(changed({insert("$.dd[0]")}), kCorrupt);  // no array
  EXPECT_EQ(changed({replace("$.a[0]")}), kCorrupt);  // scalars are not wrapped
  EXPECT_EQ(changed({insert("$.nope.x")}), kCorrupt);
  EXPECT_EQ(changed({replace("$.a", "0c 05 61")}), kCorrupt);  // a damaged value
  for (const char* path : {"", "a", "$.", "$..a", "$.*", "$**.a", "$.bb[*]", "$.bb[", "$.bb[1", "$.bb[-1]",
                           "$.bb[99999999999]", "$.\"a", "$.\"\\u12\"", "$.\"\\ud800\"", "$a", "$.bb[last+1]"}) {
    EXPECT_EQ(changed({replace(path)}), kCorrupt) << path;
  }
  EXPECT_EQ(changed({from_hex("03 03 24 2e 61")}), kCorrupt);              // unknown operation
  EXPECT_EQ(changed({from_hex("00 09 24 2e 61 03 05 07 00")}), kCorrupt);  // path cut
  EXPECT_EQ(changed({from_hex("00 03 24 2e 61")}), kCorrupt);              // no value
}

TEST(JsonDiff, as_json) {
  std::string out;
  JsonSink sink(out);
  Bytes all = from_hex("00 05 24 2e 61 67 65 03 05 1a 00");
  const Bytes more = remove("$.\"x y\"");
  all.insert(all.end(), more.begin(), more.end());
  ASSERT_EQ(write_json_diffs(all, sink), JsonResult::ok);
  EXPECT_EQ(out, R"([{"op": "replace", "path": "$.age", "value": 26}, {"op": "remove", "path": "$.\"x y\""}])");
}

// Inserts at the front of a long array: work is bounded.
TEST(JsonDiff, many_moves_are_refused) {
  constexpr uint32_t kElements = 100'000;
  Bytes array{0x03};
  put_le(array, kElements, 4);
  put_le(array, 8 + kElements * 5, 4);
  for (uint32_t i = 0; i < kElements; ++i) put_le(array, 5, 5);
  Bytes all;
  for (int i = 0; i < 5'000; ++i) {
    const Bytes one = insert("$[0]");
    all.insert(all.end(), one.begin(), one.end());
  }
  JsonSink counter;
  EXPECT_EQ(write_changed_json(array, all, counter), JsonResult::corrupt);
}

}  // namespace
}  // namespace tidemark::binlog
