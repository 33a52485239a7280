// SPDX-License-Identifier: Apache-2.0
// Packed DECIMAL: layout, wide values, text. No state; any thread.
#include "binlog/decimal.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint32_t kDigitsPerGroup = 9;
constexpr uint32_t kPowers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
constexpr uint8_t kGroupBytes[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};

}  // namespace

DecimalLayout::DecimalLayout(uint32_t precision, uint32_t scale) {
  const auto add = [this](uint32_t digits) {
    if (digits == 0) return;
    groups[group_count++] = {kGroupBytes[digits], static_cast<uint8_t>(digits), kPowers[digits]};
    width = static_cast<uint8_t>(width + kGroupBytes[digits]);
  };
  const uint32_t integer_digits = precision - scale;
  add(integer_digits % kDigitsPerGroup);
  for (uint32_t i = 0; i < integer_digits / kDigitsPerGroup; ++i) add(kDigitsPerGroup);
  integer_groups = group_count;
  for (uint32_t i = 0; i < scale / kDigitsPerGroup; ++i) add(kDigitsPerGroup);
  add(scale % kDigitsPerGroup);
}

void Wide256::multiply_add(uint32_t factor, uint32_t addend) {
  UInt128 carry = addend;
  for (auto& word : words) {
    const UInt128 product = static_cast<UInt128>(word) * factor + carry;
    word = static_cast<uint64_t>(product);
    carry = product >> 64;
  }
}

void Wide256::negate() {
  uint64_t carry = 1;
  for (auto& word : words) {
    word = ~word + carry;
    carry = carry != 0 && word == 0 ? 1 : 0;
  }
}

Wide256 unpack_decimal_wide(const DecimalLayout& layout, const uint8_t* at, uint32_t more_digits) {
  const bool negative = decimal_negative(at);
  Wide256 value;
  for (uint32_t i = 0; i < layout.group_count; ++i) {
    const DecimalGroup& group = layout.groups[i];
    value.multiply_add(group.power, decimal_group(at, group.bytes, i == 0, negative));
    at += group.bytes;
  }
  for (; more_digits >= kDigitsPerGroup; more_digits -= kDigitsPerGroup)
    value.multiply_add(kPowers[kDigitsPerGroup], 0);
  value.multiply_add(kPowers[more_digits], 0);
  if (negative) value.negate();
  return value;
}

void decimal_text(const DecimalLayout& layout, const uint8_t* at, std::string& out) {
  out.clear();
  const bool negative = decimal_negative(at);
  if (negative) out += '-';
  const size_t digits_start = out.size();
  for (uint32_t i = 0; i < layout.group_count; ++i) {
    const DecimalGroup& group = layout.groups[i];
    uint32_t rest = decimal_group(at, group.bytes, i == 0, negative);
    at += group.bytes;
    if (i == layout.integer_groups) {
      if (out.size() == digits_start) out += '0';
      out += '.';
    }
    for (uint32_t power = group.power / 10; power > 0; power /= 10) {
      const uint32_t digit = rest / power % 10;
      const bool leading_zero = i < layout.integer_groups && digit == 0 && out.size() == digits_start;
      if (!leading_zero) out += static_cast<char>('0' + digit);
    }
  }
  if (out.size() == digits_start) out += '0';
}

}  // namespace tidemark::binlog
