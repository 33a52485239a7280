// SPDX-License-Identifier: Apache-2.0
//
// The small job and its loading.
#include "job_text.hpp"

namespace tidemark::config::test {

std::string smallest_job() {
  return R"x([job]
name = "small"

[sources.orders]
type = "generator"

[aggregates.revenue]
inputs = ["orders"]
window = { type = "tumbling", size = "1m" }

[aggregates.revenue.columns]
orders = "count()"

[sinks.out]
type = "stdout"
inputs = ["revenue"]
)x";
}

std::string with_line(std::string_view header, std::string_view line) {
  std::string text = smallest_job();
  const size_t at = text.find(std::string(header) + "\n");
  EXPECT_NE(at, std::string::npos) << header;
  text.insert(at + header.size() + 1, std::string(line) + "\n");
  return text;
}

std::string with_watermark(std::string_view lines) {
  return with_line(R"(type = "generator")", "[sources.orders.watermark]\n" + std::string(lines));
}

LoadResult load(std::string text, std::map<std::string, std::string> environment, bool allow_missing_env) {
  LoadOptions options;
  options.cpu_count = 3;
  options.allow_missing_env = allow_missing_env;
  options.environment = [environment](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  return load_job_text("job.toml", std::move(text), "/jobs", options);
}

std::string findings(std::string text) {
  return render_text(load(std::move(text)).diagnostics);
}

}  // namespace tidemark::config::test
