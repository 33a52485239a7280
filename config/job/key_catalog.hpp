// SPDX-License-Identifier: Apache-2.0
//
// Which keys each table of the job file has: those that are read, and those that are known but not in this version.
// Feeds suggestions: a key may also belong into another table. TableReader refuses to read a key that is not here,
// so the lists cannot fall behind the code. Constant data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::config {

enum class TableKind : uint8_t {
  root,
  job,
  source,
  shard,
  watermark,
  all_idle,
  alignment,
  transform,
  aggregate,
  window,
  emit,
  firing,
  sink,
  secret,
  sink_batch,
  sink_roll,
  sink_retry,
  state,
  checkpoint,
  plugins,
  http,
  log,
  test,
  test_step,
  expected_late,
};

/// Keys that are read.
std::span<const std::string_view> keys_of(TableKind kind);
/// Keys that are known and answered with "not supported yet".
std::span<const std::string_view> planned_keys_of(TableKind kind);

/// Ids to name tables in suggestions: the first of each section, empty when there is none.
struct SectionIds {
  std::string source;
  std::string aggregate;
  std::string sink;
};

/// Help for an unknown key of a table: "did you mean `x`?", "`x` belongs in [y]", or the list of keys.
/// extra: further keys of the table (such as a plugin's options).
std::string suggest_key(TableKind kind, std::string_view given, const SectionIds& ids,
                        std::span<const std::string> extra = {});

}  // namespace tidemark::config
