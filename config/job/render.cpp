// SPDX-License-Identifier: Apache-2.0
//
// Rendering of findings. Carets are placed by display width, so that wide and combining characters before them
// do not move them; tabs are copied.
#include "config/job/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "config/job/secret_mask.hpp"
#include "core/base/counted.hpp"

namespace tidemark::config {
namespace {

constexpr size_t kLineShownMax = 160;  // code points of a source line; longer ones are cut around the carets
constexpr size_t kLead = 40;           // code points shown before the carets of a cut line

struct Range {
  uint32_t first;
  uint32_t last;
};
// Blocks whose characters take two columns, and marks that take none (Unicode, East Asian Width and category M;
// the common ones, enough to place a caret).
constexpr std::array<Range, 10> kWide = {{{0x1100, 0x115F},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0xA4CF},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1FAFF},
                                          {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 5> kNarrow = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};

template <size_t N>
bool is_in(const std::array<Range, N>& ranges, uint32_t point) {
  return std::any_of(ranges.begin(), ranges.end(), [&](Range r) { return point >= r.first && point <= r.last; });
}

uint32_t decode(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  uint32_t point = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1Fu : lead < 0xF0 ? lead & 0x0Fu : lead & 0x07u;
  for (const char c : bytes.substr(1)) point = point << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return point;
}

struct Character {
  std::string_view bytes;
  uint32_t point;
};

std::vector<Character> characters_of(std::string_view line) {
  std::vector<Character> out;
  for (size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    const size_t size = byte_of_code_point(rest, 1);
    out.push_back({rest.substr(0, size), decode(rest.substr(0, size))});
    at += size;
  }
  return out;
}

bool is_control(uint32_t point) {
  return (point < 0x20 && point != '\t') || (point >= 0x7F && point < 0xA0);
}

// Keys and values are quoted in messages: what they hold must not reach the terminal as a command.
std::string printable(std::string_view text) {
  std::string out;
  for (const Character& character : characters_of(text)) {
    out += is_control(character.point) ? std::string_view("?") : character.bytes;
  }
  return out;
}

// The source line and the line of carets under it.
void append_excerpt(const SourceText& source, const Diagnostic& diagnostic, std::string& out) {
  const Span& span = diagnostic.span;
  const std::string line = without_secrets(source.line(span.line));
  const std::vector<Character> all = characters_of(line);
  const size_t column = span.column == 0 ? 0 : span.column - 1;
  size_t first = 0;
  size_t last = all.size();
  if (all.size() > kLineShownMax) {
    first = column > kLead ? std::min(column - kLead, all.size() - kLineShownMax) : 0;
    last = std::min(all.size(), first + kLineShownMax);
  }
  std::string shown = first > 0 ? "…" : "";
  std::string carets = first > 0 ? " " : "";
  const size_t carets_end = std::max(column + 1, std::min(column + span.length, last));
  for (size_t i = first; i < std::max(last, carets_end); ++i) {
    const uint32_t point = i < all.size() ? all[i].point : ' ';
    if (i < last) {
      shown += is_control(point) ? std::string_view("?") : all[i].bytes;
    }
    if (i >= carets_end) continue;
    const size_t width = is_in(kNarrow, point) ? 0 : is_in(kWide, point) ? 2 : 1;
    if (i < column) {
      carets += point == '\t' ? std::string("\t") : std::string(width, ' ');
    } else {
      carets += std::string(width, '^');
    }
  }
  if (last < all.size()) shown += "…";
  out += fmt::format("{:>5} | {}\n", span.line, shown);
  const size_t gutter = std::max<size_t>(5, fmt::formatted_size("{}", span.line));
  out += fmt::format("{:>{}} | {}", "", gutter, carets);
  if (!diagnostic.help.empty()) out += " " + printable(diagnostic.help);
  out += "\n";
}

void append_json_text(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

// UTF-16 units before the code point number `index` of a line.
size_t utf16_before(std::string_view line, size_t index) {
  size_t units = 0;
  for (const Character& character : characters_of(line.substr(0, byte_of_code_point(line, index)))) {
    units += character.point >= 0x10000 ? 2 : 1;
  }
  return units;
}

void append_json_range(const SourceText* source, const Span& span, std::string& out) {
  size_t line = 0;
  size_t begin = 0;
  size_t end = 0;
  if (span.line != 0 && source != nullptr) {
    line = span.line - 1;
    begin = utf16_before(source->line(span.line), span.column - 1);
    end = utf16_before(source->line(span.line), span.column - 1 + span.length);
  }
  out += fmt::format(R"("range":{{"start":{{"line":{},"character":{}}},"end":{{"line":{},"character":{}}}}})", line,
                     begin, line, end);
}

const char* severity_name(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

}  // namespace

std::string render_text(const Diagnostics& diagnostics, const Diagnostic& diagnostic) {
  const SourceText* source = diagnostics.file(diagnostic.span.file);
  std::string out;
  if (source != nullptr) {
    out += source->name();
    if (diagnostic.span.line != 0) out += fmt::format(":{}:{}", diagnostic.span.line, diagnostic.span.column);
    out += ": ";
  }
  out += fmt::format("{}[{}]: {}\n", severity_name(diagnostic.severity), diagnostic.code, printable(diagnostic.text));
  if (source != nullptr && diagnostic.span.line != 0) {
    append_excerpt(*source, diagnostic, out);
  } else if (!diagnostic.help.empty()) {
    out += "   help: " + printable(diagnostic.help) + "\n";
  }
  for (const std::string& note : diagnostic.notes) out += "   note: " + printable(note) + "\n";
  return out;
}

std::string render_text(const Diagnostics& diagnostics) {
  std::string out;
  size_t shown = 0;
  for (const Diagnostic* diagnostic : diagnostics.sorted()) {
    if (shown++ == kFindingsShownMax) break;
    out += render_text(diagnostics, *diagnostic) + "\n";
  }
  if (out.empty()) return out;
  const size_t errors = diagnostics.error_count();
  const size_t warnings = diagnostics.warning_count();
  if (errors != 0) out += core::counted(errors, "error", "errors");
  if (errors != 0 && warnings != 0) out += ", ";
  if (warnings != 0) out += core::counted(warnings, "warning", "warnings");
  if (errors + warnings > kFindingsShownMax) out += fmt::format("; the first {} are shown", kFindingsShownMax);
  return out + "\n";
}

std::string render_json(const Diagnostics& diagnostics) {
  std::string out = "[";
  for (const Diagnostic* diagnostic : diagnostics.sorted()) {
    if (out.size() > 1) out += ",";
    const SourceText* source = diagnostics.file(diagnostic->span.file);
    out += "\n  {\"file\":";
    append_json_text(source != nullptr ? source->name() : "", out);
    out += ",";
    append_json_range(source, diagnostic->span, out);
    out += fmt::format(R"(,"severity":"{}","code":"{}","source":"tidemark","message":)",
                       severity_name(diagnostic->severity), diagnostic->code);
    append_json_text(diagnostic->text, out);
    out += ",\"help\":";
    append_json_text(diagnostic->help, out);
    out += ",\"notes\":[";
    for (size_t i = 0; i < diagnostic->notes.size(); ++i) {
      if (i != 0) out += ",";
      append_json_text(diagnostic->notes[i], out);
    }
    out += "]}";
  }
  return out + (out.size() > 1 ? "\n]\n" : "]\n");
}

}  // namespace tidemark::config
