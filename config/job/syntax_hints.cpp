// SPDX-License-Identifier: Apache-2.0
//
// Hints for syntax errors. Each rule looks at one slip and either adds the finding or passes on.
#include "config/job/syntax_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "config/job/nearest_name.hpp"
#include "config/job/units.hpp"

namespace tidemark::config {
namespace {

struct Place {
  const SourceText* source;
  uint32_t file;
  uint32_t line;
  size_t at;  // byte offset in the line
  std::string_view text;
  std::string_view description;
};

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

Span span_of(const Place& place, size_t begin, size_t size) {
  return {place.file, place.line, static_cast<uint32_t>(count_code_points(place.text.substr(0, begin)) + 1),
          static_cast<uint32_t>(std::max<size_t>(1, count_code_points(place.text.substr(begin, size))))};
}

struct Word {
  size_t begin = 0;
  size_t size = 0;
};

// The bare word that the parser stopped in.
Word word_at(const Place& place) {
  size_t begin = std::min(place.at, place.text.size());
  if (begin == place.text.size() || !is_word_part(place.text[begin])) {
    if (begin == 0 || !is_word_part(place.text[begin - 1])) return {};
    --begin;
  }
  size_t end = begin;
  while (begin > 0 && is_word_part(place.text[begin - 1])) --begin;
  while (end < place.text.size() && is_word_part(place.text[end])) ++end;
  return {begin, end - begin};
}

// Where the same key or header stands earlier in the same table; 0 = not found.
uint32_t first_place(const Place& place, std::string_view name, bool header) {
  for (uint32_t line = place.line - 1; line > 0; --line) {
    const std::string_view text = trimmed(place.source->line(line));
    const bool is_header = text.starts_with('[');
    if (header && is_header && text.starts_with(name)) return line;
    if (header) continue;
    if (is_header) return 0;
    if (trimmed(text.substr(0, text.find('='))) == name) return line;
  }
  return 0;
}

bool explain_duplicate(const Place& place, Diagnostics& diagnostics) {
  if (place.description.find("cannot redefine") == std::string_view::npos) return false;
  const size_t begin = std::min(place.text.size(), place.text.find_first_not_of(" \t"));
  const bool header = place.text.substr(begin).starts_with('[');
  const size_t end = header ? place.text.find_last_of(']') + 1 : std::min(place.text.size(), place.text.find('='));
  const std::string_view name = trimmed(place.text.substr(begin, std::max(end, begin) - begin));
  Diagnostic& finding = diagnostics
                            .error(code::kSyntax, span_of(place, begin, name.size()),
                                   fmt::format("{} {} is already defined", header ? "table" : "key",
                                               header ? name : fmt::format("`{}`", name)))
                            .with_help("each may be given once; remove one of the two");
  if (const uint32_t first = first_place(place, name, header); first != 0) {
    finding.with_note(fmt::format("first defined in line {}", first));
  }
  return true;
}

bool explain_bare_number(const Place& place, Diagnostics& diagnostics) {
  Word word = word_at(place);
  if (word.size == 0) return false;
  if (is_letter(place.text[word.begin]) && word.begin > 0 && place.text[word.begin - 1] == ' ') {
    // "5 s": the number stands before the word.
    const size_t number_end = place.text.find_last_not_of(' ', word.begin - 1);
    if (number_end == std::string_view::npos || !(place.text[number_end] >= '0' && place.text[number_end] <= '9')) {
      return false;
    }
    const Word number = word_at({place.source, place.file, place.line, number_end, place.text, {}});
    word = {number.begin, word.begin + word.size - number.begin};
  }
  const std::string_view text = place.text.substr(word.begin, word.size);
  std::string packed(text);
  std::erase(packed, ' ');
  const DurationText duration = read_duration(packed);
  const SizeText size = read_size(packed);
  std::string_view what;
  if (duration.problem == UnitProblem::none) what = "durations";
  if (size.problem == UnitProblem::none) what = "sizes";
  if (what.empty() && packed.size() == text.size() && duration.problem == UnitProblem::unknown_unit &&
      (packed[0] >= '0' && packed[0] <= '9')) {
    diagnostics.error(code::kSyntax, span_of(place, word.begin, word.size), fmt::format("`{}` is not a value", text))
        .with_help(R"(texts, durations ("5s") and sizes ("64MiB") need quotes)");
    return true;
  }
  if (what.empty()) return false;
  diagnostics
      .error(code::kSyntax, span_of(place, word.begin, word.size),
             fmt::format("`{}` without quotes: {} are quoted strings", text, what))
      .with_help(fmt::format("write \"{}\"", packed));
  return true;
}

// A path, a pattern or the like without quotes: up to the next space or bracket.
bool explain_bare_text(const Place& place, Diagnostics& diagnostics) {
  const size_t begin = std::min(place.at, place.text.size());
  const std::string_view rest = place.text.substr(begin, place.text.find_first_of(" \t,]}#", begin) - begin);
  if (rest.size() < 2 || std::string_view("/.~*$@").find(rest.front()) == std::string_view::npos) return false;
  diagnostics.error(code::kSyntax, span_of(place, begin, rest.size()), fmt::format("`{}` without quotes", rest))
      .with_help(fmt::format("texts are quoted strings: write \"{}\"", rest));
  return true;
}

bool explain_bare_word(const Place& place, Diagnostics& diagnostics) {
  const Word word = word_at(place);
  const std::string_view text = place.text.substr(word.begin, word.size);
  const bool value = place.description.find("boolean") != std::string_view::npos ||
                     place.description.find("determine value type") != std::string_view::npos ||
                     place.description.find("expected value") != std::string_view::npos;
  if (!value || text.empty() || !is_letter(text.front())) return false;
  const std::string lower = snake_case(text);
  if (lower == "true" || lower == "false") {
    diagnostics.error(code::kSyntax, span_of(place, word.begin, word.size), fmt::format("`{}` is not a value", text))
        .with_help(fmt::format("write {}", lower));
    return true;
  }
  diagnostics.error(code::kSyntax, span_of(place, word.begin, word.size), fmt::format("`{}` without quotes", text))
      .with_help(fmt::format("texts are quoted strings: write \"{}\"", text));
  return true;
}

struct Phrase {
  std::string_view in_description;
  std::string_view text;
  std::string_view help;
};
constexpr Phrase kPhrases[] = {
    {"expected key or closing '}', saw '\\n'", "an inline table must stay on one line",
     "TOML 1.0 allows no line break between { and }: write it on one line, or as a table of its own"},
    {"inline table: expected", "an inline table that is not closed", "close it with } on the same line"},
    {"unknown escape sequence", "an escape that TOML does not know",
     R"(write \\ for a backslash, or use single quotes: '...')"},
    {"unescaped control characters", "a string without its closing quote, or with a control character in it",
     R"(close it on the same line, or use """ for several lines)"},
    {"string: encountered end-of-file", "a string without its closing quote", "close it with the quote it began with"},
    {"expected value, saw", "a value is missing", "give one, or remove the line"},
    {"key-value pair: encountered end-of-file", "a value is missing", "give one, or remove the line"},
    {"expected '=', saw", "a key needs `=` and a value", R"(write key = "value")"},
    {"expected ']'", "a table header that is not closed", "write [name] on a line of its own"},
    {"expected comma or closing ']'", "a list that is not closed, or a missing comma", "close it with ]"},
    {"array: encountered end-of-file", "a list that is not closed", "close it with ]"},
    {"invalid utf-8", "bytes that are not UTF-8", "save the file as UTF-8"},
    {"leading zeroes", "a number with leading zeroes", "remove the zeroes, or quote it if it is a text"},
    {"not representable in 64 bits", "a number that does not fit into 64 bits", "quote it if it is a text"},
    {"expected a comment or whitespace, saw", "more text after the value",
     "one key = value per line; comments start with #"},
    {"expected keys, tables", "neither a key, a table header nor a comment",
     "keys of other than A-Z a-z 0-9 _ - need quotes"},
};

}  // namespace

void explain_syntax_error(uint32_t file, uint32_t line, uint32_t column, const std::string& description,
                          Diagnostics& diagnostics) {
  const SourceText* source = diagnostics.file(file);
  const std::string_view text = source->line(line);
  const Place place{source, file, line, byte_of_code_point(text, column == 0 ? 0 : column - 1), text, description};
  if (explain_duplicate(place, diagnostics)) return;
  const bool in_string = description.find("string") != std::string::npos;
  if (!in_string && explain_bare_number(place, diagnostics)) return;
  if (!in_string && explain_bare_word(place, diagnostics)) return;
  if (!in_string && explain_bare_text(place, diagnostics)) return;
  const Span here{file, line, column, 1};
  std::string lower = description;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const Phrase& phrase : kPhrases) {
    if (lower.find(phrase.in_description) == std::string::npos) continue;
    diagnostics.error(code::kSyntax, here, std::string(phrase.text)).with_help(std::string(phrase.help));
    return;
  }
  const size_t colon = description.find(": ");
  diagnostics.error(code::kSyntax, here,
                    "not valid TOML: " + description.substr(colon == std::string::npos ? 0 : colon + 2));
}

}  // namespace tidemark::config
