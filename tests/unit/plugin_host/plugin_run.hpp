// SPDX-License-Identifier: Apache-2.0
//
// For tests of plugins: an output that collects rows as text per split, and a run of a source over all of its
// splits. One thread.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/batch/cell_text.hpp"
#include "core/ingest/reader.hpp"
#include "core/plugin_host/plugin_source.hpp"

namespace tidemark::core::test {

/// What one split gave.
struct SplitResult {
  std::vector<std::string> rows;  ///< cells with ',' between, NULL as "-"
  std::vector<uint64_t> sequences;
  std::vector<Micros> event_times;
  std::string signals;  ///< "W5", "P7", "I", "A", "D(why)", "C", "E(why)", "F" in order
};

class CollectingOutput final : public ReaderOutput {
 public:
  explicit CollectingOutput(std::shared_ptr<BatchPool> pool) : pool_(std::move(pool)) {}

  std::unique_ptr<Batch> acquire(SplitId) override { return has_credit ? pool_->acquire() : nullptr; }
  void submit(std::unique_ptr<Batch> batch) override {
    const BatchRef shared = pool_->share(std::move(batch));
    SplitResult& out = splits[shared->split];
    for (uint32_t row = 0; row < shared->rows; ++row) {
      std::string text;
      for (size_t i = 0; i < shared->columns().size(); ++i) {
        if (i > 0) text += ",";
        if (shared->column(i).is_valid(row)) {
          append_cell_text(*shared, i, row, text);
        } else {
          text += "-";
        }
      }
      out.rows.push_back(std::move(text));
      out.sequences.push_back(shared->sequence[row]);
      out.event_times.push_back(shared->event_time_us[row]);
    }
  }
  void watermark(SplitId split, Micros time) override { splits[split].signals += "W" + std::to_string(time); }
  void progress(SplitId split, Micros time) override { splits[split].signals += "P" + std::to_string(time); }
  void set_idle(SplitId split, bool idle) override { splits[split].signals += idle ? "I" : "A"; }
  void set_disconnected(SplitId split, std::string_view reason) override {
    splits[split].signals += "D(" + std::string(reason) + ")";
  }
  void set_connected(SplitId split) override { splits[split].signals += "C"; }
  void failed(SplitId split, std::string_view reason) override {
    splits[split].signals += "E(" + std::string(reason) + ")";
  }
  void finished(SplitId split) override { splits[split].signals += "F"; }

  std::map<SplitId, SplitResult> splits;
  bool has_credit = true;

 private:
  std::shared_ptr<BatchPool> pool_;
};

/// A source with one reader that reads every column (or `projection`).
struct OpenedSource {
  std::unique_ptr<Source> source;
  Schema schema;
  std::shared_ptr<BatchPool> pool;
  std::unique_ptr<Reader> reader;
  std::unique_ptr<CollectingOutput> output;

  /// Polls until `end` or an error (at most 100,000 times).
  Status poll_to_end() {
    for (int i = 0; i < 100'000; ++i) {
      const auto polled = reader->poll_next(*output);
      if (!polled) return polled.status();
      if (*polled == PollStatus::end) return {};
    }
    return {Code::internal, "the source did not end"};
  }
};

inline OpenedSource open_source(const std::shared_ptr<const LoadedPlugin>& plugin, const PluginOptions& options,
                                std::vector<uint32_t> projection = {}, bool keeps_rows = false) {
  OpenedSource out;
  auto source = PluginSource::create(plugin, options);
  EXPECT_TRUE(source.is_ok()) << source.status().message();
  if (!source) return out;
  out.source = *std::move(source);
  auto schema = out.source->schema();
  EXPECT_TRUE(schema.is_ok()) << schema.status().message();
  if (!schema) return out;
  out.schema = *std::move(schema);
  if (projection.empty()) {
    projection.resize(out.schema.columns.size());
    std::iota(projection.begin(), projection.end(), 0u);
  }
  BatchLayout layout;
  for (const uint32_t column : projection) layout.columns.push_back(out.schema.columns[column]);
  layout.partial = keeps_rows;
  out.pool = BatchPool::create(std::move(layout), size_t{64} << 20);
  auto reader = out.source->open_reader({projection, SourceTime::commit, keeps_rows, keeps_rows},
                                        {.notify = {}, .metric = {}, .pool = out.pool});
  EXPECT_TRUE(reader.is_ok()) << reader.status().message();
  if (reader) out.reader = *std::move(reader);
  out.output = std::make_unique<CollectingOutput>(out.pool);
  return out;
}

inline std::shared_ptr<const LoadedPlugin> load_file(const std::filesystem::path& path) {
  const auto info = read_plugin_info(path);
  EXPECT_TRUE(info.is_ok()) << info.status().message();
  if (!info) return nullptr;
  auto plugin = load_plugin(*info);
  EXPECT_TRUE(plugin.is_ok()) << plugin.status().message();
  return plugin ? *plugin : nullptr;
}

}  // namespace tidemark::core::test
