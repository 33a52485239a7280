// SPDX-License-Identifier: Apache-2.0
//
// From `type = "..."` to a live source, and from `strategy = "plugin:..."` to a maker of generators. A plugin that
// cannot be used is an error at that name; what a plugin says about an option is an error at that option, and about
// its input at the source's table.
#include "core/plan/job_sources.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "config/job/check_columns.hpp"
#include "config/job/codes.hpp"
#include "config/job/option_schema.hpp"
#include "core/plan/check_expressions.hpp"
#include "core/plan/job_plugin.hpp"
#include "core/plugin_host/plugin_generator.hpp"
#include "core/plugin_host/plugin_source.hpp"

namespace tidemark::core {
namespace {

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

void note_input_error(const Status& status, JobSources& out) {
  if (status.code() == Code::config || status.code() == Code::plugin) return;
  if (out.input_errors++ == 0) out.input_error = status;
}

// What the job wants kept rows for, the source must be able to tell, and what tells its rows apart.
bool can_keep_rows(const config::SourceSpec& spec, const Source& source, const Schema& schema,
                   config::Diagnostics& diagnostics) {
  const bool truncates = spec.on_truncate.value == config::OnTruncate::apply;
  const bool completes = spec.on_partial_image.value == config::OnPartialImage::complete;
  bool can = true;
  const auto refuse = [&](config::Span span, std::string text, std::string help) {
    can = false;
    diagnostics.error(config::code::kContradiction, span, std::move(text)).with_help(std::move(help));
  };
  const std::string type = spec.type.value;
  if (truncates && !source.gives_truncates()) {
    refuse(spec.on_truncate.span, fmt::format("sources of type \"{}\" do not tell of truncated tables", type),
           "take on_truncate = \"ignore\"");
  }
  if (completes && !source.gives_partial_images()) {
    refuse(spec.on_partial_image.span, fmt::format("sources of type \"{}\" do not tell what an image lacks", type),
           "take on_partial_image = \"reject\"");
  }
  if (can && (truncates || completes) && schema.key.empty()) {
    const auto& [span, setting] = truncates ? std::pair(spec.on_truncate.span, "on_truncate = \"apply\"")
                                            : std::pair(spec.on_partial_image.span, "on_partial_image = \"complete\"");
    refuse(span,
           fmt::format("{} keeps the rows of source `{}` by their key, and there is none: {}", setting, spec.id.value,
                       schema.no_key),
           "give the tables one primary key, take those that have it, or leave the setting out");
  }
  return can;
}

// The live source, its schema noted; null after a finding.
std::unique_ptr<Source> open_one(const config::SourceSpec& spec, const PluginCatalog& catalog, AbsentInput absent,
                                 config::Diagnostics& diagnostics, JobSources& out) {
  const config::GivenOptions given = config::options_of_source(spec);
  const auto wanted = find_job_plugin(catalog, PluginKind::source, spec.type, given, diagnostics);
  if (!wanted) return nullptr;
  Result<std::unique_ptr<Source>> source = PluginSource::create(wanted->plugin, wanted->options);
  Result<Schema> schema = source ? (*source)->schema() : Result<Schema>(source.status());
  if (!schema) {
    const bool waits = absent == AbsentInput::is_warning && schema.status().code() == Code::io;
    if (waits) {
      diagnostics.warning(config::code::kNotChecked, spec.span, schema.status().message())
          .with_note("columns of source " + spec.id.value + " are checked when the job runs");
    } else {
      report_plugin_problem(given, schema.status().message(), diagnostics);
      note_input_error(schema.status(), out);
    }
    return nullptr;
  }
  if (spec.watermark.field.value == "$header_time" && !(*source)->has_header_time()) {
    diagnostics
        .error(config::code::kContradiction, spec.watermark.field.span,
               fmt::format("sources of type \"{}\" have no header time", spec.type.value))
        .with_help("take a column, or \"$commit_time\", the source's own event time");
    return nullptr;
  }
  if (!can_keep_rows(spec, **source, *schema, diagnostics)) return nullptr;
  out.schemas[spec.id.value] = std::move(*schema);
  return std::move(*source);
}

// The maker of the generators that strategy = "plugin:<name>" asks for; null without, and after a finding. One is made
// here, so that the plugin's word about its options comes before the job runs.
GeneratorFactory find_generator(const config::SourceSpec& spec, const PluginCatalog& catalog,
                                config::Diagnostics& diagnostics) {
  if (spec.watermark.strategy.value != config::WatermarkStrategy::plugin) return nullptr;
  if (spec.watermark.generator.value.empty()) return nullptr;  // reported as it was read
  const config::GivenOptions given = config::options_of_generator(spec);
  auto wanted = find_job_plugin(catalog, PluginKind::generator, spec.watermark.generator, given, diagnostics);
  if (!wanted) return nullptr;
  GeneratorFactory make = [wanted = std::move(*wanted)](std::string_view split) {
    return PluginGenerator::create(wanted.plugin, wanted.options, split);
  };
  if (const auto tried = make("(none yet)"); !tried) {
    report_plugin_problem(given, tried.status().message(), diagnostics);
    return nullptr;
  }
  return make;
}

}  // namespace

JobSources open_job_sources(const config::JobSpec& job, const PluginCatalog& catalog, AbsentInput absent,
                            config::Diagnostics& diagnostics) {
  JobSources out;
  for (const config::SourceSpec& spec : job.sources) {
    out.sources.push_back(open_one(spec, catalog, absent, diagnostics, out));
    out.generators.push_back(find_generator(spec, catalog, diagnostics));
  }
  check_source_columns(job, out.schemas, diagnostics);
  return out;
}

void check_source_columns(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics) {
  config::SourceSchemas columns;
  for (const auto& [id, schema] : schemas) {
    for (const ColumnInfo& column : schema.columns) {
      columns[id].push_back({column.name, type_text(column), kind_of(column.type)});
    }
  }
  config::check_columns(job, columns, diagnostics);
  check_expressions(job, schemas, diagnostics);
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
