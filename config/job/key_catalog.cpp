// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of keys and the search in it.
#include "config/job/key_catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "config/job/nearest_name.hpp"
#include "core/base/check.hpp"

namespace tidemark::config {
namespace {

/// Options of the sources that come with the program, for keys that stand in the wrong table.
constexpr std::array<std::string_view, 9> kSourceOptions = {
    "shards", "tables", "follow", "read_limit", "schema_file", "keyring_file", "rate", "splits", "rows_per_split"};

struct TableInfo {
  TableKind kind;
  std::string_view title;  // with {} for the id
  std::vector<std::string_view> keys;
  std::vector<std::string_view> planned;
};

const std::array<TableInfo, 25>& catalog() {
  static const std::array<TableInfo, 25> kCatalog = {{
      {TableKind::root,
       "the top level",
       {"version", "job", "sources", "transforms", "aggregates", "sinks", "state", "checkpoint", "plugins", "http",
        "log", "tests"},
       {"late"}},
      {TableKind::job, "[job]", {"name", "time_zone", "parallelism"}, {"include"}},
      {TableKind::source,
       "[sources.{}]",
       {"type", "mode", "on_bad_event", "no_base", "on_truncate", "on_partial_image", "time_zone", "shard",
        "discover_interval", "watermark"},
       {"start", "limit", "heartbeat", "shard_name", "on_position_lost", "on_schema_mismatch", "on_schema_change"}},
      {TableKind::shard, "[[sources.{}.shard]]", {"name", "time_zone"}, {}},
      {TableKind::watermark,
       "[sources.{}.watermark]",
       {"field", "strategy", "strategy_options", "marker", "max_out_of_orderness", "idle_timeout", "emit_interval",
        "all_idle", "on_resume", "max_future", "on_future", "alignment"},
       {}},
      {TableKind::all_idle, "all_idle of [sources.{}.watermark]", {"advance_after", "lag"}, {}},
      {TableKind::alignment,
       "alignment of [sources.{}.watermark]",
       {"group", "max_drift", "update_interval", "timeout"},
       {}},
      {TableKind::transform, "[transforms.<id>]", {"type", "inputs", "where", "set", "drop"}, {}},
      {TableKind::aggregate,
       "[aggregates.{}]",
       {"inputs", "where", "key_by", "window", "emit", "allowed_lateness", "late", "having", "columns"},
       {"keep_closed"}},
      {TableKind::window,
       "[aggregates.{}.window]",
       {"type", "size", "slide", "step", "max_size", "gap", "offset", "time_zone", "time"},
       {}},
      {TableKind::emit, "emit of [aggregates.{}]", {"early", "late", "purge", "every", "time", "count"}, {}},
      {TableKind::firing, "early and late of emit of [aggregates.{}]", {"every", "time", "count"}, {}},
      {TableKind::sink,
       "[sinks.{}]",
       {"type", "inputs", "path", "format", "roll", "dsn", "user", "password", "table", "key", "batch", "retry",
        "on_reject"},
       {}},
      {TableKind::secret, "password of [sinks.{}]", {"env", "file"}, {}},
      {TableKind::sink_batch, "batch of [sinks.{}]", {"rows", "bytes"}, {"linger"}},
      {TableKind::sink_roll, "roll of [sinks.{}]", {"size", "every"}, {}},
      {TableKind::sink_retry, "retry of [sinks.{}]", {"max_attempts", "initial", "max"}, {}},
      {TableKind::state, "[state]", {"path", "memory", "backend"}, {}},
      {TableKind::checkpoint,
       "[checkpoint]",
       {"interval", "timeout", "retain", "retain_interval", "path", "on_damage"},
       {}},
      {TableKind::plugins, "[plugins]", {"paths"}, {}},
      {TableKind::http, "[http]", {"listen"}, {}},
      {TableKind::log, "[log]", {"level", "format"}, {}},
      {TableKind::test, "[[tests]]", {"name", "start", "end", "schema", "steps", "expect"}, {}},
      {TableKind::test_step,
       "steps of [[tests]]",
       {"source", "shard", "rows", "silence", "watermark", "idle", "end"},
       {}},
      {TableKind::expected_late,
       "expect.late of [[tests]]",
       {"aggregate", "source", "shard", "reason", "event_time", "lateness", "count"},
       {}},
  }};
  return kCatalog;
}

const TableInfo& info_of(TableKind kind) {
  const auto& all = catalog();
  const auto found = std::find_if(all.begin(), all.end(), [&](const TableInfo& info) { return info.kind == kind; });
  TIDEMARK_CHECK(found != all.end());
  return *found;
}

std::vector<std::string> names_of(const TableInfo& info) {
  std::vector<std::string> out(info.keys.begin(), info.keys.end());
  out.insert(out.end(), info.planned.begin(), info.planned.end());
  return out;
}

std::string title_of(const TableInfo& info, const SectionIds& ids) {
  std::string out(info.title);
  const size_t hole = out.find("{}");
  if (hole == std::string::npos) return out;
  const std::string& id = out.find("sources") != std::string::npos      ? ids.source
                          : out.find("aggregates") != std::string::npos ? ids.aggregate
                                                                        : ids.sink;
  return out.replace(hole, 2, id.empty() ? "<id>" : id);
}

bool is_of_tests(TableKind kind) {
  return kind == TableKind::test || kind == TableKind::test_step || kind == TableKind::expected_late;
}

// Of two tables with the key, the one of the same section first (a window's key is looked for in the aggregate). What
// belongs to tests is never meant where the job is described, nor the other way round.
std::vector<const TableInfo*> others_by_nearness(TableKind kind) {
  const std::string_view own = info_of(kind).title;
  const std::string_view section = own.substr(0, own.find_first_of(".]"));
  std::vector<const TableInfo*> out;
  for (const TableInfo& info : catalog()) {
    const bool near = is_of_tests(info.kind) == is_of_tests(kind);
    if (info.kind != kind && info.kind != TableKind::root && near) out.push_back(&info);
  }
  std::stable_partition(out.begin(), out.end(),
                        [&](const TableInfo* info) { return info->title.find(section) != std::string_view::npos; });
  return out;
}

}  // namespace

std::span<const std::string_view> keys_of(TableKind kind) {
  return info_of(kind).keys;
}
std::span<const std::string_view> planned_keys_of(TableKind kind) {
  return info_of(kind).planned;
}

std::string suggest_key(TableKind kind, std::string_view given, const SectionIds& ids,
                        std::span<const std::string> extra) {
  const TableInfo& own = info_of(kind);
  std::vector<std::string> names = names_of(own);
  names.insert(names.end(), extra.begin(), extra.end());
  if (const auto same = same_name(given, names)) return fmt::format("did you mean `{}`?", *same);
  if (kind == TableKind::root) {  // "source" is the table here, not what an aggregate reads
    if (const auto near = nearest_name(given, names)) return fmt::format("did you mean `{}`?", *near);
  }
  const std::string snake = snake_case(given);
  if (kind == TableKind::watermark &&
      std::find(kSourceOptions.begin(), kSourceOptions.end(), snake) != kSourceOptions.end()) {
    return fmt::format("`{}` is an option of the source: it belongs in [sources.{}]", snake,
                       ids.source.empty() ? "<id>" : ids.source);
  }
  for (const TableInfo* other : others_by_nearness(kind)) {
    const std::vector<std::string> theirs = names_of(*other);
    std::optional<std::string> found;
    if (std::find(theirs.begin(), theirs.end(), snake) != theirs.end()) found = snake;
    if (!found) found = same_name(given, theirs);
    if (found) return fmt::format("`{}` belongs in {}", *found, title_of(*other, ids));
  }
  if (const auto near = nearest_name(given, names)) return fmt::format("did you mean `{}`?", *near);
  for (const TableInfo* other : others_by_nearness(kind)) {
    if (snake.size() < 5) break;  // short words are near too much
    if (const auto near = nearest_name(given, names_of(*other))) {
      return fmt::format("did you mean `{}`? It belongs in {}", *near, title_of(*other, ids));
    }
  }
  std::vector<std::string> known(own.keys.begin(), own.keys.end());
  known.insert(known.end(), extra.begin(), extra.end());
  return fmt::format("a typo, or not in this version; there are: {}", fmt::join(known, ", "));
}

}  // namespace tidemark::config
