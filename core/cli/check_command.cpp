// SPDX-License-Identifier: Apache-2.0
//
// `tidemark check`: everything that can be known of a job without running it, offline: all findings at once.
// Reads the files of file sources where they are there. Main thread.
#include <cstdio>
#include <memory>

#include "config/job/render.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/jobtest/job_tests.hpp"

namespace tidemark::core {
namespace {

struct CheckOptions {
  std::vector<std::string> jobs;
  std::string format = "text";
  bool deny_warnings = false;
  bool allow_missing_env = false;
};

int check_one(const std::string& path, const CheckOptions& options) {
  LoadedJob job = load_job_file(path, options.allow_missing_env);
  plan_job(job, AbsentInput::is_warning);
  if (job.spec && !job.spec->tests.empty() && !job.diagnostics.has_errors()) {
    (void)JobTests::prepare(*job.spec, job.sources, job.diagnostics);
  }
  const bool json = options.format == "json";
  std::fputs((json ? config::render_json(job.diagnostics) : config::render_text(job.diagnostics)).c_str(), stdout);
  const bool bad = job.diagnostics.has_errors() || (options.deny_warnings && job.diagnostics.warning_count() > 0);
  if (!bad && !json) std::printf("%s: ok\n", path.c_str());
  if (job.diagnostics.has_errors()) return exit_code_of(job);
  return bad ? kExitConfig : kExitOk;
}

int check(const CheckOptions& options) {
  int worst = kExitOk;
  const auto start = std::filesystem::current_path();
  for (const std::string& path : options.jobs) {
    worst = std::max(worst, check_one(path, options));
    std::filesystem::current_path(start);
  }
  return worst;
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Report everything that is wrong with a job file, offline");
  command->add_option("job", options->jobs, "Job file (TOML)")->required()->type_name("FILE");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--deny-warnings", options->deny_warnings, "Exit with 78 on warnings too");
  command->add_flag("--allow-missing-env", options->allow_missing_env,
                    "Take placeholders for environment variables that are not set");
  command->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace tidemark::core
