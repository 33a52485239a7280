// SPDX-License-Identifier: Apache-2.0
//
// `tidemark test`: the [[tests]] of a job in virtual time, each from nothing, without the job's input, state and sinks.
// Exit code 0 when all pass, 1 when one fails, 78 for a job or test that is wrong. Main thread.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "config/job/render.hpp"
#include "core/batch/json_text.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/jobtest/job_tests.hpp"
#include "core/observe/plan_rendering.hpp"

namespace tidemark::core {
namespace {

struct TestOptions {
  std::vector<std::string> jobs;
  std::string filter;
  std::string format = "text";
};

struct Counts {
  size_t passed = 0;
  size_t failed = 0;
};

// The job's file alone, so that findings of one test are its own.
config::Diagnostics findings_in(const LoadedJob& job) {
  config::Diagnostics out;
  const config::SourceText* file = job.diagnostics.file(0);
  (void)out.add_file(std::make_shared<const config::SourceText>(file->name(), file->text()));
  return out;
}

void print_text(const config::TestSpec& test, const config::Diagnostics& findings) {
  fmt::print("{:<6} {}\n", findings.has_errors() ? "FAILED" : "ok", without_controls(test.name.value));
  const std::vector<const config::Diagnostic*> all = findings.sorted();
  const size_t shown = std::min(all.size(), config::kFindingsShownMax);
  for (size_t i = 0; i < shown; ++i) std::fputs(config::render_text(findings, *all[i]).c_str(), stdout);
  if (shown < all.size()) fmt::print("and {} more\n", all.size() - shown);
}

std::string json_text(const config::TestSpec& test, const config::Diagnostics& findings) {
  std::string out = "{\"name\":";
  append_json_string(test.name.value, out);
  std::string list = config::render_json(findings);
  while (!list.empty() && list.back() == '\n') list.pop_back();
  return out + fmt::format(",\"status\":\"{}\",\"findings\":{}}}", findings.has_errors() ? "failed" : "ok", list);
}

void print_job_findings(const LoadedJob& job, bool json) {
  if (json) {
    std::fputs(config::render_json(job.diagnostics).c_str(), stdout);
  } else {
    std::fputs(config::render_text(job.diagnostics).c_str(), stderr);
  }
}

// Adds to `counts`; an exit code other than 0 says that the job or its tests are wrong.
int test_job(const std::string& path, const TestOptions& options, Counts& counts) {
  const bool json = options.format == "json";
  LoadedJob job = load_job_file(path, true);
  std::optional<JobTests> tests;
  if (job.spec && !job.diagnostics.has_errors()) {
    plan_job(job, AbsentInput::is_warning);
    const size_t of_job = job.diagnostics.sorted().size();
    if (!job.diagnostics.has_errors()) tests = JobTests::prepare(*job.spec, job.sources, job.diagnostics);
    const bool has_doubts = tests && job.diagnostics.sorted().size() > of_job;
    if (has_doubts && !json) print_job_findings(job, json);
  }
  if (!tests) {
    print_job_findings(job, json);
    return exit_code_of(job);
  }
  std::vector<std::string> entries;
  for (size_t i = 0; i < tests->size(); ++i) {
    const config::TestSpec& test = tests->spec(i);
    if (test.name.value.find(options.filter) == std::string::npos) continue;
    config::Diagnostics findings = findings_in(job);
    tests->run(i, findings);
    ++(findings.has_errors() ? counts.failed : counts.passed);
    if (json) {
      entries.push_back(json_text(test, findings));
    } else {
      print_text(test, findings);
    }
  }
  if (!json) return kExitOk;
  std::string out = "{\"file\":";
  append_json_string(path, out);
  out += ",\"tests\":[";
  for (size_t i = 0; i < entries.size(); ++i) out += (i == 0 ? "" : ",") + entries[i];
  fmt::print("{}]}}\n", out);
  return kExitOk;
}

int test(const TestOptions& options) {
  int worst = kExitOk;
  Counts counts;
  const auto start = std::filesystem::current_path();
  for (const std::string& path : options.jobs) {
    worst = std::max(worst, test_job(path, options, counts));
    std::filesystem::current_path(start);
  }
  const size_t all = counts.passed + counts.failed;
  if (options.format == "text" && (worst == kExitOk || all > 0)) {
    fmt::print("{} test{}: {} passed, {} failed\n", all, all == 1 ? "" : "s", counts.passed, counts.failed);
  }
  if (worst == kExitOk && all == 0) {
    std::fputs(options.filter.empty() ? "tidemark: warning: the job has no [[tests]]\n"
                                      : "tidemark: warning: no test has the filter's text in its name\n",
               stderr);
  }
  return worst != kExitOk ? worst : counts.failed > 0 ? kExitTestsFailed : kExitOk;
}

}  // namespace

void add_test_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<TestOptions>();
  CLI::App* command = app.add_subcommand(
      "test", "Run the [[tests]] of a job in virtual time, without its input; exits with 1 when one fails");
  command->add_option("job", options->jobs, "Job file (TOML)")->required()->type_name("FILE");
  command->add_option("--filter", options->filter, "Tests with this in their name alone")->type_name("TEXT");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->callback([options, &action] { action = [options] { return test(*options); }; });
}

}  // namespace tidemark::core
