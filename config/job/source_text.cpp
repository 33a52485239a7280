// SPDX-License-Identifier: Apache-2.0
//
// Lines, code points and TOML string literals. Nothing here trusts the text to be UTF-8 or a string to be closed.
#include "config/job/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace tidemark::config {
namespace {

bool starts_code_point(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
}

// Walks the characters of a TOML string literal: where each stands and how many bytes of value it makes.
class LiteralWalker {
 public:
  LiteralWalker(std::string_view text, size_t at) : text_(text), at_(at) {
    const char quote = text_[at_];
    escapes_ = quote == '"';
    const std::string closing(3, quote);
    if (text_.substr(at_, 3) == closing) {
      at_ += 3;
      if (text_.substr(at_, 2) == "\r\n") at_ += 2;
      if (at_ < text_.size() && text_[at_] == '\n') ++at_;
      multi_line_ = true;
    } else {
      ++at_;
    }
  }

  size_t at() const noexcept { return at_; }

  // Steps over one character of the literal; returns the bytes of value it stands for.
  size_t step() noexcept {
    if (at_ >= text_.size()) return 0;
    if (!escapes_ || text_[at_] != '\\' || at_ + 1 >= text_.size()) {
      ++at_;
      return 1;
    }
    const char kind = text_[at_ + 1];
    if (kind == 'u' || kind == 'U') return step_unicode(kind == 'u' ? 4 : 8);
    if (multi_line_ && (kind == '\n' || kind == '\r' || kind == ' ' || kind == '\t')) {
      ++at_;
      while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
      return 0;
    }
    at_ += 2;
    return 1;
  }

 private:
  size_t step_unicode(size_t digits) noexcept {
    unsigned long point = 0;
    for (size_t i = 0; i < digits && at_ + 2 + i < text_.size(); ++i) {
      const char c = text_[at_ + 2 + i];
      const int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
      point = point * 16 + static_cast<unsigned long>(digit);
    }
    at_ = std::min(text_.size(), at_ + 2 + digits);
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }

  std::string_view text_;
  size_t at_;
  bool escapes_ = false;
  bool multi_line_ = false;
};

}  // namespace

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
  line_starts_.push_back(0);
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_starts_.push_back(at + 1);
  }
}

std::string_view SourceText::line(uint32_t number) const noexcept {
  if (number == 0 || number > line_starts_.size()) return {};
  const size_t start = line_starts_[number - 1];
  const size_t end = number < line_starts_.size() ? line_starts_[number] - 1 : text_.size();
  std::string_view out = std::string_view(text_).substr(start, end - start);
  if (out.ends_with('\r')) out.remove_suffix(1);
  return out;
}

size_t SourceText::offset_of(uint32_t line_number, uint32_t column) const noexcept {
  if (line_number == 0 || line_number > line_starts_.size()) return text_.size();
  return line_starts_[line_number - 1] + byte_of_code_point(line(line_number), column == 0 ? 0 : column - 1);
}

Span SourceText::span_at(uint32_t file, size_t offset) const noexcept {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const size_t start = *std::prev(next);
  const size_t column = count_code_points(std::string_view(text_).substr(start, offset - start)) + 1;
  return {file, static_cast<uint32_t>(next - line_starts_.begin()), static_cast<uint32_t>(column), 1};
}

core::Result<std::string> read_job_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return core::Status(core::Code::config, "there is no such file");
  }
  if (error) return core::Status(core::Code::config, error.message());
  if (status.type() == std::filesystem::file_type::directory) {
    return core::Status(core::Code::config, "this is a directory; name the job file in it");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return core::Status(core::Code::config, "the file cannot be opened for reading");
  std::string text;
  std::vector<char> buffer(size_t{64} << 10);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    text.append(buffer.data(), static_cast<size_t>(in.gcount()));
    if (text.size() > kJobFileBytesMax) {
      return core::Status(core::Code::config,
                          fmt::format("larger than {} MiB, the most a job file may have", kJobFileBytesMax >> 20));
    }
  }
  if (in.bad()) return core::Status(core::Code::config, "reading failed");
  return text;
}

size_t count_code_points(std::string_view text) noexcept {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

size_t byte_of_code_point(std::string_view text, size_t index) noexcept {
  size_t seen = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!starts_code_point(text[at])) continue;
    if (seen++ == index) return at;
  }
  return text.size();
}

Span span_inside_string(const SourceText& source, Span literal, size_t offset, size_t length) {
  const std::string_view text = source.text();
  const size_t begin = source.offset_of(literal.line, literal.column);
  if (begin >= text.size() || (text[begin] != '"' && text[begin] != '\'')) return literal;
  LiteralWalker walker(text, begin);
  size_t made = 0;
  while (made < offset && walker.at() < text.size()) made += walker.step();
  const size_t first = walker.at();
  while (made < offset + length && walker.at() < text.size()) made += walker.step();
  size_t last = walker.at();
  if (const size_t line_end = text.find('\n', first); line_end != std::string_view::npos)
    last = std::min(last, line_end);

  Span out = literal;
  size_t line_start = begin;
  for (size_t at = text.find('\n', begin); at < first; at = text.find('\n', at + 1)) {
    ++out.line;
    line_start = at + 1;
  }
  out.column = static_cast<uint32_t>(count_code_points(text.substr(line_start, first - line_start))) +
               (out.line == literal.line ? literal.column : 1);
  out.length = static_cast<uint32_t>(std::max<size_t>(1, count_code_points(text.substr(first, last - first))));
  return out;
}

Span span_inside_text(const SourceText& source, Span text, size_t offset, size_t length) {
  const std::string_view all = source.text();
  size_t begin = source.offset_of(text.line, text.column);
  const auto behind = [&all](size_t at, std::string_view quotes) { return all.substr(0, at).ends_with(quotes); };
  if (behind(begin, "\n")) {  // a line break behind opening quotes is no part of the text
    begin -= behind(begin, "\r\n") ? 2 : 1;
    if (!behind(begin, "\"\"\"") && !behind(begin, "'''")) return text;
  }
  for (const std::string_view quotes : {"\"\"\"", "'''", "\"", "'"}) {
    if (!behind(begin, quotes)) continue;
    return span_inside_string(source, source.span_at(text.file, begin - quotes.size()), offset, length);
  }
  return text;
}

}  // namespace tidemark::config
