// SPDX-License-Identifier: Apache-2.0
// A source of CSV files, one file per split, lines "event_time_us,account,amount".
#include <fstream>
#include <tidemark/source.hpp>

class CsvFile final : public tidemark::SplitReader {
 public:
  explicit CsvFile(const tidemark::Split& split) : file_(std::string(split.id)) {
    if (!file_) throw tidemark::SourceError("cannot open", split.id);
    if (!split.position.empty()) offset_ = std::stoull(std::string(split.position));
    file_.seekg(static_cast<std::streamoff>(offset_));
  }
  tidemark::Status fetch(tidemark::SplitOutput& out) override {
    while (out.has_room(line_.capacity()) && std::getline(file_, line_)) {
      const size_t first = line_.find(','), second = line_.find(',', first + 1);
      if (second == std::string::npos) throw tidemark::SourceError("not 3 fields", line_);
      out.append(tidemark::Op::insert, std::stoll(line_))
          .set(kAccount, std::string_view(line_).substr(first + 1, second - first - 1))
          .set(kAmount, int64_t{std::stoll(line_.substr(second + 1))});
      offset_ += line_.size() + 1;
    }
    return file_.eof() ? tidemark::Status::end : tidemark::Status::more;
  }
  std::string position() const override { return std::to_string(offset_); }

 private:
  enum Column : uint32_t { kAccount, kAmount };
  std::ifstream file_;
  std::string line_;
  size_t offset_ = 0;
};

class CsvSource {
 public:
  explicit CsvSource(const tidemark::Options& options) : path_(options.text("path")) {}
  tidemark::Schema schema() const { return {{"account", tidemark::Type::text}, {"amount", tidemark::Type::int64}}; }
  std::vector<std::string> discover() const { return {path_}; }
  uint64_t features() const { return TIDEMARK_BOUNDED; }  // every file has an end, and there will be no others
  std::unique_ptr<tidemark::SplitReader> open(const tidemark::Split& split) { return std::make_unique<CsvFile>(split); }

 private:
  std::string path_;
};

TIDEMARK_SOURCE(CsvSource, "csv", "0.1.0", {"path", "text", "", "File to read; each file is one split"})
