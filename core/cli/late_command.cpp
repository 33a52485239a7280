// SPDX-License-Identifier: Apache-2.0
//
// `tidemark late ls`: the rows that came too late or were set aside, with their reason, and how many there are.
// Reads the state of a stopped or running job without changing it. Main thread.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "config/job/render.hpp"
#include "core/batch/json_text.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/late/late_reader.hpp"
#include "core/state/epoch_reading.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {
namespace {

struct LateOptions {
  std::string job;
  std::string format = "text";
  std::string source, split, aggregate;
  uint64_t limit = 0;
  bool count = false;
};

const char* op_name(Op op) {
  switch (op) {
    case Op::insert:
      return "insert";
    case Op::remove:
      return "delete";
    case Op::update_before:
      return "update-";
    case Op::truncate:  // none is ever kept
    case Op::unread:
      return "unread";
    case Op::update_after:
      return "update+";
  }
  return "?";
}

std::string columns_text(const LateItem& item) {
  std::string out;
  for (const LateValue& value : item.columns) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", value.name, value.is_null ? "NULL" : value.text);
  }
  return out;
}

void print_text(const LateItem& item) {
  const std::string place = item.file.empty() ? item.split : fmt::format("{}:{}", item.file, item.position);
  const std::string window = item.pane_end == kNoTime ? "-" : format_rfc3339(item.pane_end);
  fmt::print("{:<14} {:<24} {:<24} {:<9} {:<8} {:<28} {}{}{}\n", reason_name(item.reason),
             format_rfc3339(item.event_time), window, format_duration(item.lateness_us), op_name(item.op), place,
             columns_text(item), item.detail.empty() ? "" : "  # ", item.detail);
}

void print_json(const LateItem& item) {
  std::string out = "{\"reason\":";
  append_json_string(reason_name(item.reason), out);
  const auto text = [&out](const char* name, std::string_view value) {
    out += fmt::format(",\"{}\":", name);
    append_json_string(value, out);
  };
  text("source", item.source);
  text("split", item.split);
  text("aggregate", item.aggregate);
  text("table", item.database + "." + item.table);
  text("file", item.file);
  out += fmt::format(",\"position\":{}", item.position);
  text("gtid", item.gtid);
  text("op", op_name(item.op));
  text("event_time", format_rfc3339(item.event_time));
  text("window_end", format_rfc3339(item.pane_end));
  text("watermark", format_rfc3339(item.watermark));
  out += fmt::format(",\"late_by_us\":{}", item.lateness_us);
  text("arrival", format_rfc3339(item.arrival));
  if (!item.detail.empty()) text("detail", item.detail);
  out += ",\"columns\":{";
  for (size_t i = 0; i < item.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(item.columns[i].name, out);
    out += ':';
    if (item.columns[i].is_null) {
      out += "null";
    } else {
      append_json_string(item.columns[i].text, out);
    }
  }
  fmt::print("{}}}}}\n", out);
}

Status print_rows(EpochStore& store, const LateOptions& options, const LateFilter& filter) {
  uint64_t shown = 0;
  Status failed;
  if (options.format == "text") {
    fmt::print("{:<14} {:<24} {:<24} {:<9} {:<8} {:<28} {}\n", "REASON", "EVENT TIME", "WINDOW END", "LATE BY", "OP",
               "POSITION", "COLUMNS");
  }
  Status scanned = store.scan(Family::late, "", [&](std::string_view key, std::string_view value) {
    bool stopped = false;
    failed = visit_late_page(
        key, value, filter,
        [&](const LateItem& item) {
          if (options.format == "text") {
            print_text(item);
          } else {
            print_json(item);
          }
          return options.limit == 0 || ++shown < options.limit;
        },
        &stopped);
    return failed.is_ok() && !stopped;
  });
  return failed.is_ok() ? scanned : failed;
}

bool fits(const LateFilter& filter, const LateSummary::Key& key) {
  return (!filter.source || *filter.source == key.source) && (!filter.split || *filter.split == key.split) &&
         (!filter.aggregate || *filter.aggregate == key.aggregate);
}

Status print_counts(EpochStore& store, const LateFilter& filter, FILE* to) {
  LateSummary summary;
  Status failed;
  Status scanned = store.scan(Family::late, "", [&](std::string_view key, std::string_view value) {
    failed = summary.add(key, value);
    return failed.is_ok();
  });
  if (!failed) return failed;
  if (!scanned) return scanned;
  uint64_t rows = 0;
  for (const auto& [key, counts] : summary.by_key()) {
    if (!fits(filter, key)) continue;
    rows += counts.rows;
    fmt::print(to, "{} rows: {}, source {}{}{}\n", counts.rows, reason_name(key.reason), key.source,
               key.split.empty() ? "" : ", split " + key.split,  // results of an aggregate have none
               key.aggregate.empty() ? "" : ", aggregate " + key.aggregate);
  }
  fmt::print(to, "{} rows in all\n", rows);
  return {};
}

int list(const LateOptions& options) {
  const LoadedJob job = load_job_file(options.job, true);
  if (!job.spec || job.diagnostics.has_errors()) {
    std::fputs(config::render_text(job.diagnostics).c_str(), stderr);
    return kExitConfig;
  }
  const std::filesystem::path path = std::filesystem::path(job.spec->state.path.value) / "db";
  auto store = open_epoch_store_to_read(path);
  if (!store) return report(store.status());
  LateFilter filter;
  if (!options.source.empty()) filter.source = options.source;
  if (!options.split.empty()) filter.split = options.split;
  if (!options.aggregate.empty()) filter.aggregate = options.aggregate;
  if (!options.count) {
    if (Status printed = print_rows(**store, options, filter); !printed) return report(printed);
  }
  std::fflush(stdout);
  if (Status counted = print_counts(**store, filter, options.count ? stdout : stderr); !counted) return report(counted);
  return kExitOk;
}

}  // namespace

void add_late_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<LateOptions>();
  CLI::App* command = app.add_subcommand("late", "Rows that came too late or were set aside");
  command->require_subcommand(1);
  CLI::App* ls = command->add_subcommand("ls", "List and count them");
  ls->add_option("job", options->job, "Job file (TOML)")->required()->type_name("FILE");
  ls->add_option("--format", options->format, "text or ndjson")->check(CLI::IsMember({"text", "ndjson"}));
  ls->add_option("--source", options->source, "Of this source alone");
  ls->add_option("--split", options->split, "Of this split alone");
  ls->add_option("--aggregate", options->aggregate, "Late for this aggregate alone");
  ls->add_option("--limit", options->limit, "Rows to list at most (0 = all)");
  ls->add_flag("--count", options->count, "Counts alone");
  ls->callback([options, &action] { action = [options] { return list(*options); }; });
}

}  // namespace tidemark::core
