// SPDX-License-Identifier: Apache-2.0
// Values and compressed parts that no server writes: defined results, errors, and no memory for what cannot be there.
// One thread.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <memory>

#include "binlog/decimal.hpp"
#include "binlog/query_event.hpp"
#include "binlog/temporal.hpp"
#include "binlog_builder.hpp"

namespace tidemark::binlog {
namespace {

constexpr uint8_t kHeadOfFourBytes = 0x84;

/// A zlib stream behind MariaDB's header, which says `size`.
Bytes compressed_part(const Bytes& content, uint32_t size) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(12), libdeflate_free_compressor);
  Bytes stream(libdeflate_zlib_compress_bound(compressor.get(), content.size()));
  stream.resize(
      libdeflate_zlib_compress(compressor.get(), content.data(), content.size(), stream.data(), stream.size()));
  Bytes out{kHeadOfFourBytes};
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(size >> shift));
  out.insert(out.end(), stream.begin(), stream.end());
  return out;
}

TEST(DamagedValue, decimal_digits_out_of_range_wrap_as_wide_ones_do) {
  const DecimalLayout layout(18, 4);
  for (const uint8_t fill : {uint8_t{0x00}, uint8_t{0x7f}, uint8_t{0xff}}) {
    const Bytes cell(layout.width, fill);
    const uint64_t wide = unpack_decimal_wide(layout, cell.data(), 4).words[0];
    EXPECT_EQ(static_cast<uint64_t>(unpack_decimal(layout, cell.data(), int64_t{10'000})), wide) << int{fill};
    EXPECT_EQ(static_cast<uint64_t>(unpack_decimal(layout, cell.data(), Int128{10'000})), wide) << int{fill};
  }
}

TEST(DamagedValue, dates_past_year_9999_do_not_exist) {
  const Bytes old_datetime(8, 0x77);  // digits far beyond a year
  EXPECT_FALSE(has_number(unpack_old_datetime(old_datetime.data())));
  const DateTimeParts last{9999, 12, 31, 23, 59, 59, 999'999};
  ASSERT_TRUE(has_number(last));
  EXPECT_EQ(to_micros(last), 253'402'300'799'999'999);
  EXPECT_FALSE(date_exists(10'000, 1, 1));
}

TEST(CompressedPart, the_best_compression_there_is_inflates) {
  const Bytes zeros(size_t{4} << 20);
  Bytes out;
  const auto done = inflate_mariadb(compressed_part(zeros, static_cast<uint32_t>(zeros.size())), out);
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_EQ(out, zeros);
}

TEST(CompressedPart, a_size_that_cannot_be_takes_no_memory) {
  Bytes out;
  const auto done = inflate_mariadb(compressed_part({'a', 'b'}, 1u << 30), out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::corrupt);
  EXPECT_LT(out.capacity(), size_t{1} << 20);
}

}  // namespace
}  // namespace tidemark::binlog
