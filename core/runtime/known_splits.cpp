// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/known_splits.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/log.hpp"
#include "core/state/keys.hpp"

namespace tidemark::core {
namespace {

struct Known {
  std::string key;  // of Family::sources
  std::string record;
  std::optional<uint32_t> source{};  // by plan index; none when the job has it no more
  std::string name{};                // "source orders: shards/a"
  std::string split{};
  bool is_there = false;
};

Known look_for(std::string_view key, std::string_view record, const JobPlan& plan, const SplitTable& splits) {
  Known out{.key = std::string(key), .record = std::string(record)};
  const auto known = split_source_key(key);
  if (!known) return out;
  out.split = std::string(known->second);
  out.name = fmt::format("source {}: {}", known->first, known->second);
  for (uint32_t source = 0; source < plan.sources.size(); ++source) {
    if (plan.sources[source].id == known->first) out.source = source;
  }
  for (SplitId id = 0; id < splits.size() && out.source; ++id) {
    out.is_there |= splits[id].source == *out.source && splits[id].name == out.split;
  }
  return out;
}

Status refuse(const std::vector<std::string>& missing) {
  return {
      Code::state,
      fmt::format("{}{} was read before and is not there any more; put it back under this name, go on without it (run "
                  "--leave-out-missing; its position is kept until it is back), or start over with another state path",
                  missing.front(), missing.size() > 1 ? fmt::format(" (and {} more)", missing.size() - 1) : "")};
}

}  // namespace

Result<LeftOutSplits> settle_known_splits(EpochStore& store, const JobPlan& plan, const SplitTable& splits,
                                          bool leave_out_missing) {
  LeftOutSplits out;
  EpochWrites writes;
  std::vector<std::string> missing;
  Status scanned = store.scan(Family::sources, "", [&](std::string_view key, std::string_view record) {
    Known known = look_for(key, record, plan, splits);
    if (known.is_there || known.name.empty()) return true;
    missing.push_back(known.name);
    if (known.source) out.emplace(*known.source, known.split);
    writes.put(Family::meta, left_out_key(known.key), std::move(known.record));
    writes.remove(Family::sources, std::move(known.key));
    return true;
  });
  if (!scanned) return scanned;
  if (!missing.empty() && !leave_out_missing) return refuse(missing);
  for (const std::string& name : missing) {
    log_warn(fmt::format("{} is not there: the job goes on without it, and from its position once it is back", name));
  }
  scanned = store.scan(Family::meta, kMetaLeftOut, [&](std::string_view key, std::string_view record) {
    const Known known = look_for(key.substr(kMetaLeftOut.size()), record, plan, splits);
    if (!known.is_there) {
      if (known.source) out.emplace(*known.source, known.split);
      return true;
    }
    log_warn(
        fmt::format("{} is there again: it is read on from where it was left out; its rows may be late", known.name));
    writes.put(Family::sources, known.key, known.record);
    writes.remove(Family::meta, std::string(key));
    return true;
  });
  if (!scanned) return scanned;
  if (writes.writes().empty()) return out;
  if (Status committed = store.commit(writes); !committed) return committed;
  return out;
}

}  // namespace tidemark::core
