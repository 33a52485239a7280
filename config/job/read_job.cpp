// SPDX-License-Identifier: Apache-2.0
//
// [job], [state], [checkpoint], [plugins], [http], [log] and the top level's `version`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "config/job/nearest_name.hpp"
#include "config/job/sections.hpp"
#include "config/job/time_zones.hpp"

namespace tidemark::config {
namespace {

// The table of that name, or an empty one at the root's place, so that defaults are read in one way.
TomlNode table_or_empty(TableReader& root, std::string_view key) {
  const TomlEntry* entry = root.find_table(key);
  if (entry != nullptr) return entry->value;
  TomlNode none;
  none.span = {root.span().file, 0, 0, 0};
  return none;
}

void read_job(TableReader& root, const TomlNode& node, ReadContext& context, JobSpec& job) {
  TableReader table(context, node, TableKind::job, "job");
  if (root.find("job") == nullptr) {
    root.missing("job", R"(add [job] and name = "...": the name is part of the state's identity)");
  } else {
    job.name = table.required_text("name", R"(such as name = "revenue"; it is part of the state's identity)");
  }
  if (!job.name.value.empty() && !is_id(job.name.value)) {
    context.diagnostics
        .error(code::kBadName, job.name.span, fmt::format("\"{}\" cannot be the name of a job", job.name.value))
        .with_help("names are lower snake case: a-z, 0-9 and _, starting with a letter");
  }
  job.time_zone = table.text("time_zone", defaults::kTimeZone);
  check_time_zone(job.time_zone, table.find("time_zone"), context);
  const int64_t cpus = std::clamp(context.cpu_count, defaults::kParallelismRange.min, defaults::kParallelismRange.max);
  job.parallelism = table.integer("parallelism", cpus, defaults::kParallelismRange);
  table.finish();
}

// `path`, absolute.
Spanned<std::string> read_folder(TableReader& table, std::string fallback, ReadContext& context) {
  Spanned<std::string> out = table.text("path", std::move(fallback));
  if (out.value.empty()) {
    context.diagnostics.error(code::kUnknownValue, out.span, "`path` is empty").with_help("a folder of the job's own");
  }
  out.value = resolve_path(context.base_dir, out.value);
  return out;
}

void read_state(const TomlNode& node, ReadContext& context, JobSpec& job) {
  TableReader table(context, node, TableKind::state, "state");
  if (const TomlEntry* backend = table.find("backend"); backend != nullptr) {
    constexpr std::array<Choice<int>, 1> kBackends = {{{"rocksdb", 0}}};
    (void)table.choice_of(*backend, 0, kBackends);
  }
  const std::string fallback = fmt::format("{}.state", job.name.value.empty() ? "job" : job.name.value);
  job.state.path = read_folder(table, fallback, context);
  job.state.memory_bytes = table.size("memory", defaults::kStateMemory, defaults::kStateMemoryRange);
  table.finish();
}

void read_checkpoint(const TomlNode& node, ReadContext& context, JobSpec& job) {
  TableReader table(context, node, TableKind::checkpoint, "checkpoint");
  job.checkpoint.interval_us =
      table.duration("interval", defaults::kCheckpointInterval, defaults::kCheckpointIntervalRange);
  job.checkpoint.timeout_us =
      table.duration("timeout", defaults::kCheckpointTimeout, defaults::kCheckpointTimeoutRange);
  job.checkpoint.retain = table.integer("retain", defaults::kRetain, defaults::kRetainRange);
  job.checkpoint.retain_interval_us =
      table.duration("retain_interval", defaults::kRetainInterval, defaults::kRetainIntervalRange);
  job.checkpoint.path =
      read_folder(table, (std::filesystem::path(job.state.path.value) / "checkpoints").string(), context);
  job.checkpoint.on_damage = table.choice("on_damage", defaults::kOnDamage, kOnDamage);
  table.finish();
}

void read_plugins(const TomlNode& node, ReadContext& context, JobSpec& job) {
  TableReader table(context, node, TableKind::plugins, "plugins");
  job.plugin_paths = table.text_list("paths");
  for (Spanned<std::string>& path : job.plugin_paths) path.value = resolve_path(context.base_dir, path.value);
  table.finish();
}

bool is_port(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number <= 65'535;
}

bool is_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  return text.substr(0, colon).find_first_of("/?#@ \t") == std::string_view::npos && is_port(text.substr(colon + 1));
}

// What to write instead of a bare port or a URL.
std::string address_help(std::string_view given) {
  if (const size_t scheme = given.find("://"); scheme != std::string_view::npos) given.remove_prefix(scheme + 3);
  given = given.substr(0, given.find('/'));
  if (is_address(given)) return fmt::format("write \"{}\"", given);
  if (given.starts_with(':')) given.remove_prefix(1);
  if (is_port(given)) return fmt::format("write \"127.0.0.1:{}\"", given);
  if (given == "false") return R"(write "off")";
  return R"(an address and port, such as "127.0.0.1:8686" (port 0: any free one), or "off")";
}

void read_http(const TomlNode& node, ReadContext& context, JobSpec& job) {
  TableReader table(context, node, TableKind::http, "http");
  const TomlEntry* entry = table.find("listen");
  job.http.listen = table.text("listen", defaults::kListen, address_help(entry != nullptr ? entry->value.text : ""));
  const std::string& listen = job.http.listen.value;
  if (listen != "off" && !is_address(listen) && !(entry != nullptr && entry->value.placeholder)) {
    context.diagnostics
        .error(code::kUnknownValue, job.http.listen.span, fmt::format("`listen` cannot be \"{}\"", listen))
        .with_help(address_help(listen));
  }
  table.finish();
}

void read_log(const TomlNode& node, ReadContext& context, JobSpec& job) {
  TableReader table(context, node, TableKind::log, "log");
  job.log.level = table.choice("level", defaults::kLogLevel, kLogLevels);
  job.log.format = table.choice("format", defaults::kLogFormat, kLogFormats);
  if (job.log.format.value != LogFormat::text) {
    table.not_supported(job.log.format.span, "a log format other than text").with_help(R"(format = "text")");
  }
  table.finish();
}

}  // namespace

void check_time_zone(const Spanned<std::string>& zone, const TomlEntry* entry, ReadContext& context) {
  if (entry == nullptr || entry->value.kind != TomlNode::Kind::text || entry->value.placeholder) return;
  if (look_up_zone(zone.value) != ZoneName::unknown) return;
  const auto near = nearest_zone(zone.value);
  context.diagnostics
      .error(code::kUnknownTimeZone, zone.span, fmt::format("`time_zone`: there is no time zone \"{}\"", zone.value))
      .with_help(near ? fmt::format("did you mean \"{}\"?", *near) : R"(an IANA name, such as "UTC")");
}

bool is_id(std::string_view text) noexcept {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

Spanned<std::string> read_id(const TomlEntry& entry, std::string_view what, ReadContext& context) {
  if (!is_id(entry.key)) {
    const std::string better = snake_case(entry.key);
    context.diagnostics
        .error(code::kBadName, entry.key_span, fmt::format("`{}` cannot be an id of {}", entry.key, what))
        .with_help(is_id(better) ? fmt::format("ids are lower snake case: `{}`", better)
                                 : "ids are lower snake case: a-z, 0-9 and _, starting with a letter");
  }
  return {entry.key, entry.key_span, true};
}

void read_job_tables(TableReader& root, ReadContext& context, JobSpec& job) {
  job.version = root.integer("version", defaults::kVersion, {defaults::kVersion, defaults::kVersion});
  read_job(root, table_or_empty(root, "job"), context, job);
  read_state(table_or_empty(root, "state"), context, job);
  read_checkpoint(table_or_empty(root, "checkpoint"), context, job);
  read_plugins(table_or_empty(root, "plugins"), context, job);
  read_http(table_or_empty(root, "http"), context, job);
  read_log(table_or_empty(root, "log"), context, job);
}

}  // namespace tidemark::config
