// SPDX-License-Identifier: Apache-2.0
//
// `tidemark run`: the job, from its file to its end. Says on standard error what it read, what it runs with and
// how it went; results go to the sinks alone. Stops cleanly on SIGINT and SIGTERM. Main thread watches.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "config/job/effective.hpp"
#include "config/job/render.hpp"
#include "core/base/files.hpp"
#include "core/base/log.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/cli/status_service.hpp"
#include "core/cli/stop_signal.hpp"
#include "core/observe/closing_warnings.hpp"
#include "core/observe/progress_line.hpp"
#include "core/runtime/job_graph.hpp"
#include "core/runtime/job_runner.hpp"
#include "core/sink/mysql_sink.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {
namespace {

struct RunOptions {
  std::string job;
  bool quiet = false;
};

LogLevel level_of(config::LogLevel level) {
  switch (level) {
    case config::LogLevel::debug:
      return LogLevel::debug;
    case config::LogLevel::info:
      return LogLevel::info;
    case config::LogLevel::warning:
      return LogLevel::warning;
    case config::LogLevel::error:
      return LogLevel::error;
  }
  return LogLevel::info;
}

std::vector<std::unique_ptr<Sink>> make_sinks(const JobPlan& plan, ProgressLine& progress) {
  const auto print = [&progress](std::string_view text) {
    if (progress.print_above(text, stdout)) return Status();
    return Status(Code::io, "cannot write to standard output");
  };
  std::vector<std::unique_ptr<Sink>> sinks;
  for (const SinkPlan& sink : plan.sinks) {
    switch (sink.kind) {
      case SinkKind::file:
        sinks.push_back(make_file_sink(sink.path, sink.format));
        break;
      case SinkKind::mysql:
        sinks.push_back(make_mysql_sink(sink.mysql));
        break;
      case SinkKind::standard_output:
        sinks.push_back(make_stdout_sink(::isatty(STDOUT_FILENO) != 0, print));
        break;
    }
  }
  return sinks;
}

// What this process did, and after a resume the books of the whole job, in which every row stands once.
void print_summary(const JobCounters& counters, JobGraph& graph, const ProgressLine& progress) {
  std::string text = fmt::format("{} read in {:.1f} s, {}", counted(counters.rows_read.load(), "row", "rows"),
                                 progress.elapsed_seconds(), counted(counters.results.load(), "result", "results"));
  if (const auto late = counters.rows_late.load()) text += fmt::format(", {} late", with_commas(late));
  if (const auto aside = counters.rows_set_aside.load()) text += fmt::format(", {} set aside", with_commas(aside));
  if (const auto out = counters.rows_filtered.load()) text += fmt::format(", {} not inserts", with_commas(out));
  const EpochRecord& all = graph.committer().last_epoch();
  fmt::print(stderr, "{}: {}; epoch {}\n", graph.committer().finished() ? "finished" : "stopped", text, all.epoch);
  if (graph.restored_epoch() > 0) {
    fmt::print(stderr, "since the job began: {} read, {} aggregated, {} late, {} set aside, {} not inserts, {}\n",
               counted(all.rows_read, "row", "rows"), with_commas(all.rows_aggregated), with_commas(all.rows_late),
               with_commas(all.rows_set_aside), with_commas(all.rows_filtered),
               counted(all.results, "result", "results"));
  }
  for (const std::string& warning : closing_warnings(counters, all)) fmt::print(stderr, "warning: {}\n", warning);
  for (const auto& [name, count] : progress.notices()) {
    fmt::print(stderr, "warning: {}: {}\n", name, with_commas(static_cast<uint64_t>(count)));
  }
}

int run_planned(const LoadedJob& job, bool quiet) {
  const JobPlan& plan = *job.plan;
  if (Status made = make_directories(plan.state_path); !made) return report(made);
  auto lock = FileLock::acquire(plan.state_path / kStateLock);
  if (!lock) return report(lock.status());
  const SystemClock clock;
  StatusService service(plan.state_path, clock);
  if (Status bound = service.bind(job.spec->http); !bound) return report(bound);
  auto store = open_rocks_epoch_store(plan.state_path / "db", {.memory_bytes = plan.memory_bytes * 22 / 100});
  if (!store) return report(store.status());

  JobCounters counters;
  ProgressLine progress(counters, clock, !quiet && ::isatty(STDERR_FILENO) != 0);
  JobRunner runner(plan.cores, clock);
  JobGraph::Inputs inputs;
  for (const auto& source : job.sources.sources) inputs.sources.push_back(source.get());
  inputs.sinks = make_sinks(plan, progress);
  inputs.store = store->get();
  inputs.clock = &clock;
  inputs.counters = &counters;
  inputs.wake_core = [&runner](uint32_t core) { runner.wake_core(core); };
  inputs.wake_committer = [&runner] { runner.wake_committer(); };
  inputs.wake_enumerator = [&runner] { runner.wake_enumerator(); };
  inputs.metric = [&progress](uint32_t reader, std::string_view name, double value) {
    progress.set_metric(reader, name, value);
  };
  auto graph = JobGraph::create(plan, std::move(inputs));
  if (!graph) return report(graph.status());
  if ((*graph)->was_finished()) {
    std::fprintf(
        stderr, "job %s had finished (epoch %llu): nothing to do; remove %s and its result files to run it again\n",
        plan.name.c_str(), static_cast<unsigned long long>((*graph)->restored_epoch()), plan.state_path.c_str());
    return kExitOk;
  }
  if (!quiet && (*graph)->restored_epoch() > 0) {
    std::fprintf(stderr, "resumed from epoch %llu\n", static_cast<unsigned long long>((*graph)->restored_epoch()));
  }
  if (Status started = service.start(**graph); !started) return report(started);
  if (!quiet && !service.address().empty()) {
    fmt::print(stderr, "status: http://{}/api/v1/status, metrics: http://{}/metrics\n", service.address(),
               service.address());
  }
  const Status status = runner.run(**graph, [&progress] {
    progress.draw();
    return !stop_signalled();
  });
  service.stop();
  progress.finish();
  if (!status) return report(status);
  if (!quiet) print_summary(counters, **graph, progress);
  return kExitOk;
}

int run(const RunOptions& options) {
  catch_stop_signals();
  LoadedJob job = load_job_file(options.job, false);
  if (job.spec) set_log_level(options.quiet ? LogLevel::error : level_of(job.spec->log.level.value));
  if (!job.diagnostics.has_errors()) plan_job(job, AbsentInput::is_error);
  std::fputs(config::render_text(job.diagnostics).c_str(), stderr);
  if (!job.plan) return exit_code_of(job);
  if (!options.quiet) std::fputs(config::describe_effective(*job.spec).c_str(), stderr);
  return run_planned(job, options.quiet);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a job until its input ends or it is stopped");
  command->add_option("job", options->job, "Job file (TOML)")->required()->type_name("FILE");
  command->add_flag("-q,--quiet", options->quiet, "Say nothing but errors on standard error");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tidemark::core
