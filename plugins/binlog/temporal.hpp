// SPDX-License-Identifier: Apache-2.0
// Dates and times as the row format packs them, and their numeric forms.
// Invariants: calendar arithmetic is proleptic Gregorian, as the servers'; zero and impossible dates have no numeric
// form (has_number() is false), never a wrong one.
// No state; any thread. Source: MySQL "Date and Time Data Type Representation" (internals manual).
#pragma once

#include <cstdint>

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

inline constexpr int64_t kMicrosPerDay = 86'400'000'000;
inline constexpr uint32_t kPowersOfTen[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000};

struct DateTimeParts {
  uint32_t year = 0;
  uint32_t month = 0;
  uint32_t day = 0;
  uint32_t hour = 0;
  uint32_t minute = 0;
  uint32_t second = 0;
  uint32_t micros = 0;
};

/// Days since 1970-01-01 of a Gregorian date.
constexpr int32_t days_from_civil(uint32_t year, uint32_t month, uint32_t day) {
  // Years start in March here, so that the leap day is the last one.
  const uint32_t y = year + 400 - (month <= 2 ? 1 : 0);  // + one era: no negative numbers for year 0
  const uint32_t era = y / 400;
  const uint32_t year_of_era = y - era * 400;
  const uint32_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const uint32_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return static_cast<int32_t>(era * 146'097 + day_of_era) - 146'097 - 719'468;
}

/// The date of `days` since 1970-01-01; years 0 to 9999.
constexpr DateTimeParts civil_from_days(int32_t days) {
  const auto z = static_cast<uint32_t>(days + 719'468 + 146'097);
  const uint32_t era = z / 146'097;
  const uint32_t day_of_era = z - era * 146'097;
  const uint32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const uint32_t month_index = (5 * day_of_year + 2) / 153;
  DateTimeParts parts;
  parts.day = day_of_year - (153 * month_index + 2) / 5 + 1;
  parts.month = month_index < 10 ? month_index + 3 : month_index - 9;
  parts.year = year_of_era + era * 400 - 400 + (parts.month <= 2 ? 1 : 0);
  return parts;
}

/// False for zero dates, zero months and days, days that the month does not have, and years past 9999 (damage).
constexpr bool date_exists(uint32_t year, uint32_t month, uint32_t day) {
  if (year > 9999 || month - 1 > 11 || day - 1 > 30) return false;
  if (day <= 28) return true;
  constexpr uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && leap ? 1u : 0u);
}

constexpr bool has_number(const DateTimeParts& parts) {
  return date_exists(parts.year, parts.month, parts.day) && parts.hour < 24 && parts.minute < 60 && parts.second < 60;
}

/// Microseconds since 1970-01-01 00:00 of the same zone; only if has_number().
constexpr int64_t to_micros(const DateTimeParts& parts) {
  const int64_t days = days_from_civil(parts.year, parts.month, parts.day);
  const int64_t seconds = parts.hour * 3600 + parts.minute * 60 + parts.second;
  return days * kMicrosPerDay + seconds * 1'000'000 + parts.micros;
}

/// Bytes that `fsp` fractional digits take.
constexpr uint32_t fraction_bytes(uint32_t fsp) {
  return (fsp + 1) / 2;
}

/// Microseconds of `fsp` digits' stored fraction (an odd fsp is stored with one more digit).
inline uint32_t fraction_micros(const uint8_t* at, uint32_t fsp) {
  const uint32_t bytes = fraction_bytes(fsp);
  return static_cast<uint32_t>(load_be(at, bytes)) * kPowersOfTen[6 - 2 * bytes];
}

/// DATE: 3 bytes.
inline DateTimeParts unpack_date(const uint8_t* at) {
  const auto raw = static_cast<uint32_t>(load_le(at, 3));
  DateTimeParts parts;
  parts.day = raw & 31;
  parts.month = raw >> 5 & 15;
  parts.year = raw >> 9;
  return parts;
}

/// DATETIME2: 5 bytes and the fraction.
inline DateTimeParts unpack_datetime2(const uint8_t* at, uint32_t fsp) {
  const uint64_t raw = load_be(at, 5) & 0x7fffffffff;
  const auto year_month = static_cast<uint32_t>(raw >> 22 & 0x1ffff);
  DateTimeParts parts;
  parts.year = year_month / 13;
  parts.month = year_month % 13;
  parts.day = static_cast<uint32_t>(raw >> 17 & 31);
  parts.hour = static_cast<uint32_t>(raw >> 12 & 31);
  parts.minute = static_cast<uint32_t>(raw >> 6 & 63);
  parts.second = static_cast<uint32_t>(raw & 63);
  parts.micros = fraction_micros(at + 5, fsp);
  return parts;
}

/// Old DATETIME: decimal YYYYMMDDhhmmss in 8 bytes.
inline DateTimeParts unpack_old_datetime(const uint8_t* at) {
  const uint64_t raw = load_le(at, 8);
  const auto date = static_cast<uint32_t>(raw / 1'000'000);
  const auto time = static_cast<uint32_t>(raw % 1'000'000);
  return {date / 10'000, date / 100 % 100, date % 100, time / 10'000, time / 100 % 100, time % 100, 0};
}

/// TIME2 as signed microseconds. All bytes together are one number around an offset, so that fractions of negative
/// times borrow from the seconds.
inline int64_t unpack_time2(const uint8_t* at, uint32_t fsp) {
  const uint32_t fraction = fraction_bytes(fsp);
  const uint32_t bits = 8 * (3 + fraction);
  const int64_t raw = static_cast<int64_t>(load_be(at, 3 + fraction)) - (int64_t{1} << (bits - 1));
  const int64_t size = raw < 0 ? -raw : raw;
  const int64_t whole = size >> (8 * fraction);
  const int64_t seconds = (whole >> 12 & 0x3ff) * 3600 + (whole >> 6 & 63) * 60 + (whole & 63);
  const int64_t micros = (size & ((int64_t{1} << (8 * fraction)) - 1)) * kPowersOfTen[6 - 2 * fraction];
  const int64_t value = seconds * 1'000'000 + micros;
  return raw < 0 ? -value : value;
}

/// Old TIME: signed decimal HHMMSS in 3 bytes, as microseconds.
inline int64_t unpack_old_time(const uint8_t* at) {
  const auto raw = static_cast<int32_t>(static_cast<uint32_t>(load_le(at, 3)) << 8) >> 8;
  const int64_t size = raw < 0 ? -raw : raw;
  const int64_t value = ((size / 10'000) * 3600 + size / 100 % 100 * 60 + size % 100) * 1'000'000;
  return raw < 0 ? -value : value;
}

}  // namespace tidemark::binlog
