// SPDX-License-Identifier: Apache-2.0
//
// The order of loading: tree, named tables, single tables, references.
#include "config/job/load.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "config/job/sections.hpp"
#include "config/job/table_reader.hpp"
#include "config/job/toml_tree.hpp"

namespace tidemark::config {
namespace {

// CPUs that this process may run on, which is fewer than there are under taskset and in containers with a CPU set.
int64_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Ids for suggestions, before the first table is read.
SectionIds first_ids(const TomlNode& root) {
  const auto first = [&](std::string_view section) -> std::string {
    for (const TomlEntry& entry : root.entries) {
      if (entry.key == section && !entry.value.entries.empty()) return entry.value.entries.front().key;
    }
    return {};
  };
  return {first("sources"), first("aggregates"), first("sinks")};
}

// Reads [<section>.<id>] tables with `read`.
template <typename T>
std::vector<T> read_named(TableReader& root, const std::string& section, T (*read)(const TomlEntry&, ReadContext&),
                          ReadContext& context) {
  std::vector<T> out;
  const TomlEntry* tables = root.find_table(section);
  if (tables == nullptr) return out;
  for (const TomlEntry& entry : tables->value.entries) {
    if (entry.value.kind == TomlNode::Kind::table) {
      out.push_back(read(entry, context));
    } else {
      context.diagnostics
          .error(code::kWrongType, entry.key_span, fmt::format("`{}` in [{}] must be a table", entry.key, section))
          .with_help(fmt::format("[{}] holds tables by id: write [{}.<id>] above it", section, section));
    }
  }
  return out;
}

}  // namespace

LoadResult load_job_text(const std::string& name, std::string text, const std::filesystem::path& base_dir,
                         const LoadOptions& options) {
  LoadResult out;
  const uint32_t file = out.diagnostics.add_file(std::make_shared<const SourceText>(name, std::move(text)));
  const Environment environment = options.environment ? options.environment : process_environment();
  const std::optional<TomlNode> tree = parse_toml(file, environment, options.allow_missing_env, out.diagnostics);
  if (!tree) return out;
  ReadContext context{out.diagnostics, *out.diagnostics.file(file), first_ids(*tree), base_dir,
                      options.cpu_count > 0 ? options.cpu_count : usable_cpus()};
  context.environment = environment;
  context.allow_missing_env = options.allow_missing_env;
  TableReader root(context, *tree, TableKind::root, "");
  JobSpec& job = out.spec.emplace();
  job.file_name = name;
  job.base_dir = base_dir;
  read_job_tables(root, context, job);
  context.time_zone = job.time_zone.value;
  job.sources = read_named<SourceSpec>(root, "sources", read_source, context);
  context.ids.source = first_ids(*tree).source;
  job.transforms = read_named<TransformSpec>(root, "transforms", read_transform, context);
  job.aggregates = read_named<AggregateSpec>(root, "aggregates", read_aggregate, context);
  context.ids.aggregate = first_ids(*tree).aggregate;
  job.sinks = read_named<SinkSpec>(root, "sinks", read_sink, context);
  read_tests(root, context, job);
  root.finish();
  check_references(job, context);
  check_sink_keys(job, context);
  return out;
}

LoadResult load_job(const std::filesystem::path& path, const LoadOptions& options) {
  core::Result<std::string> text = read_job_file(path);
  if (!text) {
    LoadResult out;
    const uint32_t file = out.diagnostics.add_file(std::make_shared<const SourceText>(path.string(), ""));
    out.diagnostics.error(code::kCannotRead, {file, 0, 0, 0}, text.status().message())
        .with_help("name a job file (TOML)");
    return out;
  }
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) absolute = path;
  return load_job_text(path.string(), std::move(text).value(), absolute.lexically_normal().parent_path(), options);
}

}  // namespace tidemark::config
