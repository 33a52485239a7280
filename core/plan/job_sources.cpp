// SPDX-License-Identifier: Apache-2.0
//
// From `type = "..."` to a live source. A plugin that cannot be used is an error at the source's type; what a
// plugin says about an option is an error at that option, and about its input at the source's table.
#include "core/plan/job_sources.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "config/job/check_columns.hpp"
#include "config/job/codes.hpp"
#include "config/job/nearest_name.hpp"
#include "config/job/option_schema.hpp"
#include "core/plan/check_expressions.hpp"
#include "core/plugin_host/plugin_source.hpp"

namespace tidemark::core {
namespace {

std::vector<config::OptionSchema> option_schema(const PluginInfo& info) {
  std::vector<config::OptionSchema> out;
  for (const PluginOption& option : info.options) {
    const auto type = config::option_type_from(option.type);
    out.push_back(
        {option.name, type.value_or(config::OptionType::text), option.default_value, option.required, option.help});
  }
  return out;
}

config::ColumnKind kind_of(ColumnType type) {
  if (is_integer(type)) return config::ColumnKind::integer;
  if (is_decimal(type)) return config::ColumnKind::decimal;
  if (is_floating(type)) return config::ColumnKind::floating;
  switch (type) {
    case ColumnType::text:
    case ColumnType::json:
      return config::ColumnKind::text;
    case ColumnType::bytes:
      return config::ColumnKind::bytes;
    case ColumnType::timestamp:
    case ColumnType::datetime:
    case ColumnType::date:
      return config::ColumnKind::time_point;
    default:
      return config::ColumnKind::other;
  }
}

std::string type_text(const ColumnInfo& column) {
  if (is_decimal(column.type)) return fmt::format("decimal({},{})", column.precision, column.scale);
  return std::string(type_name(column.type));
}

// What stands between a pair of `quote` in `text`, from `*at` on; moves `*at` behind it.
std::string_view quoted(std::string_view text, char quote, size_t* at) {
  const size_t begin = text.find(quote, *at);
  const size_t end = begin == std::string_view::npos ? begin : text.find(quote, begin + 1);
  if (end == std::string_view::npos) return {};
  *at = end + 1;
  return text.substr(begin + 1, end - begin - 1);
}

// Plugins name the option that they mean as "option 'name'", and may quote its value behind that.
void report_plugin_problem(const config::SourceSpec& spec, const std::string& text, config::Diagnostics& diagnostics) {
  const std::string_view marker = "option '";
  size_t at = text.find(marker);
  std::string_view name;
  std::string_view value;
  if (at != std::string::npos) {
    at += marker.size() - 1;
    name = quoted(text, '\'', &at);
    const size_t next = text.find_first_of("'\"", at);
    if (next != std::string::npos) value = quoted(text, text[next], &at);
  }
  config::report_option(spec, name, value, text, diagnostics);
}

void note_input_error(const Status& status, JobSources& out) {
  if (status.code() == Code::config || status.code() == Code::plugin) return;
  if (out.input_errors++ == 0) out.input_error = status;
}

void report_unknown_plugin(const config::SourceSpec& spec, const PluginCatalog& catalog, const Status& status,
                           config::Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const PluginInfo& info : catalog.plugins()) names.push_back(info.name);
  auto& finding = diagnostics.error(config::code::kUnknownPlugin, spec.type.span, status.message());
  if (const auto near = config::nearest_name(spec.type.value, names))
    finding.with_help(fmt::format("did you mean \"{}\"?", *near));
}

// The live source, its schema noted; null after a finding.
std::unique_ptr<Source> open_one(const config::SourceSpec& spec, const PluginCatalog& catalog, AbsentInput absent,
                                 config::Diagnostics& diagnostics, JobSources& out) {
  const auto found = catalog.find(spec.type.value);
  if (!found) {
    report_unknown_plugin(spec, catalog, found.status(), diagnostics);
    return nullptr;
  }
  const std::vector<config::OptionSchema> options = option_schema(**found);
  const size_t errors_before = diagnostics.error_count();
  config::check_plugin_options(spec, options, diagnostics);
  if (diagnostics.error_count() > errors_before) return nullptr;

  PluginOptions values;
  for (config::OptionValue& value : config::effective_options(spec, options)) {
    values.emplace_back(std::move(value.name), std::move(value.value));
  }
  const auto plugin = load_plugin(**found);
  if (!plugin) {
    diagnostics.error(config::code::kPluginProblem, spec.type.span, plugin.status().message());
    return nullptr;
  }
  Result<std::unique_ptr<Source>> source = PluginSource::create(*plugin, values);
  Result<Schema> schema = source ? (*source)->schema() : Result<Schema>(source.status());
  if (!schema) {
    const bool waits = absent == AbsentInput::is_warning && schema.status().code() == Code::io;
    if (waits) {
      diagnostics.warning(config::code::kNotChecked, spec.span, schema.status().message())
          .with_note("columns of source " + spec.id.value + " are checked when the job runs");
    } else {
      report_plugin_problem(spec, schema.status().message(), diagnostics);
      note_input_error(schema.status(), out);
    }
    return nullptr;
  }
  out.schemas[spec.id.value] = std::move(*schema);
  return std::move(*source);
}

}  // namespace

JobSources open_job_sources(const config::JobSpec& job, const PluginCatalog& catalog, AbsentInput absent,
                            config::Diagnostics& diagnostics) {
  JobSources out;
  for (const config::SourceSpec& spec : job.sources) {
    out.sources.push_back(open_one(spec, catalog, absent, diagnostics, out));
  }
  config::SourceSchemas columns;
  for (const auto& [id, schema] : out.schemas) {
    for (const ColumnInfo& column : schema.columns) {
      columns[id].push_back({column.name, type_text(column), kind_of(column.type)});
    }
  }
  config::check_columns(job, columns, diagnostics);
  check_expressions(job, out.schemas, diagnostics);
  return out;
}

std::vector<PluginPlace> job_plugin_places(const config::JobSpec* job) {
  std::vector<PluginPlace> paths;
  if (job != nullptr) {
    for (const auto& path : job->plugin_paths) {
      paths.push_back({path.value, fmt::format("{}:{}:{}", job->file_name, path.span.line, path.span.column), false});
    }
  }
  const char* environment = std::getenv("TIDEMARK_PLUGIN_PATH");
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = error ? std::filesystem::path() : program.parent_path().parent_path() / "plugins";
  return plugin_places(std::move(paths), job != nullptr ? job->base_dir : std::filesystem::current_path(error),
                       environment != nullptr ? environment : "", beside);
}

}  // namespace tidemark::core
