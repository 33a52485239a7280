// SPDX-License-Identifier: Apache-2.0
//
// LOWER and UPPER: code points to their one counterpart, as in MySQL, by ICU's tables; ASCII texts, which are most,
// without them. Bytes that are no UTF-8 stay as they are. The machine's locale plays no part.
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "core/expression/characters.hpp"
#include "core/expression/row_loops.hpp"
#include "core/expression/string_kernels.hpp"

namespace tidemark::core {
namespace {

template <bool kUpper>
std::string_view change_ascii(TextArena& arena, std::string_view text) {
  char* out = arena.take(text.size());
  constexpr char kFirst = kUpper ? 'a' : 'A';
  std::transform(text.begin(), text.end(), out,
                 [](char c) { return c >= kFirst && c <= kFirst + 25 ? static_cast<char>(c ^ 0x20) : c; });
  return {out, text.size()};
}

template <bool kUpper>
std::string_view change_characters(TextArena& arena, std::string_view text) {
  const size_t room = text.size() * 2 + 4;  // a code point of two bytes may become one of three
  char* out = arena.take(room);
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  size_t in = 0;
  size_t size = 0;
  while (in < text.size()) {
    const size_t begin = in;
    UChar32 point = 0;
    U8_NEXT(bytes, in, text.size(), point);
    if (point < 0) {
      std::copy(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(in),
                out + size);
      size += in - begin;
      continue;
    }
    point = kUpper ? u_toupper(point) : u_tolower(point);
    auto* to = reinterpret_cast<uint8_t*>(out);
    U8_APPEND_UNSAFE(to, size, point);
  }
  arena.give_back(room - size);
  return {out, size};
}

template <bool kUpper>
void change_case(const Frame& frame, const Step& step) {
  map_valid_rows<std::string_view(std::string_view)>(frame, step, [&frame](std::string_view a, std::string_view& out) {
    out = is_ascii(a) ? change_ascii<kUpper>(*frame.texts, a) : change_characters<kUpper>(*frame.texts, a);
    return Fate::value;
  });
}

}  // namespace

void lower_kernel(const Frame& frame, const Step& step) {
  change_case<false>(frame, step);
}
void upper_kernel(const Frame& frame, const Step& step) {
  change_case<true>(frame, step);
}

}  // namespace tidemark::core
