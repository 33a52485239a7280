// SPDX-License-Identifier: Apache-2.0
//
// `tidemark watermark ls` and `explain`: how far event time has come, per split, and why it is not further. Asks
// the running job; of a stopped one it reads the state, without changing it. Main thread.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "config/job/render.hpp"
#include "core/base/clock.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/observe/explanation.hpp"
#include "core/observe/status_client.hpp"
#include "core/observe/status_json.hpp"

namespace tidemark::core {
namespace {

struct WatermarkOptions {
  std::string job;
  std::string format = "text";
};

void print_table(const JobStatus& status) {
  size_t width = 5;
  for (const SplitView& split : status.splits) width = std::max(width, split.source.size() + split.name.size() + 1);
  fmt::print("  {:<{}} {:<16} {:<27} {:>12} {:>12}  {}\n", "SPLIT", width, "STATE", "WATERMARK", "LAG", "SINCE",
             "REASON");
  for (const SplitView& split : status.splits) {
    const SplitStatus& of = split.status;
    const auto lag = watermark_lag(of.watermark, status.wall_us);
    fmt::print("{} {:<{}} {:<16} {:<27} {:>12} {:>12}  {}{}\n", status.is_holding(of.split) ? '*' : ' ',
               split.source + "/" + split.name, width, state_word(of.state), format_rfc3339(of.watermark),
               lag ? about(*lag) : "-", about(of.times.stay_us), of.reason, of.flapping ? " (flapping)" : "");
  }
  if (!status.aggregates.empty()) fmt::print("\n* sets the watermark of an aggregate\n");
  for (const AggregateView& aggregate : status.aggregates) {
    fmt::print("aggregate {}: watermark {}, {} open {}{}\n", aggregate.id, format_rfc3339(aggregate.watermark),
               aggregate.open_windows, aggregate.open_windows == 1 ? "window" : "windows",
               aggregate.all_idle ? ", all splits idle" : "");
  }
}

int run(const WatermarkOptions& options, bool explaining) {
  const LoadedJob job = load_job_file(options.job, true);
  if (!job.spec || job.diagnostics.has_errors()) {
    std::fputs(config::render_text(job.diagnostics).c_str(), stderr);
    return kExitConfig;
  }
  auto found = find_status(*job.spec, SystemClock());
  if (!found) return report(found.status());
  if (!found->note.empty()) fmt::print(stderr, "note: {}\n", found->note);
  const bool json = options.format == "json";
  if (explaining) {
    const Explanation explanation = explain(found->status);
    fmt::print("{}",
               json ? explanation_json(found->status, explanation) : explanation_text(found->status, explanation));
  } else if (json) {
    fmt::print("{}", status_to_json(found->status));
  } else {
    print_table(found->status);
  }
  return kExitOk;
}

void add_one(CLI::App& command, const char* name, const char* about, bool explaining, Action& action) {
  auto options = std::make_shared<WatermarkOptions>();
  CLI::App* sub = command.add_subcommand(name, about);
  sub->add_option("job", options->job, "Job file (TOML)")->required()->type_name("FILE");
  sub->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  sub->callback(
      [options, explaining, &action] { action = [options, explaining] { return run(*options, explaining); }; });
}

}  // namespace

void add_watermark_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("watermark", "How far event time has come, and why not further");
  command->require_subcommand(1);
  add_one(*command, "ls", "The state and watermark of every split", false, action);
  add_one(*command, "explain", "Which split holds the job back, since when, why, and what would change it", true,
          action);
}

}  // namespace tidemark::core
