// SPDX-License-Identifier: Apache-2.0
//
// ScriptedSource: a source whose shards have what a test gives them, in that order, and end when it says so. Rows that
// are given at once come as one batch, as long as it holds them. All its readers and the test run on one thread.
#pragma once

#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "core/base/clock.hpp"
#include "core/ingest/reader.hpp"
#include "core/jobtest/test_script.hpp"

namespace tidemark::core {

class ScriptedSource final : public Source {
 public:
  struct Watermark {
    Micros time_us;  ///< no row at or before it is still to come
  };
  struct Idle {
    bool idle;
  };
  struct End {};
  using Event = std::variant<std::vector<ScriptRow>, Watermark, Idle, End>;

  /// `schema` and `clock` outlive it.
  ScriptedSource(const Schema& schema, std::vector<std::string> shards, const Clock& clock);

  void give(uint32_t shard, Event event) { shards_[shard].events.push_back(std::move(event)); }
  bool has_ended(uint32_t shard) const { return shards_[shard].ended; }

  Result<Schema> schema() override { return schema_; }
  Result<Discovery> discover() override;
  Result<std::unique_ptr<Reader>> open_reader(const Projection& projection, ReaderHost host) override;
  bool can_pause_splits() const noexcept override { return true; }
  bool is_bounded() const noexcept override { return true; }
  bool has_header_time() const noexcept override { return true; }

 private:
  friend class ScriptedReader;
  struct Shard {
    std::string name;
    std::deque<Event> events;
    size_t rows_taken = 0;  // of the event in front
    uint64_t sequence = 0;  // of the next row
    bool ended = false;
  };

  const Schema& schema_;
  const Clock& clock_;
  std::vector<Shard> shards_;
};

}  // namespace tidemark::core
