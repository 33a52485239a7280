// SPDX-License-Identifier: Apache-2.0
//
// The sections of the job file, one reader each (internal to config/job). Each returns what it could read, with
// defaults for the rest; findings go to the context.
#pragma once

#include <string>

#include "config/job/job_spec.hpp"
#include "config/job/table_reader.hpp"
#include "config/job/toml_tree.hpp"

namespace tidemark::config {

/// [sources.<id>] and its watermark table.
SourceSpec read_source(const TomlEntry& entry, ReadContext& context);
/// [sources.<id>.watermark]; an empty table at the source's place where there is none.
WatermarkSpec read_watermark(const TomlNode& node, const std::string& path, ReadContext& context);
/// One option that only a plugin knows.
PluginOption read_option(const TomlEntry& entry, ReadContext& context);
/// [transforms.<id>].
TransformSpec read_transform(const TomlEntry& entry, ReadContext& context);
/// `window` of [aggregates.<id>], at path "aggregates.<id>".
WindowSpec read_window(TableReader& aggregate, const std::string& path, ReadContext& context);
/// `emit` of [aggregates.<id>].
EmitSpec read_emit(TableReader& aggregate, const std::string& path, ReadContext& context);
/// A name that results can have as a column.
bool is_column_name(std::string_view name) noexcept;
/// Reports a zone that there is not; nothing when `entry` is null.
void check_time_zone(const Spanned<std::string>& zone, const TomlEntry* entry, ReadContext& context);
/// [aggregates.<id>], its window and its columns.
AggregateSpec read_aggregate(const TomlEntry& entry, ReadContext& context);
/// [sinks.<id>].
SinkSpec read_sink(const TomlEntry& entry, ReadContext& context);
/// What a sink of type mysql has of its own; `table` is [sinks.<id>] at `path`.
MysqlSpec read_mysql_sink(TableReader& table, const std::string& path, ReadContext& context);
/// [[tests]], into `job`, whose sources, aggregates and sinks were read before.
void read_tests(TableReader& root, ReadContext& context, JobSpec& job);
/// [job], [state], [checkpoint], [plugins], [http], [log] and the top level's own keys, into `job`.
void read_job_tables(TableReader& root, ReadContext& context, JobSpec& job);

/// The id of a named table; reports one that is not lower snake case. what: "sources" and the like.
Spanned<std::string> read_id(const TomlEntry& entry, std::string_view what, ReadContext& context);

/// True for [a-z][a-z0-9_]*.
bool is_id(std::string_view text) noexcept;

/// Inputs must be there, and must refer to something; no id twice; no output column twice; nothing unused.
void check_references(const JobSpec& job, ReadContext& context);
/// The key of a sink that writes by key must tell apart all results that stand at the same time.
void check_sink_keys(const JobSpec& job, ReadContext& context);
/// What each aggregate reads must fit together: no circles, sources that agree, results that can be rows.
void check_inputs_fit(const JobSpec& job, ReadContext& context);

}  // namespace tidemark::config
