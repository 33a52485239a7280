// SPDX-License-Identifier: Apache-2.0
//
// The columns that a job names, against what its sources have. Needs no plugin: the caller brings the schemas
// (from plugins, or from a file's own header). Pure but for the findings it adds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"

namespace tidemark::config {

/// What a column can be used for.
enum class ColumnKind : uint8_t {
  integer,
  decimal,
  floating,
  text,
  bytes,
  time_point,  ///< DATETIME, TIMESTAMP: usable as event time
  other,
};

struct SourceColumn {
  std::string name;
  std::string type_name;  ///< for messages, such as "DECIMAL(18,4)"
  ColumnKind kind = ColumnKind::other;
};

/// By source id. A source that is not in it is not checked (its schema is not known yet).
using SourceSchemas = std::map<std::string, std::vector<SourceColumn>>;

/// Adds findings for watermark fields that are not there or cannot be used. Column names are compared exactly. May be
/// called with a job that has errors already.
void check_columns(const JobSpec& job, const SourceSchemas& schemas, Diagnostics& diagnostics);

/// The note of a finding about a column that is not there: "`orders` gives: id, total, …".
std::string columns_note(const std::string& source, const std::vector<std::string>& columns);

}  // namespace tidemark::config
