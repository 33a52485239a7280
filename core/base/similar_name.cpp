// SPDX-License-Identifier: Apache-2.0
//
// Edit distance with swaps, and how much of it a name of some length may have.
#include "core/base/similar_name.hpp"

#include <algorithm>
#include <vector>

namespace tidemark::core {
namespace {

constexpr size_t kDistanceMax = 2;

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// How many letters may be wrong in a name of this length: short names mean something else soon.
size_t distance_allowed(size_t length) {
  return length <= 2 ? 0 : length <= 4 ? 1 : kDistanceMax;
}

bool share_beginning(std::string_view given, std::string_view candidate) {
  const auto [at, other] = std::mismatch(given.begin(), given.end(), candidate.begin(), candidate.end());
  const auto common = static_cast<size_t>(at - given.begin());
  const size_t shorter = std::min(given.size(), candidate.size());
  return (common == shorter && common >= 3) ||
         (common >= 5 && common * 3 >= std::max(given.size(), candidate.size()) * 2);
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the swap looks two rows up.
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string snake_case(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (is_upper(c)) {
      if (i > 0 && !is_upper(name[i - 1]) && !out.empty() && out.back() != '_') out += '_';
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c == '-' || c == '.' || c == ' ' ? '_' : c;
    }
  }
  return out;
}

std::optional<std::string> similar_name(std::string_view given, std::span<const std::string> candidates) {
  if (given.empty() || given.size() > kComparedMax) return std::nullopt;
  const std::string snake = snake_case(given);
  for (const std::string& candidate : candidates) {
    if (candidate != given && snake_case(candidate) == snake) return candidate;
  }
  const std::string* best = nullptr;
  size_t best_distance = kDistanceMax + 1;
  for (const std::string& candidate : candidates) {
    if (candidate == given || candidate.size() > kComparedMax) continue;
    const size_t distance = std::min(edit_distance(given, candidate), edit_distance(snake, candidate));
    const size_t allowed = distance_allowed(std::min(given.size(), candidate.size()));
    if (distance <= allowed && distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best != nullptr) return *best;
  for (const std::string& candidate : candidates) {
    if (candidate != given && share_beginning(snake, candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace tidemark::core
