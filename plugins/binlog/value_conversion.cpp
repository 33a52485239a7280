// SPDX-License-Identifier: Apache-2.0
// The conversions of single values. Each is a small function that knows its types; what it needs beside the bytes is in
// the Conversion.
// Any thread; no state.
#include "binlog/value_conversion.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "binlog/byte_cursor.hpp"
#include "binlog/temporal.hpp"

namespace tidemark::binlog {

namespace {

template <class T>
void store(void* value, T number) {
  std::memcpy(value, &number, sizeof number);
}

/// The low 1, 2, 4 or 8 bytes.
void store_low(void* value, uint64_t number, uint32_t bytes) {
  switch (bytes) {
    case 1:
      return store(value, static_cast<uint8_t>(number));
    case 2:
      return store(value, static_cast<uint16_t>(number));
    case 4:
      return store(value, static_cast<uint32_t>(number));
    default:
      return store(value, number);
  }
}

template <uint32_t kWidth, bool kSigned>
auto load_integer(const uint8_t* at) {
  uint64_t raw = 0;
  std::memcpy(&raw, at, kWidth);
  if constexpr (kSigned) {
    return static_cast<int64_t>(raw << (64 - 8 * kWidth)) >> (64 - 8 * kWidth);
  } else {
    return raw;
  }
}
static_assert(std::endian::native == std::endian::little, "rows are copied as they lie");

template <uint32_t kWidth, bool kSigned, class Target>
CellResult convert_integer(const Conversion&, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store(value, static_cast<Target>(load_integer<kWidth, kSigned>(at)));
  return CellResult::value;
}

template <uint32_t kWidth, bool kSigned>
CellResult integer_to_decimal64(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store(value, static_cast<int64_t>(load_integer<kWidth, kSigned>(at)) * static_cast<int64_t>(self.multiplier));
  return CellResult::value;
}

template <uint32_t kWidth, bool kSigned>
CellResult integer_to_decimal128(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store(value, static_cast<Int128>(load_integer<kWidth, kSigned>(at)) * self.multiplier);
  return CellResult::value;
}

// The row format's integer types, as picked by width and sign.
template <template <uint32_t, bool> class Pick>
Conversion::Function pick_integer(uint32_t width, bool is_unsigned) {
  switch (width) {
    case 1:
      return is_unsigned ? Pick<1, false>::function : Pick<1, true>::function;
    case 2:
      return is_unsigned ? Pick<2, false>::function : Pick<2, true>::function;
    case 3:
      return is_unsigned ? Pick<3, false>::function : Pick<3, true>::function;
    case 4:
      return is_unsigned ? Pick<4, false>::function : Pick<4, true>::function;
    default:
      return is_unsigned ? Pick<8, false>::function : Pick<8, true>::function;
  }
}

template <class Target>
struct ToInteger {
  template <uint32_t kWidth, bool kSigned>
  struct Pick {
    static constexpr Conversion::Function function = convert_integer<kWidth, kSigned, Target>;
  };
};
template <uint32_t kWidth, bool kSigned>
struct ToDecimal64 {
  static constexpr Conversion::Function function = integer_to_decimal64<kWidth, kSigned>;
};
template <uint32_t kWidth, bool kSigned>
struct ToDecimal128 {
  static constexpr Conversion::Function function = integer_to_decimal128<kWidth, kSigned>;
};

CellResult store_datetime(const DateTimeParts& parts, void* value) {
  if (!has_number(parts)) return CellResult::zero_date;
  store(value, to_micros(parts));
  return CellResult::value;
}

CellResult store_timestamp(uint32_t seconds, uint32_t micros, void* value) {
  if (seconds == 0 && micros == 0) return CellResult::zero_date;
  store(value, static_cast<int64_t>(seconds) * 1'000'000 + micros);
  return CellResult::value;
}

}  // namespace

Conversion::Function integer_conversion(uint32_t width, bool is_unsigned, uint32_t target_bytes) {
  switch (target_bytes) {
    case 1:
      return pick_integer<ToInteger<int8_t>::Pick>(width, is_unsigned);
    case 2:
      return pick_integer<ToInteger<int16_t>::Pick>(width, is_unsigned);
    case 4:
      return pick_integer<ToInteger<int32_t>::Pick>(width, is_unsigned);
    default:
      return pick_integer<ToInteger<int64_t>::Pick>(width, is_unsigned);
  }
}

Conversion::Function integer_to_decimal64_conversion(uint32_t width, bool is_unsigned) {
  return pick_integer<ToDecimal64>(width, is_unsigned);
}

Conversion::Function integer_to_decimal128_conversion(uint32_t width, bool is_unsigned) {
  return pick_integer<ToDecimal128>(width, is_unsigned);
}

CellResult convert_year(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store_low(value, *at == 0 ? 0 : 1900u + *at, self.value_bytes);
  return CellResult::value;
}

CellResult convert_bit(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter&) {
  uint64_t bits = 0;
  if (size == 8) {
    std::memcpy(&bits, at, 8);
    bits = __builtin_bswap64(bits);
  } else {
    bits = load_be(at, size);
  }
  store_low(value, bits, self.value_bytes);
  return CellResult::value;
}

CellResult convert_copy4(const Conversion&, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  std::memcpy(value, at, 4);
  return CellResult::value;
}
CellResult convert_copy8(const Conversion&, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  std::memcpy(value, at, 8);
  return CellResult::value;
}
CellResult float_to_double(const Conversion&, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  float number = 0;
  std::memcpy(&number, at, sizeof number);
  store(value, static_cast<double>(number));
  return CellResult::value;
}

CellResult convert_decimal64(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store(value, unpack_decimal(self.decimal, at, static_cast<int64_t>(self.multiplier)));
  return CellResult::value;
}
CellResult convert_decimal128(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store(value, unpack_decimal(self.decimal, at, self.multiplier));
  return CellResult::value;
}
CellResult convert_decimal256(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store(value, unpack_decimal_wide(self.decimal, at, self.more_digits).words);
  return CellResult::value;
}

CellResult convert_date(const Conversion&, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  const DateTimeParts parts = unpack_date(at);
  if (!date_exists(parts.year, parts.month, parts.day)) return CellResult::zero_date;
  store(value, days_from_civil(parts.year, parts.month, parts.day));
  return CellResult::value;
}

CellResult convert_datetime2(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  return store_datetime(unpack_datetime2(at, self.fsp), value);
}
CellResult convert_old_datetime(const Conversion&, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  return store_datetime(unpack_old_datetime(at), value);
}

CellResult convert_timestamp2(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  return store_timestamp(static_cast<uint32_t>(load_be(at, 4)), fraction_micros(at + 4, self.fsp), value);
}
CellResult convert_old_timestamp(const Conversion&, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  return store_timestamp(static_cast<uint32_t>(load_le(at, 4)), 0, value);
}

CellResult convert_time2(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store(value, unpack_time2(at, self.fsp));
  return CellResult::value;
}
CellResult convert_old_time(const Conversion&, const uint8_t* at, uint32_t, void* value, HeapWriter&) {
  store(value, unpack_old_time(at));
  return CellResult::value;
}

CellResult convert_bytes(const Conversion&, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  return heap.put(at, size, value);
}

CellResult convert_padded(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  const uint32_t padded = std::max(size, self.pad_to);
  if (!heap.has_room(padded)) return CellResult::heap_full;
  if (size != 0) std::memcpy(heap.next(), at, size);
  if (padded != size) std::memset(heap.next() + size, 0, padded - size);
  heap.keep(padded, value);
  return CellResult::value;
}

namespace {

template <uint32_t kWidth>
CellResult convert_member(const Conversion& self, const uint8_t* at, uint32_t, void* value, HeapWriter& heap) {
  const uint64_t index = load_integer<kWidth, false>(at);
  if (index >= self.texts.entries.size()) return CellResult::no_member;
  const MemberTexts::Entry text = self.texts.entries[static_cast<size_t>(index)];
  const char* from = self.texts.bytes.data() + text.offset;
  // Short ones in one move of a fixed size; the pool ends in as many bytes more.
  if (text.size > MemberTexts::kSlack || !heap.has_room(MemberTexts::kSlack)) [[unlikely]] {
    return heap.put(from, text.size, value);
  }
  std::memcpy(heap.next(), from, MemberTexts::kSlack);
  heap.keep(text.size, value);
  return CellResult::value;
}

}  // namespace

Conversion::Function member_conversion(uint32_t width) {
  return width == 1 ? convert_member<1> : convert_member<2>;
}

CellResult convert_set(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap) {
  const uint64_t bits = load_le(at, size);
  const size_t count = self.members.size();
  if (count < 64 && bits >> count != 0) return CellResult::no_member;
  if (!heap.has_room(self.heap_extra)) return CellResult::heap_full;
  char* const start = heap.next();
  char* to = start;
  for (size_t i = 0; i < count; ++i) {
    if ((bits >> i & 1) == 0) continue;
    if (to != start) *to++ = ',';
    std::memcpy(to, self.members[i].data(), self.members[i].size());
    to += self.members[i].size();
  }
  heap.keep(static_cast<uint64_t>(to - start), value);
  return CellResult::value;
}

}  // namespace tidemark::binlog
