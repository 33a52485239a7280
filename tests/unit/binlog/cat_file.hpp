// SPDX-License-Identifier: Apache-2.0
// `binlog cat` of one file into streams, for tests. One thread.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "binlog/cat.hpp"

namespace tidemark::binlog {

class StreamOutput final : public CatOutput {
 public:
  StreamOutput(std::ostream& out, std::ostream& notes) : out_(out), notes_(notes) {}
  Checked write(std::string_view lines) override {
    out_ << lines;
    return Done{};
  }
  void note(std::string_view text) override { notes_ << "note: " << text << '\n'; }

 private:
  std::ostream& out_;
  std::ostream& notes_;
};

inline Outcome<CatSummary> cat_file(const std::filesystem::path& path, const CatOptions& options, std::ostream& out,
                                    std::ostream& notes) {
  const std::string paths[] = {path.string()};
  const auto inputs = cat_inputs(paths);
  if (!inputs) return inputs.error();
  StreamOutput output(out, notes);
  return cat_files(*inputs, options, output);
}

}  // namespace tidemark::binlog
