// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a JSON document in MySQL's binary form, and diffs on it. Texts must be JSON in UTF-8 on one line, of
// bounded size, and of just the size that is told beforehand. One thread.
#include <string>
#include <vector>

#include "binlog/json_conversion.hpp"
#include "binlog/json_diff.hpp"
#include "binlog/json_text.hpp"
#include "binlog/utf8.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace tidemark::fuzz {
namespace {

using binlog::JsonResult;
using binlog::JsonSink;
using Bytes = std::vector<uint8_t>;

// A grammar of its own, as RFC 8259 has it.
class JsonChecker {
 public:
  explicit JsonChecker(std::string_view text) : rest_(text) {}
  bool whole() { return value(0) && rest_.empty(); }

 private:
  bool eat(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool value(uint32_t depth) {
    if (depth > 2 * binlog::kJsonDepthMax) return false;
    if (eat("null") || eat("true") || eat("false")) return true;
    if (rest_.starts_with('"')) return string();
    if (eat("[")) return eat("]") || list(depth, false, "]");
    if (eat("{")) return eat("}") || list(depth, true, "}");
    return number();
  }
  bool list(uint32_t depth, bool keys, std::string_view end) {
    do {
      if (keys && (!string() || !eat(": "))) return false;
      if (!value(depth + 1)) return false;
    } while (eat(", "));
    return eat(end);
  }
  bool string() {
    if (!eat("\"")) return false;
    while (!rest_.empty() && rest_[0] != '"') {
      if (static_cast<uint8_t>(rest_[0]) < 0x20) return false;
      if (eat("\\u")) {
        rest_.remove_prefix(std::min<size_t>(4, rest_.size()));
      } else {
        const size_t size = rest_[0] == '\\' ? 2 : 1;
        if (size == 2 && (rest_.size() < 2 || std::string_view("\"\\bfnrt").find(rest_[1]) == std::string_view::npos)) {
          return false;
        }
        rest_.remove_prefix(size);
      }
    }
    return eat("\"");
  }
  bool digits() {
    size_t count = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    rest_.remove_prefix(count);
    return count > 0;
  }
  bool number() {
    eat("-");
    const bool zero = rest_.starts_with('0');
    if (!eat("0") && !digits()) return false;
    if (zero && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') return false;
    if (eat(".") && !digits()) return false;
    if (!eat("e")) return true;
    eat("-");
    return digits();
  }

  std::string_view rest_;
};

void check_text(const std::string& text, uint64_t bytes) {
  require(text.size() <= bytes * binlog::kJsonTextFactor + binlog::kJsonTextExtra, "the text has a bounded size");
  require(binlog::is_utf8(text), "the text is UTF-8");
  require(JsonChecker(text).whole(), "the text is JSON");
}

// Into a heap of just the size told, and into one that is a byte short.
template <class Convert>
void check_conversion(const std::string& text, uint64_t told, const Convert& convert) {
  require(told == text.size(), "the size is told exactly");
  std::vector<char> memory(text.size());
  tidemark_slice slice{};
  binlog::HeapWriter exact{memory.data(), 0, memory.size()};
  require(convert(&slice, exact) == binlog::CellResult::value && exact.used == text.size(), "it fits");
  require(std::string_view(memory.data(), memory.size()) == text, "it is the same text");
  binlog::HeapWriter small{memory.data(), 0, memory.size() - 1};
  require(convert(&slice, small) == binlog::CellResult::heap_full && small.used == 0, "it does not fit");
}

void run(Input& input) {
  const auto first = input.part();
  const Bytes document(first.begin(), first.end());  // copies of their own size, so that a read past the end is seen
  const auto second = input.rest();
  const Bytes diffs(second.begin(), second.end());
  std::string text;
  JsonSink sink(text);
  const auto size = static_cast<uint32_t>(document.size());
  const bool right = binlog::write_json_text(document, sink) == JsonResult::ok;
  if (right) {
    check_text(text, document.size());
    check_conversion(text, binlog::json_heap_bytes({}, document.data(), size),
                     [&](void* value, binlog::HeapWriter& heap) {
                       return binlog::convert_json({}, document.data(), size, value, heap);
                     });
  }
  std::string changed;
  JsonSink changed_sink(changed);
  if (binlog::write_changed_json(document, diffs, changed_sink) == JsonResult::ok) {
    if (diffs.empty()) require(right && changed == text, "no change leaves the document");
    check_text(changed, document.size() + diffs.size());
    const binlog::JsonChange change{document, diffs};
    check_conversion(changed, binlog::json_change_heap_bytes(change), [&](void* value, binlog::HeapWriter& heap) {
      return binlog::convert_json_change(change, value, heap);
    });
  }
  std::string operations;
  JsonSink operations_sink(operations);
  if (binlog::write_json_diffs(diffs, operations_sink) == JsonResult::ok) {
    require(JsonChecker(operations).whole(), "operations are JSON");
  }
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tidemark::fuzz::Input input(data, size);
  tidemark::fuzz::run(input);
  return 0;
}
