// SPDX-License-Identifier: Apache-2.0
// See the header. One thread.
#include "tests/fuzz/binlog_drive.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "binlog/cat.hpp"
#include "binlog/cat_stats.hpp"
#include "binlog/row_images.hpp"
#include "binlog/statement_scan.hpp"
#include "binlog/table_resolver.hpp"
#include "binlog/transaction_reader.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/unit/binlog/column_batch.hpp"

namespace tidemark::fuzz {

using binlog::CellState;

namespace {

constexpr uint64_t kImagesMax = 20'000;  // an image of NULLs takes one byte: enough is enough

void read_transactions(const std::string& path) {
  auto reader = binlog::TransactionReader::open(path);
  if (!reader) return;
  binlog::SchemaTracker tracker;
  binlog::Item item;
  std::optional<RowsReader> rows;
  uint64_t revision = 0;
  while (true) {
    const auto state = reader->next(item);
    if (!state) {
      const auto again = reader->next(item);
      require(!again.ok() && again.error().text == state.error().text, "an error stays");
      return;
    }
    if (*state != binlog::ReadState::ready) return;
    if (item.kind == binlog::ItemKind::statement) {
      tracker.on_statement(
          binlog::statement_at(item.query, reader->file().name(), item.position, reader->format().flavor));
    }
    if (item.kind != binlog::ItemKind::rows) continue;
    if (!rows || rows->map() != item.table || revision != tracker.revision()) {
      const auto schema = binlog::resolve_schema(*item.table, tracker);
      rows.emplace(item.table, schema ? *schema : nullptr);
      revision = tracker.revision();
    }
    rows->read(item.rows);
  }
}

// Ascending runs of rows that there are.
void check_problems(const std::vector<binlog::RowProblem>& problems, uint32_t rows) {
  uint32_t end = 0;
  for (const auto& problem : problems) {
    require(problem.row >= end && problem.rows > 0 && problem.row + problem.rows <= rows, "problems are runs of rows");
    require(!problem.text.empty(), "a problem has a text");
    end = problem.row + problem.rows;
  }
}

class CountingOutput final : public binlog::CatOutput {
 public:
  binlog::Checked write(std::string_view lines) override {
    lines_ += static_cast<uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
    return binlog::Done{};
  }
  void note(std::string_view text) override { require(!text.empty(), "a note has a text"); }
  uint64_t lines() const { return lines_; }

 private:
  uint64_t lines_ = 0;
};

}  // namespace

MemoryFile::MemoryFile() : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  require(fd_ >= 0, "there are files in memory");
  path_ = "/proc/self/fd/" + std::to_string(fd_);
}

MemoryFile::~MemoryFile() {
  ::close(fd_);
}

void MemoryFile::write(std::span<const uint8_t> bytes) {
  require(::ftruncate(fd_, 0) == 0, "the file can be emptied");
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    require(got > 0, "the file can be written");
    done += static_cast<size_t>(got);
  }
}

RowsReader::RowsReader(std::shared_ptr<const binlog::TableMap> map, std::shared_ptr<const binlog::TableSchema> schema)
    : map_(std::move(map)), facts_(binlog::column_facts(*map_, schema.get())) {
  std::vector<binlog::TargetColumn> targets;
  for (size_t i = 0; schema && i < schema->columns.size() && i < map_->columns.size(); ++i) {
    const auto type = binlog::natural_target(schema->columns[i]);
    if (!type) continue;
    const binlog::TargetColumn one{static_cast<int32_t>(i), *type};
    if (!binlog::ColumnProgram::compile(map_, schema.get(), {&one, 1})) continue;
    targets.push_back(one);
    types_.push_back(*type);
  }
  if (auto program = binlog::ColumnProgram::compile(map_, schema.get(), targets)) program_ = std::move(*program);
}

// nullopt where one is damaged.
std::optional<uint64_t> RowsReader::count_images(const binlog::RowsEvent& rows) const {
  binlog::RowImages images(*map_, rows);
  binlog::RowImage image;
  binlog::Value value;
  uint64_t count = 0;
  while (count < kImagesMax) {
    const auto more = images.next(image);
    if (!more) return std::nullopt;
    if (!*more) return count;
    ++count;
    for (size_t i = 0; i < image.cells.size(); ++i) {
      if (image.cells[i].state != CellState::value && image.cells[i].state != CellState::json_diffs) continue;
      const auto width = binlog::cell_width(map_->columns[i], image.cells[i].bytes);
      require(width && *width == image.cells[i].bytes.size(), "a cell has its own width");
      const auto decoded = binlog::decode_cell(map_->columns[i], facts_[i], image.cells[i].bytes, value);
      if (!decoded) require(!decoded.error().text.empty(), "an error has a text");
    }
  }
  return std::nullopt;
}

// With `problems` rows are decoded as far as they go.
std::optional<uint64_t> RowsReader::decode_all(const binlog::RowsEvent& rows,
                                               std::vector<binlog::RowProblem>* problems) {
  constexpr uint32_t kRows = 6;
  constexpr uint64_t kHeapBytes = 64;
  constexpr uint32_t kProblems = 2;
  binlog::ColumnBatch batch(types_, kRows, kHeapBytes);
  binlog::RowCursor cursor;
  batch.output().problems = problems;
  batch.output().problem_capacity = kProblems;
  uint64_t fruitless = 0;
  while (cursor.rows_done < kImagesMax) {
    const uint64_t before = cursor.rows_done;
    const auto state = program_->decode(rows, cursor, batch.output());
    if (!state) return std::nullopt;
    for (size_t column = 0; column < types_.size(); ++column) {
      for (uint32_t row = 0; row < batch.rows(); ++row) (void)batch.text(column, row);
    }
    if (problems != nullptr) check_problems(*problems, batch.rows());
    if (*state == binlog::FillState::event_done) return cursor.rows_done;
    fruitless = cursor.rows_done == before ? fruitless + 1 : 0;
    require(fruitless < 3, "decoding goes on once there is room");
    batch.clear();
    batch.output().problems = problems;
    batch.output().problem_capacity = kProblems;
    if (problems != nullptr) problems->clear();
    if (*state == binlog::FillState::heap_full) batch.grow_heap(program_->heap_bytes_needed());
  }
  return std::nullopt;
}

void RowsReader::read(const binlog::RowsEvent& rows) {
  if (!map_->undecodable.empty() || map_->columns.size() != rows.column_count) return;  // as TransactionReader does
  const auto images = count_images(rows);
  if (!program_) return;
  const auto decoded = decode_all(rows, nullptr);
  if (decoded && images) require(*decoded == *images, "a program finds the images that there are");
  std::vector<binlog::RowProblem> problems;
  const auto set_aside = decode_all(rows, &problems);
  if (decoded) require(set_aside == decoded && problems.empty(), "where there is no error there is no problem");
  // A row can be refused for its values; but what can be walked can be skipped.
  if (!images) return;
  binlog::RowCursor cursor;
  const auto skipped = program_->skip(rows, cursor, UINT64_MAX);
  require(skipped.ok() && *skipped == *images, "skip() passes the images that there are");
}

void read_binlog(const std::string& path) {
  read_transactions(path);
  if (auto file = binlog::FileReader::open(path)) {
    binlog::SchemaTracker tracker;
    (void)binlog::track_statements(*file, tracker);
  }
  const std::string paths[] = {path};
  const auto inputs = binlog::cat_inputs(paths);
  require(inputs.ok(), "a file is an input");
  binlog::CatOptions options;
  options.use_earlier_files = false;
  CountingOutput output;
  const auto printed = binlog::cat_files(*inputs, options, output);
  binlog::CatStats stats;
  options.stats = &stats;
  const auto counted = binlog::cat_files(*inputs, options, output);
  require(!printed.ok() || counted.ok(), "what can be printed can be counted");
  if (!printed || !counted) return;
  require(printed->changes == counted->changes && output.lines() == counted->changes, "a line per change");
  require(!stats.text().empty() && !stats.json().empty(), "counts can be printed");
}

}  // namespace tidemark::fuzz
