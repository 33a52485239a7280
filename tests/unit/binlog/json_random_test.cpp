// SPDX-License-Identifier: Apache-2.0
// Random JSON documents, packed here as the format says in small and large containers: their text must be what they
// were made from, and so must it be after random changes. One thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "binlog/json_diff.hpp"
#include "binlog_builder.hpp"

namespace tidemark::binlog {
namespace {

struct Packed {
  uint8_t type = 4;
  Bytes bytes{0};
  std::string text = "null";
};

void append(Bytes& out, const Bytes& more) {
  out.insert(out.end(), more.begin(), more.end());
}

bool lies_in_entry(const Packed& value, bool large) {
  return value.type >= 4 && value.type <= (large ? 8 : 6);
}

// `keys` is empty for arrays, else one per child, in the server's order.
Packed pack(const std::vector<std::string>& keys, const std::vector<Packed>& children, bool large) {
  const uint32_t width = large ? 4 : 2;
  const auto count = static_cast<uint32_t>(children.size());
  const bool object = !keys.empty();
  Bytes entries;
  Bytes behind;
  const size_t head = 2 * width + (object ? count * (width + 2) : 0) + count * (1 + width);
  std::string text = object ? "{" : "[";
  for (const std::string& key : keys) {
    put_le(entries, head + behind.size(), width);
    put_le(entries, key.size(), 2);
    put_text(behind, key);
  }
  for (uint32_t i = 0; i < count; ++i) {
    const Packed& child = children[i];
    entries.push_back(child.type);
    if (lies_in_entry(child, large)) {
      Bytes inlined = child.bytes;
      if (child.type == 5 && (inlined.back() & 0x80) != 0) inlined.resize(width, 0xff);
      inlined.resize(width);
      append(entries, inlined);
    } else {
      put_le(entries, head + behind.size(), width);
      append(behind, child.bytes);
    }
    if (i != 0) text += ", ";
    if (object) text.append("\"").append(keys[i]).append("\": ");
    text += child.text;
  }
  Packed out;
  out.type = static_cast<uint8_t>((object ? 0 : 2) + (large ? 1 : 0));
  out.bytes.clear();
  put_le(out.bytes, count, width);
  put_le(out.bytes, head + behind.size(), width);
  append(out.bytes, entries);
  append(out.bytes, behind);
  out.text = text + (object ? "}" : "]");
  return out;
}

Bytes document_of(const Packed& value) {
  Bytes out{value.type};
  append(out, value.bytes);
  return out;
}

class RandomJson {
 public:
  explicit RandomJson(uint32_t seed) : random_(seed) {}

  Packed value(uint32_t depth, bool large) {
    const uint64_t kind = random_() % (depth == 0 ? 5 : 7);
    Packed out;
    out.bytes.clear();
    if (kind == 5) return pack({}, children(depth, large, random_() % 6), large);
    if (kind == 6) {
      auto keys = member_keys();
      const size_t count = keys.size();
      return pack(keys, children(depth, large, count), large);
    }
    if (kind == 0) {
      out.type = 4;
      const uint64_t literal = random_() % 3;
      out.bytes = {static_cast<uint8_t>(literal)};
      out.text = literal == 0 ? "null" : literal == 1 ? "true" : "false";
    } else if (kind == 1) {
      const auto number = static_cast<int16_t>(random_());
      out.type = 5;
      put_le(out.bytes, static_cast<uint16_t>(number), 2);
      out.text = std::to_string(number);
    } else if (kind == 2) {
      const auto number = static_cast<uint32_t>(random_());
      out.type = 8;
      put_le(out.bytes, number, 4);
      out.text = std::to_string(number);
    } else if (kind == 3) {
      const auto number = static_cast<int64_t>(random_());
      out.type = 9;
      put_le(out.bytes, static_cast<uint64_t>(number), 8);
      out.text = std::to_string(number);
    } else {
      const std::string text(random_() % 300, 'x');
      out.type = 12;
      if (text.size() > 127) out.bytes.push_back(static_cast<uint8_t>(text.size() | 0x80));
      out.bytes.push_back(static_cast<uint8_t>(text.size() > 127 ? text.size() >> 7 : text.size()));
      put_text(out.bytes, text);
      out.text = '"' + text + '"';
    }
    return out;
  }

  std::vector<std::string> member_keys() {
    std::vector<std::string> keys;
    for (uint64_t i = 1 + random_() % 5; i-- > 0;)
      keys.push_back(std::string(1 + i, static_cast<char>('a' + random_() % 26)));
    std::ranges::reverse(keys);  // by length
    return keys;
  }

  uint64_t operator()() { return random_(); }

 private:
  std::vector<Packed> children(uint32_t depth, bool large, size_t count) {
    std::vector<Packed> out;
    for (size_t i = 0; i < count; ++i) out.push_back(value(depth - 1, large));
    return out;
  }

  std::mt19937_64 random_;
};

std::string changed(const Bytes& document, const Bytes& diffs) {
  std::string out;
  JsonSink sink(out);
  return write_changed_json(document, diffs, sink) == JsonResult::ok ? out : "<corrupt>";
}

TEST(JsonRandom, documents_print_as_they_were_made) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    RandomJson random(seed);
    const Packed value = random.value(5, seed % 2 == 1);
    EXPECT_EQ(changed(document_of(value), {}), value.text) << seed;
  }
}

// Inserts, replaces and removes in one array, as diffs and on a vector.
TEST(JsonRandom, changes_of_an_array) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomJson random(seed);
    const bool large = seed % 2 == 1;
    std::vector<Packed> elements;
    for (uint64_t i = random() % 6; i-- > 0;) elements.push_back(random.value(2, large));
    const Bytes document = document_of(pack({}, elements, large));
    Bytes diffs;
    for (uint64_t i = 1 + random() % 8; i-- > 0;) {
      const size_t place = random() % (elements.size() + 1);
      const auto at = elements.begin() + static_cast<std::ptrdiff_t>(place);
      const bool inside = place < elements.size();
      const auto kind = static_cast<JsonDiffKind>(inside ? random() % 3 : 1);
      const std::string path = "$[" + std::to_string(place) + "]";
      diffs.push_back(static_cast<uint8_t>(kind));
      diffs.push_back(static_cast<uint8_t>(path.size()));
      put_text(diffs, path);
      if (kind == JsonDiffKind::remove) {
        elements.erase(at);
        continue;
      }
      const Packed value = random.value(1, large);
      const Bytes packed = document_of(value);
      diffs.push_back(252);
      put_le(diffs, packed.size(), 2);
      append(diffs, packed);
      if (kind == JsonDiffKind::replace) {
        *at = value;
      } else {
        elements.insert(at, value);
      }
    }
    EXPECT_EQ(changed(document, diffs), pack({}, elements, large).text) << seed;
  }
}

}  // namespace
}  // namespace tidemark::binlog
