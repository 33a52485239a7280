// SPDX-License-Identifier: Apache-2.0
//
// Parts of a text are shown where they are; what is new goes to the run's arena.
#include "core/expression/string_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "core/expression/characters.hpp"
#include "core/expression/row_loops.hpp"

namespace tidemark::core {
namespace {

using Text = std::string_view;

bool is_too_long(size_t size, Text source) {
  return size > std::max(kMadeTextMax, source.size());
}

/// Writes texts one behind the other into bytes of the arena.
class Writer {
 public:
  Writer(TextArena& arena, size_t size) : begin_(arena.take(size)), at_(begin_) {}
  void put(Text text) {
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  Text text() const { return {begin_, static_cast<size_t>(at_ - begin_)}; }

 private:
  char* begin_;
  char* at_;
};

// From character `start` (1 is the first, -1 the last), at most `length` of them.
Text substring(Text text, int64_t start, int64_t length) {
  if (start == 0 || length <= 0) return {};
  uint64_t first = static_cast<uint64_t>(start) - 1;
  if (start < 0) {
    const size_t characters = count_characters(text);
    const uint64_t from_end = uint64_t{0} - static_cast<uint64_t>(start);
    if (from_end > characters) return {};
    first = characters - from_end;
  }
  text.remove_prefix(character_offset(text, first));
  return text.substr(0, character_offset(text, static_cast<uint64_t>(length)));
}

Text without_prefix(Text text, Text what) {
  while (!what.empty() && text.starts_with(what)) text.remove_prefix(what.size());
  return text;
}
Text without_suffix(Text text, Text what) {
  while (!what.empty() && text.ends_with(what)) text.remove_suffix(what.size());
  return text;
}

template <bool kFront, bool kBack>
void trim_blanks(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text)>(frame, step, [](Text a, Text& out) {
    out = kFront ? without_prefix(a, " ") : a;
    if (kBack) out = without_suffix(out, " ");
    return Fate::value;
  });
}

template <bool kFront, bool kBack>
void trim_texts(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, Text)>(frame, step, [](Text a, Text what, Text& out) {
    out = kFront ? without_prefix(a, what) : a;
    if (kBack) out = without_suffix(out, what);
    return Fate::value;
  });
}

// The position of `what` in `text`, from character `from` on; 0 where it is not.
int64_t locate(Text what, Text text, int64_t from) {
  if (from < 1) return 0;
  const size_t begin = character_offset(text, static_cast<uint64_t>(from) - 1);
  if (begin == text.size() && static_cast<uint64_t>(from) - 1 > count_characters(text)) return 0;
  const size_t found = text.find(what, begin);
  return found == Text::npos ? 0 : static_cast<int64_t>(count_characters(text.substr(0, found))) + 1;
}

template <bool kLeft>
void pad(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, int64_t, Text)>(frame, step, [&frame](Text a, int64_t length, Text padding, Text& out) {
    if (length < 0) return Fate::null;
    const size_t characters = count_characters(a);
    const auto wanted = static_cast<uint64_t>(length);
    if (wanted <= characters) {
      out = a.substr(0, character_offset(a, wanted));
      return Fate::value;
    }
    out = {};
    if (padding.empty()) return Fate::null;
    const uint64_t missing = wanted - characters;
    const size_t unit = count_characters(padding);
    const uint64_t whole = missing / unit;
    if (whole > kMadeTextMax) return Fate::failed;
    const Text rest = padding.substr(0, character_offset(padding, missing % unit));
    const size_t size = a.size() + whole * padding.size() + rest.size();
    if (is_too_long(size, a)) return Fate::failed;
    Writer writer(*frame.texts, size);
    if (!kLeft) writer.put(a);
    for (uint64_t i = 0; i < whole; ++i) writer.put(padding);
    writer.put(rest);
    if (kLeft) writer.put(a);
    out = writer.text();
    return Fate::value;
  });
}

Fate replace(TextArena& arena, Text a, Text from, Text to, Text& out) {
  out = a;
  size_t found = from.empty() ? Text::npos : a.find(from);
  if (found == Text::npos) return Fate::value;
  size_t count = 0;
  for (size_t at = found; at != Text::npos; at = a.find(from, at + from.size())) ++count;
  const size_t size = a.size() - count * from.size() + count * to.size();
  if (is_too_long(size, a)) return Fate::failed;
  Writer writer(arena, size);
  size_t at = 0;
  for (; found != Text::npos; found = a.find(from, at)) {
    writer.put(a.substr(at, found - at));
    writer.put(to);
    at = found + from.size();
  }
  writer.put(a.substr(at));
  out = writer.text();
  return Fate::value;
}

// Where the number-th delimiter (from 1, none overlapping another) begins.
size_t find_delimiter(Text text, Text delimiter, uint64_t number) {
  size_t at = text.find(delimiter);
  for (; number > 1 && at != Text::npos; --number) at = text.find(delimiter, at + delimiter.size());
  return at;
}

// Before the count-th delimiter; with a negative count behind the -count-th from the right, of those that are found
// from the left.
Text substring_index(Text text, Text delimiter, int64_t count) {
  if (delimiter.empty() || count == 0) return {};
  if (count > 0) return text.substr(0, find_delimiter(text, delimiter, static_cast<uint64_t>(count)));
  int64_t all = 0;
  for (size_t at = text.find(delimiter); at != Text::npos; at = text.find(delimiter, at + delimiter.size())) ++all;
  if (all + count < 0) return text;
  return text.substr(find_delimiter(text, delimiter, static_cast<uint64_t>(all + count) + 1) + delimiter.size());
}

}  // namespace

void reverse_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text)>(frame, step, [&frame](Text a, Text& out) {
    char* begin = frame.texts->take(a.size());
    char* at = begin + a.size();
    for (size_t i = 0; i < a.size();) {
      const size_t size = character_size(a, i);
      at -= size;
      std::memcpy(at, a.data() + i, size);
      i += size;
    }
    out = {begin, a.size()};
    return Fate::value;
  });
}

void trim_kernel(const Frame& frame, const Step& step) {
  trim_blanks<true, true>(frame, step);
}
void left_trim_kernel(const Frame& frame, const Step& step) {
  trim_blanks<true, false>(frame, step);
}
void right_trim_kernel(const Frame& frame, const Step& step) {
  trim_blanks<false, true>(frame, step);
}
void trim_both_kernel(const Frame& frame, const Step& step) {
  trim_texts<true, true>(frame, step);
}
void trim_leading_kernel(const Frame& frame, const Step& step) {
  trim_texts<true, false>(frame, step);
}
void trim_trailing_kernel(const Frame& frame, const Step& step) {
  trim_texts<false, true>(frame, step);
}

void byte_length_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(Text)>(frame, step, [](Text a, int64_t& out) {
    out = static_cast<int64_t>(a.size());
    return Fate::value;
  });
}
void character_length_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(Text)>(frame, step, [](Text a, int64_t& out) {
    out = static_cast<int64_t>(count_characters(a));
    return Fate::value;
  });
}

void substring_from_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, int64_t)>(frame, step, [](Text a, int64_t start, Text& out) {
    out = substring(a, start, INT64_MAX);
    return Fate::value;
  });
}
void substring_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, int64_t, int64_t)>(frame, step, [](Text a, int64_t start, int64_t length, Text& out) {
    out = substring(a, start, length);
    return Fate::value;
  });
}
void left_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, int64_t)>(frame, step, [](Text a, int64_t length, Text& out) {
    out = substring(a, 1, length);
    return Fate::value;
  });
}
void right_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, int64_t)>(frame, step, [](Text a, int64_t length, Text& out) {
    const auto characters = static_cast<int64_t>(count_characters(a));
    out = length >= characters ? a : length <= 0 ? Text() : substring(a, -length, length);
    return Fate::value;
  });
}

void repeat_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, int64_t)>(frame, step, [&frame](Text a, int64_t count, Text& out) {
    out = {};
    if (count < 1 || a.empty()) return Fate::value;
    const auto times = static_cast<uint64_t>(count);
    if (times > kMadeTextMax || is_too_long(a.size() * times, a)) return Fate::failed;
    Writer writer(*frame.texts, a.size() * times);
    for (uint64_t i = 0; i < times; ++i) writer.put(a);
    out = writer.text();
    return Fate::value;
  });
}

void replace_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, Text, Text)>(
      frame, step, [&frame](Text a, Text from, Text to, Text& out) { return replace(*frame.texts, a, from, to, out); });
}

void locate_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(Text, Text)>(frame, step, [](Text what, Text text, int64_t& out) {
    out = locate(what, text, 1);
    return Fate::value;
  });
}
void locate_from_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(Text, Text, int64_t)>(frame, step, [](Text what, Text text, int64_t from, int64_t& out) {
    out = locate(what, text, from);
    return Fate::value;
  });
}
void instr_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(Text, Text)>(frame, step, [](Text text, Text what, int64_t& out) {
    out = locate(what, text, 1);
    return Fate::value;
  });
}

void left_pad_kernel(const Frame& frame, const Step& step) {
  pad<true>(frame, step);
}
void right_pad_kernel(const Frame& frame, const Step& step) {
  pad<false>(frame, step);
}

void substring_index_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, Text, int64_t)>(frame, step, [](Text a, Text delimiter, int64_t count, Text& out) {
    out = substring_index(a, delimiter, count);
    return Fate::value;
  });
}

void starts_with_kernel(const Frame& frame, const Step& step) {
  test_rows<Text, Text>(frame, step, [](Text a, Text prefix) { return a.starts_with(prefix); });
}

void join_two_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, Text)>(frame, step, [&frame](Text a, Text b, Text& out) {
    Writer writer(*frame.texts, a.size() + b.size());
    writer.put(a);
    writer.put(b);
    out = writer.text();
    return Fate::value;
  });
}
void join_three_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<Text(Text, Text, Text)>(frame, step, [&frame](Text a, Text b, Text c, Text& out) {
    Writer writer(*frame.texts, a.size() + b.size() + c.size());
    writer.put(a);
    writer.put(b);
    writer.put(c);
    out = writer.text();
    return Fate::value;
  });
}

// NULLs mean something here, so validity is worked out row by row.
void join_separated_kernel(const Frame& frame, const Step& step) {
  const ValueVector& joined = frame.vectors[step.in[0]];
  const ValueVector& next = frame.vectors[step.in[1]];
  const ValueVector& separator = frame.vectors[step.in[2]];
  ValueVector& out = frame.vectors[step.out];
  Text* result = out.output<Text>();
  each_word(frame, [&](uint32_t word, uint32_t first, uint32_t count) {
    const uint64_t lost = joined.failed()[word] | next.failed()[word] | separator.failed()[word];
    const uint64_t valid = (joined.valid()[word] | next.valid()[word]) & separator.valid()[word] & ~lost;
    for (uint32_t row = first; row < first + count; ++row) {
      result[row] = {};
      if ((valid >> (row & 63) & 1) == 0) continue;
      if (!joined.is_valid(row) || !next.is_valid(row)) {
        result[row] = (joined.is_valid(row) ? joined : next).values<Text>()[row];
        continue;
      }
      const Text parts[] = {joined.values<Text>()[row], separator.values<Text>()[row], next.values<Text>()[row]};
      Writer writer(*frame.texts, parts[0].size() + parts[1].size() + parts[2].size());
      for (const Text part : parts) writer.put(part);
      result[row] = writer.text();
    }
    out.valid()[word] = valid;
    out.failed()[word] = lost;
  });
}

}  // namespace tidemark::core
