// SPDX-License-Identifier: Apache-2.0
//
// Components are compared one by one, so that a refusal says what was changed, and how to go on.
#include "core/plan/job_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/hash.hpp"
#include "core/plan/plan_change.hpp"

namespace tidemark::core {
namespace {

using Fingerprints = std::vector<std::pair<std::string, std::string>>;

Status refuse_change(const std::string& component, const std::string& what, const std::filesystem::path& state) {
  return {
      Code::state,
      fmt::format("{} was changed since the state in {} was written: {}; undo the change, or start over with another "
                  "state path (the old results stay where they are)",
                  component, state.string(), what)};
}

// Aggregates and sources are numbered, so their order counts; a sink may come or go, but not change what it holds.
Status check_fingerprints(const Fingerprints& before, const Fingerprints& now, const std::filesystem::path& state) {
  const auto is_sink = [](const auto& one) { return one.first.starts_with(kSinkComponent); };
  for (size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
    const auto* old_one = i < before.size() && !is_sink(before[i]) ? &before[i] : nullptr;
    const auto* new_one = i < now.size() && !is_sink(now[i]) ? &now[i] : nullptr;
    if (old_one == nullptr && new_one == nullptr) break;
    if (old_one == nullptr) return refuse_change(new_one->first, "it was not there", state);
    if (new_one == nullptr) return refuse_change(old_one->first, "it is not there any more", state);
    if (old_one->first != new_one->first) {
      return refuse_change(old_one->first, new_one->first + " is in its place", state);
    }
    if (old_one->second != new_one->second) {
      return refuse_change(old_one->first, describe_change(old_one->second, new_one->second), state);
    }
  }
  for (const auto& sink : now) {
    const auto same =
        std::find_if(before.begin(), before.end(), [&](const auto& one) { return one.first == sink.first; });
    if (is_sink(sink) && same != before.end() && *same != sink) {
      return refuse_change(sink.first, describe_change(same->second, sink.second), state);
    }
  }
  return {};
}

}  // namespace

JobRecord job_record(const JobPlan& plan) {
  return {.job = plan.name, .fingerprints = fingerprints(plan), .format_version = 1, .hash_seed = kHashSeed};
}

Status check_same_job(const JobRecord& stored, const JobRecord& now, const std::filesystem::path& state) {
  if (stored.job != now.job) {
    return {Code::state, fmt::format("{} holds the state of job `{}`, not `{}`; give this job another state path",
                                     state.string(), stored.job, now.job)};
  }
  if (stored.format_version != now.format_version || stored.hash_seed != now.hash_seed) {
    return {Code::state, fmt::format("{} was written by another version of tidemark (format {}, this is {}); run that "
                                     "version, or start over with another state path",
                                     state.string(), stored.format_version, now.format_version)};
  }
  return {};
}

Status check_same_plan(const JobRecord& stored, const JobRecord& now, const std::filesystem::path& state) {
  return check_fingerprints(stored.fingerprints, now.fingerprints, state);
}

}  // namespace tidemark::core
