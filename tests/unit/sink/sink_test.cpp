// SPDX-License-Identifier: Apache-2.0
//
// Text of every type, NDJSON, CSV, the table, and a file sink that is killed at every step.
#include "core/sink/sink.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "core/base/fail_point.hpp"
#include "core/base/int256.hpp"
#include "core/batch/cell_text.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/batch/json_text.hpp"
#include "core/sink/csv_writer.hpp"
#include "core/sink/json_writer.hpp"
#include "core/sink/sink_progress.hpp"
#include "core/sink/table_writer.hpp"

namespace tidemark::core {
namespace {

namespace fs = std::filesystem;

template <typename T>
std::pair<std::string, std::string> one_cell(ColumnType type, T value, uint8_t scale = 0) {
  auto layout = std::make_shared<BatchLayout>();
  layout->columns.push_back({"v", type, 0, scale, true, ""});
  Batch batch(layout, 1, 16);
  batch.rows = 1;
  if constexpr (std::is_convertible_v<T, std::string_view>) {
    EXPECT_TRUE(put_text(batch, 0, 0, value));
  } else {
    put_value(batch, 0, 0, value);
  }
  std::string text, json;
  append_cell_text(batch, 0, 0, text);
  JsonWriter(*layout).append_row(batch, 0, json);
  EXPECT_TRUE(json.starts_with("{\"v\":") && json.ends_with("}\n"));
  return {text, json.substr(5, json.size() - 7)};
}

using Pair = std::pair<std::string, std::string>;

TEST(CellText, every_type_as_text_and_as_json) {
  EXPECT_EQ(one_cell(ColumnType::boolean, uint8_t{1}), Pair("true", "true"));
  EXPECT_EQ(one_cell(ColumnType::int8, int8_t{-128}), Pair("-128", "-128"));
  EXPECT_EQ(one_cell(ColumnType::int16, int16_t{-7}), Pair("-7", "-7"));
  EXPECT_EQ(one_cell(ColumnType::uint8, uint8_t{255}), Pair("255", "255"));
  EXPECT_EQ(one_cell(ColumnType::uint16, uint16_t{65535}), Pair("65535", "65535"));
  EXPECT_EQ(one_cell(ColumnType::uint32, UINT32_MAX), Pair("4294967295", "4294967295"));
  EXPECT_EQ(one_cell(ColumnType::int32, int32_t{-5}), Pair("-5", "-5"));
  EXPECT_EQ(one_cell(ColumnType::int64, int64_t{9007199254740992}), Pair("9007199254740992", "9007199254740992"));
  EXPECT_EQ(one_cell(ColumnType::int64, int64_t{-9007199254740993}),
            Pair("-9007199254740993", "\"-9007199254740993\""));
  EXPECT_EQ(one_cell(ColumnType::int64, INT64_MIN), Pair("-9223372036854775808", "\"-9223372036854775808\""));
  EXPECT_EQ(one_cell(ColumnType::uint64, UINT64_MAX), Pair("18446744073709551615", "\"18446744073709551615\""));
  EXPECT_EQ(one_cell(ColumnType::float32, 0.1F), Pair("0.1", "0.1"));
  EXPECT_EQ(one_cell(ColumnType::float64, 0.1), Pair("0.1", "0.1"));
  EXPECT_EQ(one_cell(ColumnType::float64, 1e300), Pair("1e+300", "1e+300"));
  EXPECT_EQ(one_cell(ColumnType::float64, std::numeric_limits<double>::quiet_NaN()), Pair("NaN", "\"NaN\""));
  EXPECT_EQ(one_cell(ColumnType::float64, -std::numeric_limits<double>::infinity()),
            Pair("-Infinity", "\"-Infinity\""));
  EXPECT_EQ(one_cell(ColumnType::decimal64, int64_t{-5}, 4), Pair("-0.0005", "\"-0.0005\""));
  EXPECT_EQ(one_cell(ColumnType::decimal64, int64_t{0}, 2), Pair("0.00", "\"0.00\""));
  EXPECT_EQ(one_cell(ColumnType::decimal64, int64_t{123450}, 3), Pair("123.450", "\"123.450\""));
  EXPECT_EQ(one_cell(ColumnType::decimal64, INT64_MIN, 18), Pair("-9.223372036854775808", "\"-9.223372036854775808\""));
  EXPECT_EQ(one_cell(ColumnType::decimal64, int64_t{42}, 0), Pair("42", "42"));
  EXPECT_EQ(one_cell(ColumnType::decimal128, Int128{-1} * INT64_MAX * 10, 1),
            Pair("-9223372036854775807.0", "\"-9223372036854775807.0\""));
  EXPECT_EQ(one_cell(ColumnType::decimal256, Int256(42), 0), Pair("42", "42"));
  EXPECT_EQ(one_cell(ColumnType::decimal256, Int256::from_i128(Int128{INT64_MAX} * 100), 0),
            Pair("922337203685477580700", "\"922337203685477580700\""));
  EXPECT_EQ(one_cell(ColumnType::date, int32_t{20541}), Pair("2026-03-29", "\"2026-03-29\""));
  EXPECT_EQ(one_cell(ColumnType::date, INT32_MIN), Pair("-2147483648", "\"-2147483648\""));
  EXPECT_EQ(one_cell(ColumnType::time, int64_t{-3020399'000001}), Pair("-838:59:59.000001", "\"-838:59:59.000001\""));
  EXPECT_EQ(one_cell(ColumnType::time, int64_t{1'500'000}), Pair("00:00:01.500", "\"00:00:01.500\""));
  EXPECT_EQ(one_cell(ColumnType::timestamp, int64_t{1'774'742'400'000'000}),
            Pair("2026-03-29T00:00:00Z", "\"2026-03-29T00:00:00Z\""));
  EXPECT_EQ(one_cell(ColumnType::datetime, int64_t{-1}),
            Pair("1969-12-31T23:59:59.999999", "\"1969-12-31T23:59:59.999999\""));
  EXPECT_EQ(one_cell(ColumnType::bytes, std::string_view("\x00\xff", 2)), Pair("00ff", "\"00ff\""));
  EXPECT_EQ(one_cell(ColumnType::json, std::string_view("{\"a\": 1}")), Pair("{\"a\": 1}", "\"{\\\"a\\\": 1}\""));
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

TEST(Json, strings_are_escaped_and_always_valid_utf8) {
  EXPECT_EQ(json_string("a\"b\\c\n\t\r\x01"), "\"a\\\"b\\\\c\\n\\t\\r\\u0001\"");
  EXPECT_EQ(json_string("Köln 東京 \xf0\x9f\x8c\x8a"), "\"Köln 東京 \xf0\x9f\x8c\x8a\"");
  for (const std::string_view bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "\x80"}) {
    const std::string out = json_string(bad);
    EXPECT_EQ(out.find(bad), std::string::npos);
    EXPECT_NE(out.find("\xef\xbf\xbd"), std::string::npos);
  }
}

/// region text, n int64
std::shared_ptr<const BatchLayout> small_layout() {
  auto layout = std::make_shared<BatchLayout>();
  layout->columns.push_back({"region", ColumnType::text, 0, 0, true, ""});
  layout->columns.push_back({"n", ColumnType::int64, 0, 0, true, ""});
  return layout;
}

BatchRef small_rows() {
  auto batch = std::make_shared<Batch>(small_layout(), 4, 64);
  batch->rows = 4;
  EXPECT_TRUE(put_text(*batch, 0, 0, "north"));
  put_value(*batch, 1, 0, int64_t{1});
  EXPECT_TRUE(put_text(*batch, 0, 1, ""));
  put_value(*batch, 1, 1, int64_t{-22});
  EXPECT_TRUE(put_text(*batch, 0, 3, "a,\"b\"\n\x1b[2J"));
  put_value(*batch, 1, 3, int64_t{3});
  return batch;
}

TEST(Csv, null_is_empty_and_empty_text_is_quoted) {
  const BatchRef rows = small_rows();
  std::string out;
  append_csv_header(rows->layout(), out);
  for (uint32_t row = 0; row < 4; ++row) append_csv_row(*rows, row, out);
  EXPECT_EQ(out, "region,n\nnorth,1\n\"\",-22\n,\n\"a,\"\"b\"\"\n\x1b[2J\",3\n");
}

TEST(Table, is_aligned_and_harmless_to_terminals) {
  const BatchRef rows = small_rows();
  std::string out;
  const auto sink = make_stdout_sink(true, [&](std::string_view text) { return out += text, Status(); });
  ASSERT_TRUE(sink->open(small_layout(), {}).is_ok());
  ASSERT_TRUE(sink->write(*rows, 0).is_ok());
  ASSERT_TRUE(sink->write(*rows, 1).is_ok());
  ASSERT_TRUE(sink->flush(1).is_ok());
  EXPECT_EQ(out,
            "region    n\n"
            "──────  ───\n"
            "north     1\n"
            "        -22\n");
  out.clear();
  ASSERT_TRUE(sink->write(*rows, 2).is_ok());
  ASSERT_TRUE(sink->write(*rows, 3).is_ok());
  ASSERT_TRUE(sink->finish().is_ok());
  EXPECT_EQ(out,
            "region             n\n"
            "──────────────  ────\n"
            "NULL            NULL\n"
            "a,\"b\"\\n\\x1b[2J     3\n");
}

TEST(StdoutSink, prints_ndjson_into_a_pipe_and_counts_on_after_a_restart) {
  const BatchRef rows = small_rows();
  std::string out;
  const auto write = [&](std::string_view text) { return out += text, Status(); };
  auto sink = make_stdout_sink(false, write);
  ASSERT_TRUE(sink->open(small_layout(), {}).is_ok());
  ASSERT_TRUE(sink->write(*rows, 0).is_ok());
  ASSERT_TRUE(sink->write(*rows, 2).is_ok());
  const auto progress = sink->flush(1);
  EXPECT_EQ(out, "{\"region\":\"north\",\"n\":1}\n{\"region\":null,\"n\":null}\n");
  sink = make_stdout_sink(false, write);
  ASSERT_TRUE(sink->open(small_layout(), *progress).is_ok());
  EXPECT_EQ(sink->rows_written(), 2u);
}

class FileSinkTest : public testing::Test {
 protected:
  FileSinkTest() {
    std::string name = (fs::temp_directory_path() / "tidemark-sink-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~FileSinkTest() override {
    set_fail_point(nullptr);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  static void set_fail_point(const char* setting) {
    setting == nullptr ? unsetenv("TIDEMARK_FAILPOINTS") : setenv("TIDEMARK_FAILPOINTS", setting, 1);
    reset_fail_points();
  }
  std::string content() const {
    std::ostringstream out;
    out << std::ifstream(path()).rdbuf();
    return out.str();
  }
  fs::path path() const { return folder_ / "out" / "results"; }
  fs::path marker() const { return folder_ / "out" / "results.uncommitted"; }

  fs::path folder_;
};

TEST_F(FileSinkTest, is_exactly_once_wherever_it_dies) {
  const BatchRef rows = small_rows();
  for (const FileFormat format : {FileFormat::ndjson, FileFormat::csv}) {
    std::string wanted;
    if (format == FileFormat::csv) append_csv_header(rows->layout(), wanted);
    const JsonWriter json(rows->layout());
    std::string progress;  // what the last epoch has
    uint64_t next = 0;     // the first row after it
    std::mt19937_64 random(11);
    const char* points[] = {"sink_before_flush=error", "sink_after_flush=error", "sink_after_truncate=error", nullptr};
    for (int run = 0; run < 60; ++run) {
      set_fail_point(points[random() % 4]);
      auto sink = make_file_sink(path(), format);
      if (!sink->open(small_layout(), progress)) continue;
      EXPECT_EQ(sink->rows_written(), next);
      std::string added;
      uint64_t at = next;
      for (uint64_t epochs = random() % 4; epochs > 0; --epochs) {
        // sometimes enough for the buffer to spill between two flushes
        for (uint64_t count = random() % (run % 10 == 0 ? 20000 : 20); count > 0; --count, ++at) {
          const auto row = static_cast<uint32_t>(at % 4);
          ASSERT_TRUE(sink->write(*rows, row).is_ok());
          format == FileFormat::csv ? append_csv_row(*rows, row, added) : json.append_row(*rows, row, added);
        }
        const auto flushed = sink->flush(1);
        if (!flushed) {
          EXPECT_FALSE(sink->write(*rows, 0).is_ok()) << "a failed sink takes nothing more";
          break;
        }
        if (random() % 4 == 0) break;  // killed between flush and epoch
        progress = *flushed;
        next = at;
        wanted += std::exchange(added, "");
      }
    }
    set_fail_point(nullptr);
    auto sink = make_file_sink(path(), format);
    ASSERT_TRUE(sink->open(small_layout(), progress).is_ok());
    EXPECT_EQ(content(), wanted);
    EXPECT_GT(next, 0u);
    EXPECT_FALSE(fs::exists(marker()));
    fs::remove_all(path().parent_path());
  }
}

TEST_F(FileSinkTest, never_overwrites_what_is_not_its_own) {
  fs::create_directories(path().parent_path());
  std::ofstream(path()) << "precious\n";
  const Status refused = make_file_sink(path(), FileFormat::ndjson)->open(small_layout(), {});
  ASSERT_FALSE(refused.is_ok());
  EXPECT_NE(refused.message().find("move the file away"), std::string::npos);
  EXPECT_EQ(content(), "precious\n");
  EXPECT_FALSE(fs::exists(marker()));
}

TEST_F(FileSinkTest, a_first_run_leaves_no_marker_and_missing_results_are_an_error) {
  const BatchRef rows = small_rows();
  auto sink = make_file_sink(path(), FileFormat::ndjson);
  ASSERT_TRUE(sink->open(small_layout(), {}).is_ok());
  EXPECT_TRUE(fs::exists(marker()));
  ASSERT_TRUE(sink->write(*rows, 0).is_ok());
  auto progress = sink->flush(1);
  ASSERT_TRUE(progress.is_ok());
  EXPECT_EQ(*decode_sink_progress(*progress), (SinkProgress{fs::file_size(path()), 1}));
  ASSERT_TRUE(sink->finish().is_ok());
  EXPECT_FALSE(fs::exists(marker()));

  fs::resize_file(path(), 3);
  const Status missing = make_file_sink(path(), FileFormat::ndjson)->open(small_layout(), *progress);
  EXPECT_EQ(missing.code(), Code::state);
  for (size_t at = 0; at < progress->size(); ++at) {
    std::string damaged = *progress;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_FALSE(decode_sink_progress(damaged).is_ok());
  }
}

}  // namespace
}  // namespace tidemark::core
