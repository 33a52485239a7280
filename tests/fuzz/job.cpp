// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a job file's text, loaded and its findings rendered. One thread.
#include "config/job/effective.hpp"
#include "config/job/load.hpp"
#include "config/job/render.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  config::LoadOptions options;
  options.cpu_count = 2;
  options.environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "X") return "5s";
    return std::nullopt;
  };
  const std::string text(fuzz::text_of({data, size}));
  options.allow_missing_env = text.ends_with('\n');
  const config::LoadResult result = config::load_job_text("job.toml", text, "/jobs", options);
  fuzz::require(result.spec.has_value() || result.diagnostics.has_errors(), "no job without an error");
  (void)config::render_text(result.diagnostics);
  (void)config::render_json(result.diagnostics);
  if (result.spec && !result.diagnostics.has_errors()) (void)config::describe_effective(*result.spec);
  return 0;
}
