// SPDX-License-Identifier: Apache-2.0
//
// What the readers of steps and of expectations in [[tests]] share (internal to config/job): values, cells, and names
// that must be there. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/job/job_spec.hpp"
#include "config/job/table_reader.hpp"

namespace tidemark::config {

/// A scalar, or {} for NULL; empty after a finding.
std::optional<TestValue> read_test_value(const std::string& name, const TomlNode& node, ReadContext& context);
/// The columns of a row. Keys of `reserved` are left out; one in backticks is always a column.
std::vector<TestCell> read_test_cells(const TomlNode& row, std::span<const std::string_view> reserved,
                                      ReadContext& context);
/// The tables of a list; what is none of them is reported.
std::vector<const TomlNode*> read_table_list(const TomlEntry& entry, const std::string& example, ReadContext& context);
/// Reports a name that is not among `known`.
void require_name(const Spanned<std::string>& name, std::string_view what, std::span<const std::string> known,
                  ReadContext& context);
/// Ids of the job's sources and so on.
template <typename T>
std::vector<std::string> test_ids(const std::vector<T>& items) {
  std::vector<std::string> out;
  for (const T& item : items) out.push_back(item.id.value);
  return out;
}

/// `expect` of a test.
void read_expectations(const TomlNode& expect, const JobSpec& job, ReadContext& context, TestSpec& out);

}  // namespace tidemark::config
