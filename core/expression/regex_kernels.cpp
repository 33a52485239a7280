// SPDX-License-Identifier: Apache-2.0
//
// Replacement is a loop of its own, because its result must stay bounded while it grows.
#include "core/expression/regex_kernels.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "core/expression/characters.hpp"
#include "core/expression/row_loops.hpp"
#include "core/expression/string_kernels.hpp"

namespace tidemark::core {
namespace {

constexpr int64_t kProgramBytesMax = 4 << 20;
constexpr int kGroupsMax = 10;  // $0 to $9

struct Regex {
  Regex(std::string_view pattern, const RE2::Options& options)
      : program(re2::StringPiece(pattern.data(), pattern.size()), options) {}
  RE2 program;
};

struct Replacement {
  struct Piece {
    std::string text;
    int group = -1;  ///< behind the text; -1: none
  };
  Replacement(std::string_view pattern, const RE2::Options& options) : regex(pattern, options) {}
  Regex regex;
  std::vector<Piece> pieces;
  int groups = 1;  ///< that are used, with $0
};

RE2::Options options() {
  RE2::Options out;
  out.set_log_errors(false);
  out.set_max_mem(kProgramBytesMax);
  return out;
}

std::string with_flags(std::string_view pattern, std::string_view flags) {
  return flags.empty() ? std::string(pattern) : fmt::format("(?{}){}", flags, pattern);
}

re2::StringPiece piece_of(std::string_view text) {
  return {text.data() == nullptr ? "" : text.data(), text.size()};  // RE2 takes no text for no match
}
std::string_view view_of(const re2::StringPiece& piece) {
  return {piece.data(), piece.size()};
}

const RE2& program_of(const Step& step) {
  return static_cast<const Regex*>(step.parameter.object.get())->program;
}

// Empty, or what is wrong.
std::string read_replacement(std::string_view text, Replacement& out) {
  Replacement::Piece piece;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\';
    if ((!escape && text[i] != '$') || i + 1 == text.size()) {
      piece.text += text[i];
      continue;
    }
    const char next = text[i + 1];
    if (next >= '0' && next <= '9') {
      piece.group = next - '0';
      if (piece.group > out.regex.program.NumberOfCapturingGroups()) {
        return fmt::format("the pattern has no group {}", piece.group);
      }
      out.groups = std::max(out.groups, piece.group + 1);
      out.pieces.push_back(std::move(piece));
      piece = {};
      ++i;
    } else if (escape) {
      piece.text += next;
      ++i;
    } else {
      piece.text += text[i];
    }
  }
  out.pieces.push_back(std::move(piece));
  return "";
}

// All matches replaced, into `out`; false when it gets too long.
bool replace_all(const Replacement& replacement, std::string_view text, std::string& out) {
  const size_t limit = std::max(kMadeTextMax, text.size());
  re2::StringPiece groups[kGroupsMax];
  const re2::StringPiece subject = piece_of(text);
  text = view_of(subject);
  size_t at = 0;      // where to look on
  size_t copied = 0;  // of the text, to `out`
  while (at <= text.size() &&
         replacement.regex.program.Match(subject, at, text.size(), RE2::UNANCHORED, groups, replacement.groups)) {
    const auto begin = static_cast<size_t>(groups[0].data() - text.data());
    out += text.substr(copied, begin - copied);
    for (const Replacement::Piece& piece : replacement.pieces) {
      out += piece.text;
      if (piece.group >= 0) out += view_of(groups[piece.group]);
      if (out.size() > limit) return false;
    }
    at = copied = begin + groups[0].size();
    if (!groups[0].empty()) continue;
    if (at == text.size()) break;
    at += character_size(text, at);  // an empty match: the next one is behind the next character
  }
  out += text.substr(copied);
  return out.size() <= limit;
}

}  // namespace

std::variant<std::shared_ptr<const void>, std::string> compile_regex(std::string_view pattern, std::string_view flags) {
  auto regex = std::make_shared<const Regex>(with_flags(pattern, flags), options());
  if (!regex->program.ok()) return regex->program.error();
  return std::shared_ptr<const void>(std::move(regex));
}

std::variant<std::shared_ptr<const void>, std::string> compile_regex_replacement(std::string_view pattern,
                                                                                 std::string_view replacement) {
  auto out = std::make_shared<Replacement>(pattern, options());
  if (!out->regex.program.ok()) return out->regex.program.error();
  std::string wrong = read_replacement(replacement, *out);
  if (!wrong.empty()) return wrong;
  return std::shared_ptr<const void>(std::move(out));
}

void regex_test_kernel(const Frame& frame, const Step& step) {
  const RE2& program = program_of(step);
  test_rows<std::string_view>(frame, step, [&program](std::string_view a) {
    return program.Match(piece_of(a), 0, a.size(), RE2::UNANCHORED, nullptr, 0);
  });
}

void regex_find_kernel(const Frame& frame, const Step& step) {
  const RE2& program = program_of(step);
  map_valid_rows<std::string_view(std::string_view)>(
      frame, step, [&program](std::string_view a, std::string_view& out) {
        re2::StringPiece match;
        if (!program.Match(piece_of(a), 0, a.size(), RE2::UNANCHORED, &match, 1)) return Fate::null;
        out = view_of(match);
        return Fate::value;
      });
}

void regex_replace_kernel(const Frame& frame, const Step& step) {
  const auto& replacement = *static_cast<const Replacement*>(step.parameter.object.get());
  std::string made;
  map_valid_rows<std::string_view(std::string_view)>(frame, step, [&](std::string_view a, std::string_view& out) {
    made.clear();
    if (!replace_all(replacement, a, made)) return Fate::failed;
    out = frame.texts->keep(made);
    return Fate::value;
  });
}

}  // namespace tidemark::core
