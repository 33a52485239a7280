// SPDX-License-Identifier: Apache-2.0
//
// A source for tests: changes out of text files, one split per file. A line is a change: operation (i, d, b, a), then
// the columns, separated by tabs; "\N" is NULL, "\?" is not in the row's image. The two rows of an update (b, a) stand
// on neighbouring lines. A line "t" takes all rows of the file.
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <tidemark/source.hpp>
#include <vector>

namespace {

constexpr std::string_view kNull = "\\N";
constexpr std::string_view kAbsent = "\\?";

class ChangeFile final : public tidemark::SplitReader {
 public:
  ChangeFile(const tidemark::Split& split, int64_t rows_per_fetch)
      : file_(std::string(split.id)), rows_per_fetch_(rows_per_fetch > 0 ? rows_per_fetch : INT64_MAX) {
    if (!file_) throw tidemark::SourceError("cannot open", split.id);
    if (!split.position.empty()) offset_ = std::stoull(std::string(split.position));
    file_.seekg(static_cast<std::streamoff>(offset_));
  }

  tidemark::Status fetch(tidemark::SplitOutput& out) override {
    for (int64_t i = 0; i < rows_per_fetch_ && out.has_room(2 * kLineMax, 2) && std::getline(file_, line_); ++i) {
      if (line_.front() == 't') {
        offset_ += line_.size() + 1;
        out.truncate({});
        continue;
      }
      append(out);
      offset_ += line_.size() + 1;
      if (line_.front() != 'b') continue;
      std::getline(file_, line_);
      append(out);
      offset_ += line_.size() + 1;
    }
    return file_.eof() ? tidemark::Status::end : tidemark::Status::more;
  }
  std::string position() const override { return std::to_string(offset_); }

 private:
  static constexpr size_t kLineMax = 400;
  static constexpr size_t kColumns = 9;

  void append(tidemark::SplitOutput& out) {
    std::array<std::string_view, kColumns + 1> cells;
    std::string_view rest = line_;
    for (std::string_view& cell : cells) {
      const size_t tab = rest.find('\t');
      cell = rest.substr(0, tab);
      rest = tab == std::string_view::npos ? std::string_view() : rest.substr(tab + 1);
    }
    auto row = out.append(operation(cells[0].front()));
    for (uint32_t column = 0; column < kColumns; ++column) {
      const std::string_view cell = cells[column + 1];
      if (cell == kAbsent) {
        out.set_absent(row, column);
      } else if (cell != kNull) {
        set(row, column, cell);
      }
    }
  }

  static tidemark::Op operation(char letter) {
    switch (letter) {
      case 'd':
        return tidemark::Op::remove;
      case 'b':
        return tidemark::Op::update_before;
      case 'a':
        return tidemark::Op::update_after;
      default:
        return tidemark::Op::insert;
    }
  }

  static void set(tidemark::Row& row, uint32_t column, std::string_view cell) {
    const std::string text(cell);
    switch (column) {
      case 1:  // k
      case 8:  // s
        row.set(column, cell);
        return;
      case 4:  // a
        row.set(column, cell);
        return;
      case 5:  // w
        row.set(column, cell);
        return;
      case 6:  // f
        row.set(column, std::stod(text));
        return;
      default:
        row.set(column, int64_t{std::stoll(text)});
    }
  }

  std::ifstream file_;
  const int64_t rows_per_fetch_;
  std::string line_;
  uint64_t offset_ = 0;
};

class ChangeFiles {
 public:
  explicit ChangeFiles(const tidemark::Options& options)
      : folder_(options.text("folder")), rows_per_fetch_(options.integer("rows_per_fetch")) {}

  uint64_t features() const { return TIDEMARK_BOUNDED | TIDEMARK_GIVES_TRUNCATES | TIDEMARK_GIVES_PARTIAL_IMAGES; }
  tidemark::Schema schema() const {
    using tidemark::Column;
    using tidemark::Type;
    tidemark::Schema out{{"id", Type::int64},   {"k", Type::text},           {"g", Type::int32},
                         {"t", Type::datetime}, Column::decimal("a", 12, 2), Column::decimal("w", 60, 3),
                         {"f", Type::float64},  {"b", Type::boolean},        {"s", Type::text}};
    out.primary_key = {0};
    return out;
  }
  std::vector<std::string> discover() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() == ".tsv") out.push_back(entry.path().string());
    }
    return out;
  }
  std::unique_ptr<tidemark::SplitReader> open(const tidemark::Split& split) {
    return std::make_unique<ChangeFile>(split, rows_per_fetch_);
  }

 private:
  std::string folder_;
  int64_t rows_per_fetch_;
};

}  // namespace

TIDEMARK_SOURCE(ChangeFiles, "changelog_tsv", "0.1.0", {"folder", "text", "", "Where the .tsv files are"},
                {"rows_per_fetch", "int", "0", "Changes per call; 0 = as many as there is room for"})
