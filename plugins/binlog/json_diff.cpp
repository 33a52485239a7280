// SPDX-License-Identifier: Apache-2.0
// See the header. The document becomes a tree only where paths go: all else stays a view into the bytes it came in.
// Any thread; no state.
#include "binlog/json_diff.hpp"

#include <algorithm>
#include <memory>

namespace tidemark::binlog {

namespace {

// Elements that may be moved by inserts and removes in all. Far more than a server's diffs ask for; damaged ones must
// not keep a processor busy.
constexpr uint64_t kMovesMax = uint64_t{1} << 28;

bool key_before(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

struct Branch;

// A value: as it lies in its document, or taken apart.
struct Node {
  JsonSlot slot;
  std::unique_ptr<Branch> branch;
};

struct Branch {
  bool is_object = false;
  std::vector<std::string_view> keys;  // of an object, in the server's order: by length, then by bytes
  std::vector<Node> values;

  // Where the key is or would be.
  size_t find(std::string_view key) const {
    return static_cast<size_t>(std::lower_bound(keys.begin(), keys.end(), key, key_before) - keys.begin());
  }
  bool has(size_t place, std::string_view key) const { return place < keys.size() && keys[place] == key; }
};

class Tree {
 public:
  /// `bytes`: of the document and all diffs.
  explicit Tree(uint64_t bytes) : budget_(bytes) {}

  bool start(std::span<const uint8_t> document) { return read_root(document, root_); }

  bool apply(const JsonDiff& diff) {
    auto legs = parse_json_path(diff.path);
    if (!legs || legs->empty()) return false;
    Node value;
    if (diff.kind != JsonDiffKind::remove && !read_root(diff.value, value)) return false;
    JsonPathLeg& last = legs->back();
    Branch* const parent = seek({legs->data(), legs->size() - 1});
    if (parent == nullptr || parent->is_object != last.is_member) return false;
    return last.is_member ? change_member(*parent, diff.kind, last, std::move(value))
                          : change_element(*parent, diff.kind, last, std::move(value));
  }

  bool write(JsonSink& sink) { return write(root_, 0, sink); }

 private:
  bool read_root(std::span<const uint8_t> document, Node& node) {
    JsonBudget budget(1);
    const auto root = json_root(document, budget);
    if (!root) return false;
    node.slot = *root;
    return true;
  }

  // Takes a container apart; false = it is none, or damaged.
  bool open(Node& node) {
    if (node.branch) return true;
    if (!node.slot.is_object() && !node.slot.is_array()) return false;
    const auto container = JsonContainer::open(node.slot, budget_);
    if (!container) return false;
    auto branch = std::make_unique<Branch>();
    branch->is_object = container->is_object();
    branch->values.resize(container->count());
    for (uint32_t i = 0; i < container->count(); ++i) {
      const auto value = container->value(i);
      if (!value) return false;
      branch->values[i].slot = *value;
      if (!branch->is_object) continue;
      const auto key = container->key(i, budget_);
      if (!key || (i != 0 && !key_before(branch->keys.back(), *key))) return false;
      branch->keys.push_back(*key);
    }
    node.branch = std::move(branch);
    return true;
  }

  // The container that the legs lead to; nullptr = there is none.
  Branch* seek(std::span<const JsonPathLeg> legs) {
    if (legs.size() >= kJsonDepthMax) return nullptr;
    Node* node = &root_;
    for (const JsonPathLeg& leg : legs) {
      if (!open(*node) || node->branch->is_object != leg.is_member) return nullptr;
      Branch& branch = *node->branch;
      const size_t place = leg.is_member ? branch.find(leg.key) : element(branch, leg);
      if (leg.is_member ? !branch.has(place, leg.key) : place >= branch.values.size()) return nullptr;
      node = &branch.values[place];
    }
    return open(*node) ? node->branch.get() : nullptr;
  }

  // The place of an array's element; its size or more = there is none.
  static size_t element(const Branch& branch, const JsonPathLeg& leg) {
    const size_t size = branch.values.size();
    if (!leg.from_end) return leg.index;
    return leg.index < size ? size - leg.index - 1 : size;
  }

  bool change_member(Branch& parent, JsonDiffKind kind, JsonPathLeg& leg, Node value) {
    const size_t place = parent.find(leg.key);
    const bool is_there = parent.has(place, leg.key);
    if (is_there == (kind == JsonDiffKind::insert)) return false;
    const auto at = static_cast<std::ptrdiff_t>(place);
    switch (kind) {
      case JsonDiffKind::replace:
        parent.values[place] = std::move(value);
        return true;
      case JsonDiffKind::insert:
        if (!move(parent.values.size() - place)) return false;
        names_.push_back(std::make_unique<std::string>(std::move(leg.key)));
        parent.keys.insert(parent.keys.begin() + at, *names_.back());
        parent.values.insert(parent.values.begin() + at, std::move(value));
        return true;
      case JsonDiffKind::remove:
        if (!move(parent.values.size() - place)) return false;
        parent.keys.erase(parent.keys.begin() + at);
        parent.values.erase(parent.values.begin() + at);
        return true;
    }
    return false;
  }

  bool change_element(Branch& parent, JsonDiffKind kind, const JsonPathLeg& leg, Node value) {
    size_t place = element(parent, leg);
    const size_t size = parent.values.size();
    if (kind == JsonDiffKind::insert) {
      // Behind the end is at the end; before the start is at the start.
      place = leg.from_end && leg.index >= size ? 0 : std::min(place, size);
      if (!move(size - place)) return false;
      parent.values.insert(parent.values.begin() + static_cast<std::ptrdiff_t>(place), std::move(value));
      return true;
    }
    if (place >= size) return false;
    if (kind == JsonDiffKind::replace) {
      parent.values[place] = std::move(value);
      return true;
    }
    if (!move(size - place)) return false;
    parent.values.erase(parent.values.begin() + static_cast<std::ptrdiff_t>(place));
    return true;
  }

  bool move(uint64_t elements) {
    if (elements > moves_left_) return false;
    moves_left_ -= elements;
    return true;
  }

  bool write(const Node& node, uint32_t depth, JsonSink& sink) {
    if (!node.branch) return write_json_slot(node.slot, depth, budget_, sink);
    if (depth == kJsonDepthMax) return false;
    const Branch& branch = *node.branch;
    sink.put(branch.is_object ? '{' : '[');
    for (size_t i = 0; i < branch.values.size(); ++i) {
      if (i != 0) sink.put(", ");
      if (branch.is_object) {
        if (!write_json_string(branch.keys[i], sink)) return false;
        sink.put(": ");
      }
      if (!write(branch.values[i], depth + 1, sink)) return false;
    }
    sink.put(branch.is_object ? '}' : ']');
    return true;
  }

  Node root_;
  JsonBudget budget_;
  uint64_t moves_left_ = kMovesMax;
  std::vector<std::unique_ptr<std::string>> names_;  // keys that came with paths
};

}  // namespace

std::optional<JsonDiff> JsonDiffs::next() {
  JsonDiff diff;
  const uint8_t code = cursor_.u8();
  if (code > static_cast<uint8_t>(JsonDiffKind::remove)) return std::nullopt;
  diff.kind = static_cast<JsonDiffKind>(code);
  diff.path = cursor_.text(cursor_.length_encoded());
  if (diff.kind != JsonDiffKind::remove) diff.value = cursor_.bytes(cursor_.length_encoded());
  if (!cursor_.ok()) return std::nullopt;
  return diff;
}

JsonResult write_changed_json(std::span<const uint8_t> document, std::span<const uint8_t> diffs, JsonSink& sink) {
  if (diffs.empty()) return write_json_text(document, sink);  // unchanged
  Tree tree(uint64_t{document.size()} + diffs.size());
  if (!tree.start(document)) return JsonResult::corrupt;
  JsonDiffs reader(diffs);
  while (!reader.at_end()) {
    const auto diff = reader.next();
    if (!diff || !tree.apply(*diff)) return JsonResult::corrupt;
  }
  return tree.write(sink) ? JsonResult::ok : JsonResult::corrupt;
}

JsonResult write_json_diffs(std::span<const uint8_t> diffs, JsonSink& sink) {
  constexpr std::string_view kNames[] = {"replace", "insert", "remove"};
  JsonDiffs reader(diffs);
  sink.put('[');
  for (bool first = true; !reader.at_end(); first = false) {
    const auto diff = reader.next();
    if (!diff) return JsonResult::corrupt;
    sink.put(first ? R"({"op": ")" : R"(, {"op": ")");
    sink.put(kNames[static_cast<size_t>(diff->kind)]);
    sink.put(R"(", "path": )");
    if (!write_json_string(diff->path, sink)) return JsonResult::corrupt;
    if (diff->kind != JsonDiffKind::remove) {
      sink.put(R"(, "value": )");
      if (write_json_text(diff->value, sink) != JsonResult::ok) return JsonResult::corrupt;
    }
    sink.put('}');
  }
  sink.put(']');
  return JsonResult::ok;
}

}  // namespace tidemark::binlog
