// SPDX-License-Identifier: Apache-2.0
//
// `tidemark explain`: what a job will do, before it runs: its plan in words, as a graph or as JSON. Reads the files of
// file sources where they are there; opens no state, writes nothing. Main thread.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>

#include "config/job/nearest_name.hpp"
#include "config/job/render.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/observe/plan_rendering.hpp"

namespace tidemark::core {
namespace {

struct ExplainOptions {
  std::string job;
  std::string format = "text";
  std::string schema;
  bool allow_missing_env = false;
};

int print_schema(const PlanDescription& plan, const ExplainOptions& options) {
  if (options.format != "text" && options.format != "json") {
    return report({Code::config, "--schema is there as text and as JSON; leave out --format " + options.format});
  }
  const auto schema = find_schema(plan, options.schema);
  if (!schema) {
    std::vector<std::string> ids;
    for (const auto& source : plan.sources) ids.push_back(source.id);
    for (const auto& transform : plan.transforms) ids.push_back(transform.id);
    for (const auto& aggregate : plan.aggregates) ids.push_back(aggregate.id);
    const auto near = config::nearest_name(options.schema, ids);
    return report(
        {Code::config,
         fmt::format(
             "--schema {}: the job has no source, transform or aggregate of that name; {}", options.schema,
             near ? fmt::format("did you mean {}?", *near) : fmt::format("there are {}", fmt::join(ids, ", ")))});
  }
  std::fputs((options.format == "json" ? schema_json(*schema) : schema_text(*schema)).c_str(), stdout);
  return kExitOk;
}

std::string render(const PlanDescription& plan, const std::string& format) {
  if (format == "json") return plan_json(plan);
  if (format == "dot") return plan_dot(plan);
  if (format == "mermaid") return plan_mermaid(plan);
  return plan_text(plan);
}

int explain_job(const ExplainOptions& options) {
  LoadedJob job = load_job_file(options.job, options.allow_missing_env);
  plan_job(job, AbsentInput::is_warning);
  std::fputs(config::render_text(job.diagnostics).c_str(), stderr);
  if (!job.spec || job.diagnostics.has_errors()) return exit_code_of(job);
  const PlanDescription plan =
      describe_plan({*job.spec, job.plan ? &*job.plan : nullptr, job.sources, job.diagnostics});
  if (!options.schema.empty()) return print_schema(plan, options);
  std::fputs(render(plan, options.format).c_str(), stdout);
  return kExitOk;
}

}  // namespace

void add_explain_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "What a job will do: columns, windows, when results come, state; in words or as a graph");
  command->add_option("job", options->job, "Job file (TOML)")->required()->type_name("FILE");
  command->add_option("--format", options->format, "text, dot, mermaid or json")
      ->check(CLI::IsMember({"text", "dot", "mermaid", "json"}));
  command->add_option("--schema", options->schema, "Only the columns that this source, transform or aggregate gives")
      ->type_name("ID");
  command->add_flag("--allow-missing-env", options->allow_missing_env,
                    "Take placeholders for environment variables that are not set");
  command->callback([options, &action] { action = [options] { return explain_job(*options); }; });
}

}  // namespace tidemark::core
