// SPDX-License-Identifier: Apache-2.0
//
// `tidemark run`: the job, from its file to its end. Says on standard error what it read, what it runs with and
// how it went; results go to the sinks alone. Stops cleanly on SIGINT and SIGTERM. Main thread watches.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "config/job/effective.hpp"
#include "config/job/render.hpp"
#include "core/base/files.hpp"
#include "core/base/log.hpp"
#include "core/base/process_memory.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/job_state.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/cli/status_service.hpp"
#include "core/cli/stop_signal.hpp"
#include "core/observe/closing_warnings.hpp"
#include "core/observe/progress_line.hpp"
#include "core/runtime/checkpoint_keeper.hpp"
#include "core/runtime/job_graph.hpp"
#include "core/runtime/job_runner.hpp"
#include "core/runtime/space_reclaimer.hpp"
#include "core/sink/mysql_sink.hpp"

namespace tidemark::core {
namespace {

struct RunOptions {
  std::string job;
  bool quiet = false;
  bool leave_out_missing = false;
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

std::unique_ptr<Sink> make_file_sink(const SinkPlan& sink, const Clock& clock) {
  return sink.roll.any() ? make_rolled_file_sink(sink.path, sink.format, sink.roll, clock)
                         : make_file_sink(sink.path, sink.format);
}

std::vector<std::unique_ptr<Sink>> make_sinks(const JobPlan& plan, ProgressLine& progress, const Clock& clock) {
  const auto print = [&progress](std::string_view text) {
    if (progress.print_above(text, stdout)) return Status();
    return Status(Code::io, "cannot write to standard output");
  };
  std::vector<std::unique_ptr<Sink>> sinks;
  for (const SinkPlan& sink : plan.sinks) {
    switch (sink.kind) {
      case SinkKind::file:
        sinks.push_back(make_file_sink(sink, clock));
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
  std::string text =
      fmt::format("{} read in {:.1f} s, {}", counted_with_commas(counters.rows_read.load(), "row", "rows"),
                  progress.elapsed_seconds(), counted_with_commas(counters.results.load(), "result", "results"));
  if (const auto late = counters.rows_late.load()) text += fmt::format(", {} late", with_commas(late));
  if (const auto aside = counters.rows_set_aside.load()) text += fmt::format(", {} set aside", with_commas(aside));
  if (const auto out = counters.rows_filtered.load()) text += fmt::format(", {} not inserts", with_commas(out));
  const EpochRecord& all = graph.committer().last_epoch();
  fmt::print(stderr, "{}: {}; epoch {}\n", graph.committer().finished() ? "finished" : "stopped", text, all.epoch);
  if (graph.restored_epoch() > 0) {
    fmt::print(stderr, "since the job began: {} read, {} aggregated, {} late, {} set aside, {} not inserts, {}\n",
               counted_with_commas(all.rows_read, "row", "rows"), with_commas(all.rows_aggregated),
               with_commas(all.rows_late), with_commas(all.rows_set_aside), with_commas(all.rows_filtered),
               counted_with_commas(all.results, "result", "results"));
  }
  for (const std::string& warning : closing_warnings(counters, all)) fmt::print(stderr, "warning: {}\n", warning);
  for (const auto& [name, count] : progress.notices()) {
    fmt::print(stderr, "warning: {}: {}\n", name, with_commas(static_cast<uint64_t>(count)));
  }
}

// A running job, from its plan to its end.
class Run {
 public:
  Run(const LoadedJob& job, const RunOptions& options)
      : job_(job),
        plan_(*job.plan),
        quiet_(options.quiet),
        leave_out_missing_(options.leave_out_missing),
        service_(plan_.state_path, clock_),
        progress_(counters_, clock_, !quiet_ && ::isatty(STDERR_FILENO) != 0),
        runner_(plan_.cores, clock_),
        keeper_(plan_, clock_) {}

  int run(JobState& state) {
    if (Status bound = service_.bind(job_.spec->http); !bound) return report(bound);
    Status ready = prepare(state);
    if (ready.code() == Code::damage && plan_.retained.restore_damaged) ready = prepare_restored(state, ready);
    if (!ready) return report(ready);
    if (graph_->was_finished()) {
      fmt::print(stderr,
                 "job {} had finished (epoch {}): nothing to do; remove {} and its result files to run it again\n",
                 plan_.name, graph_->restored_epoch(), plan_.state_path.string());
      return kExitOk;
    }
    if (!quiet_ && graph_->restored_epoch() > 0) {
      fmt::print(stderr, "resumed from epoch {}\n", graph_->restored_epoch());
    }
    if (Status started = service_.start(*graph_); !started) return report(started);
    if (!quiet_ && !service_.address().empty()) {
      fmt::print(stderr, "status: http://{}/api/v1/status, metrics: http://{}/metrics\n", service_.address(),
                 service_.address());
    }
    reclaimer_.start(state.store());
    const Status status = runner_.run(*graph_, [this] {
      progress_.draw();
      answer_request();
      return !stop_signalled();
    });
    reclaimer_.stop();
    service_.stop();
    progress_.finish();
    if (!status) return report(status);
    if (!quiet_) print_summary(counters_, *graph_, progress_);
    return kExitOk;
  }

 private:
  Status prepare(JobState& state) {
    if (Status opened = state.open(plan_.memory.store); !opened) return opened;
    JobGraph::Inputs inputs;
    for (const auto& source : job_.sources.sources) inputs.sources.push_back(source.get());
    inputs.sinks = make_sinks(plan_, progress_, clock_);
    inputs.store = &state.store();
    inputs.clock = &clock_;
    inputs.counters = &counters_;
    inputs.keeper = &keeper_;
    inputs.leave_out_missing = leave_out_missing_;
    inputs.wake_core = [this](uint32_t core) { runner_.wake_core(core); };
    inputs.wake_committer = [this] { runner_.wake_committer(); };
    inputs.wake_enumerator = [this] { runner_.wake_enumerator(); };
    inputs.metric = [this](uint32_t reader, std::string_view name, double value) {
      progress_.set_metric(reader, name, value);
    };
    auto graph = JobGraph::create(plan_, std::move(inputs));
    if (!graph) return graph.status();
    graph_ = std::move(*graph);
    return {};
  }

  // With on_damage = "restore".
  Status prepare_restored(JobState& state, const Status& damage) {
    state.close();
    const auto restored = restore_newest(Checkpoints(plan_.name, plan_.retained.path), state);
    if (!restored) return Status(damage).with_context(restored.status().message());
    log_warn(fmt::format("{}; the job goes on from the checkpoint of epoch {} ({})", damage.message(),
                         restored->manifest.epoch, format_rfc3339(restored->manifest.wall_us)));
    return prepare(state);
  }

  void answer_request() {
    const auto request = checkpoint_request_in(plan_.state_path);
    const auto waits = file_exists(request);
    if (!waits) return;
    if (!*waits) {  // answered, or withdrawn
      is_asked_ = false;
      return;
    }
    if (!std::exchange(is_asked_, true)) {
      keeper_.ask();
      graph_->coordinator().ask_early();
    } else if (keeper_.has_answered()) {
      if (Status removed = remove_file(request); !removed) log_warn(removed.message());
    }
  }

  const LoadedJob& job_;
  const JobPlan& plan_;
  const bool quiet_;
  const bool leave_out_missing_;
  const SystemClock clock_;
  StatusService service_;
  JobCounters counters_;
  ProgressLine progress_;
  JobRunner runner_;
  CheckpointKeeper keeper_;
  SpaceReclaimer reclaimer_;
  std::unique_ptr<JobGraph> graph_;
  bool is_asked_ = false;  // for a checkpoint, which has not been made yet
};

int run_planned(const LoadedJob& job, const RunOptions& options) {
  auto state = JobState::lock(job.plan->state_path);
  if (!state) return report(state.status());
  return Run(job, options).run(*state);
}

int run(const RunOptions& options) {
  return_large_blocks();
  catch_stop_signals();
  LoadedJob job = load_job_file(options.job, false);
  if (job.spec) set_log_level(options.quiet ? LogLevel::error : level_of(job.spec->log.level.value));
  if (!job.diagnostics.has_errors()) plan_job(job, AbsentInput::is_error);
  std::fputs(config::render_text(job.diagnostics).c_str(), stderr);
  if (!job.plan) return exit_code_of(job);
  if (!options.quiet) std::fputs(config::describe_effective(*job.spec).c_str(), stderr);
  return run_planned(job, options);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a job until its input ends or it is stopped");
  command->add_option("job", options->job, "Job file (TOML)")->required()->type_name("FILE");
  command->add_flag("-q,--quiet", options->quiet, "Say nothing but errors on standard error");
  command->add_flag("--leave-out-missing", options->leave_out_missing,
                    "Go on without shards that were read before and are not there any more");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tidemark::core
